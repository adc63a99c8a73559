"""What a provider of judges declares: where it is, what it can be asked, and its clients."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from spiqa_tasks.judge.answer_checks import LONGEST_TOKEN
from spiqa_tasks.judge.config import JUDGE_VARIABLE, KEY_VARIABLE, JudgeConfig
from spiqa_tasks.judge.types import JudgeRequest, Verdict
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


@dataclass(frozen=True)
class BatchProgress:
    """How far a batch is: whether it ended, how many of its requests are done, and why it ended early if it did."""

    ended: bool
    done: int
    fault: str | None = None


class BatchApi(Protocol):
    """Hands requests to one judge's batch interface. Every method raises JudgeError where the server refuses."""

    def entry(self, key: str, request: JudgeRequest) -> dict[str, Any]:
        """Return the request as an entry of a batch, under its key of 64 hexadecimal digits."""

    def submit(self, entries: Sequence[Mapping[str, Any]], tag: str) -> str:
        """Hand the entries over as one batch; return its id."""

    def find(self, tag: str, count: int, since: float) -> str | None:
        """Return the id of the batch handed over under `tag` with `count` entries since a Unix time; None: none."""

    def progress(self, batch: str) -> BatchProgress:
        """Return how far a batch is."""

    def verdicts(self, batch: str, tops: Mapping[str, int | None]) -> Iterator[tuple[str, Verdict]]:
        """Yield the keys and verdicts of an ended batch; an entry that failed has a failed one.

        `tops` maps each key to the number of log-probabilities asked for; None: a written answer.
        """


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
        make_batches: config -> client of its batch interface; None where it has none.
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
