"""What a provider of judges declares: where it is, what it can be asked, and its client."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from spiqa_tasks.judge.config import JUDGE_VARIABLE, KEY_VARIABLE, JudgeConfig
from spiqa_tasks.judge.types import LONGEST_TOKEN, JudgeRequest, Verdict
from spiqa_tasks.printable import printable


class JudgeClient(Protocol):
    """Asks one judge, within one event loop."""

    async def ask(self, request: JudgeRequest) -> Verdict:
        """Try once to answer one request; raises `retry.AskError`."""

    async def aclose(self) -> None:
        """Close connections."""


class RequestFiles(Protocol):
    """The lines of one judge's files of requests and responses, in the form of its provider's batch interface."""

    def line(self, key: str, request: JudgeRequest) -> dict[str, Any]:
        """Return the line of a request, under its key of 64 hexadecimal digits as `custom_id`."""

    def verdict(self, response: Mapping[str, Any], top: int | None) -> Verdict:
        """Return the verdict in the line of a response to a request for `top` log-probabilities; raises AskError."""


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
        fingerprint: model -> what distinguishes it from others of the same name, such as its files' times.
        make_files: config -> the form of its files; None where it has none.
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
    fingerprint: Callable[[str], str] = lambda _model: ""
    make_files: Callable[[JudgeConfig], RequestFiles] | None = None

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
