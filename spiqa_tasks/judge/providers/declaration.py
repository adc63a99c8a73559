"""What a provider of judges declares: where it is, what it can be asked, and its clients."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from spiqa_tasks.errors import JudgeError
from spiqa_tasks.judge.config import JUDGE_VARIABLE, KEY_VARIABLE, JudgeConfig
from spiqa_tasks.judge.types import LONGEST_TOKEN, JudgeRequest, Verdict
from spiqa_tasks.printable import printable


class JudgeClient(Protocol):
    """Asks one judge; used by the engine."""

    @property
    def fingerprint(self) -> str:
        """Return what distinguishes this judge beyond name and URL; empty where nothing does."""

    async def ask(self, request: JudgeRequest) -> Verdict:
        """Try once to answer one request; raises `retry.AskError`."""

    async def aclose(self) -> None:
        """Close connections and threads."""


class BatchError(JudgeError):
    """A batch interface did not do what it was asked; `status` is the HTTP status that it answered with, if it did."""

    def __init__(self, judge: str, found: str, status: int | None = None) -> None:
        super().__init__(
            f"Expected the batch interface of the judge {judge} to answer, found {found}. Check the judge's key and "
            "address; what was handed over is neither lost nor paid again."
        )
        self.refused = status is not None and 400 <= status < 500 and status not in (408, 409, 429)
        self.gone = status in (404, 410)


@dataclass(frozen=True)
class BatchLook:
    """What a batch is at: how many requests are done, their responses' lines once it has ended, why it did so early."""

    done: int
    responses: Iterable[bytes] | None = None
    fault: str = ""


class BatchApi(Protocol):
    """The lines of one judge's request and response files, and its batch interface, which takes and returns them."""

    def request(self, key: str, request: JudgeRequest) -> dict[str, Any]:
        """Return the line of a request, under its key of 64 hexadecimal digits as `custom_id`."""

    def verdict(self, response: Mapping[str, Any], top: int | None) -> Verdict:
        """Return the verdict in the line of a response to a request for `top` log-probabilities; raises AskError."""

    def create(self, lines: Sequence[Mapping[str, Any]], tag: str) -> str:
        """Hand lines over as one batch, without a second try; return its id."""

    def find(self, tag: str, keys: Collection[str], others: Collection[str]) -> str | None:
        """Return the id of the batch of `keys` handed over under `tag`, which is none of `others`.

        None where there is none; empty where one that is under way may be it.
        """

    def look(self, batch: str) -> BatchLook:
        """Return how far a batch is."""


def served_model(answer: Mapping[str, Any]) -> str | None:
    """Return the model that a server's answer names, interned; None where it names none."""
    model = answer.get("model")
    return sys.intern(printable(model[:LONGEST_TOKEN])) if isinstance(model, str) and model else None


@dataclass(frozen=True)
class Provider:
    """A provider of judges.

    Attributes:
        name: what stands before the colon in `provider:model`.
        url: its public base URL without a trailing slash; empty where models run in this process.
        key_variable: the environment variable of its own key, which is sent to `url` alone; None where it has none.
        make_client: config -> client; imports heavy libraries only when called.
        why_no_logprobs: model -> why it returns no token log-probabilities; None where it returns them.
        logprob_judges: the judges that return them, for people; empty where none does.
        sees_pictures: whether requests may have pictures.
        searches_vocabulary: whether words can be looked up in the whole vocabulary (`JudgeRequest.lookup`).
        extras: the fields that a user may add to its requests; None: any.
        make_batches: config -> its files and its batch interface; None where it has none.
    """

    name: str
    url: str
    key_variable: str | None
    make_client: Callable[[JudgeConfig], JudgeClient]
    why_no_logprobs: Callable[[str], str | None]
    logprob_judges: str = ""
    sees_pictures: bool = False
    searches_vocabulary: bool = False
    extras: frozenset[str] | None = None
    make_batches: Callable[[JudgeConfig], BatchApi] | None = None

    def missing_key(self, config: JudgeConfig) -> str | None:
        """Return what to set where a judge is asked at `url` without a key; None where it has one or needs none."""
        if config.api_key or not config.url or config.url != self.url:
            return None
        return (
            f"The judge {config.name} needs a key and none was found; set {KEY_VARIABLE} "
            f"(or {self.key_variable}), choose another judge with {JUDGE_VARIABLE}=provider:model, "
            f"or switch judging off with {JUDGE_VARIABLE}=none."
        )

    def cannot(self, model: str, request: JudgeRequest) -> str | None:
        """Return why `model` cannot answer this request; None where it can."""
        if request.images and not self.sees_pictures:
            return f"{self.name}: judges see no pictures"
        if request.lookup and not self.searches_vocabulary:
            return f"{self.name}: judges cannot look words up in their whole vocabulary"
        return None if request.top_logprobs is None else self.why_no_logprobs(model)
