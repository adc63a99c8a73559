"""Base class of providers: who can be asked, by which requests, with which key; and the failures of requests."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, ClassVar

from spiqa_tasks.judge.config import EXTRA_VARIABLE, NO_THINKING, JudgeConfig
from spiqa_tasks.judge.types import JudgeRequest, Verdict
from spiqa_tasks.scoring.responses import without_reasoning

RETRIED_STATUSES = frozenset({408, 409, 429})
FINAL_CODES = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"})
"""Codes of OpenAI's 429 for an account without credit, which no waiting fills."""
LONGEST_WAIT = 7 * 86_400.0
"""Upper bound of a `Retry-After` in seconds: no run waits a week, and larger numbers overflow clocks."""
TOO_LARGE = "request too large"
"""Beginning of the message of a 429 whose request exceeds the rate limit by itself (OpenAI)."""
_UNPAID = ("billing", "credit balance")
"""Words of final errors about money (Anthropic's have no code); Gemini's 429 for a rate has them, too."""
_REFUSALS = ("content_filter", "refusal")
"""Reasons for the end of an answer that is none: OpenAI's and Azure's filter, OpenAI's and Anthropic's refusal."""


@dataclass(eq=False)
class AskError(Exception):
    """A request without a usable answer; `retryable` if the same request may succeed later.

    `reason` has a remedy if the cause is known. `refused`: the server asked for patience (429), `retry_after` seconds.
    `silent`: it said nothing for as long as a request may take.
    """

    reason: str
    retryable: bool
    refused: bool = False
    retry_after: float | None = None
    silent: bool = False

    def __post_init__(self) -> None:
        super().__init__(self.reason)


def http_error(
    status: int, message: str, codes: Collection[str] = (), retry_after: float | None = None
) -> AskError:
    """Return the error of an HTTP status, or of a body with status 200, with its `message` and `codes`."""
    begin = "the server answered with an error" if status == 200 else f"HTTP {status}"
    said = f"{begin}: {message}" if message else begin
    reason = "; ".join(filter(None, [said, _remedy(status, codes, message)]))
    is_final = not FINAL_CODES.isdisjoint(codes) or message.lower().startswith(TOO_LARGE)
    is_passing = status in RETRIED_STATUSES or status >= 500 or status == 200
    return AskError(reason, is_passing and not is_final, status == 429, retry_after)


def _remedy(status: int, codes: Collection[str], message: str) -> str | None:
    is_unpaid = status == 402 or (
        400 <= status < 429 and any(word in message.lower() for word in _UNPAID)
    )
    if not FINAL_CODES.isdisjoint(codes) or is_unpaid:
        return "the account's quota is used up: add credit, or choose another judge"
    if status in (401, 403):
        return "check the judge's key (SPIQA_JUDGE_API_KEY) and what it may use"
    if status == 413 or message.lower().startswith(TOO_LARGE):
        return "the prompt is too long for this server"
    if status == 404:
        return "check the judge's model and address (SPIQA_JUDGE, SPIQA_JUDGE_BASE_URL)"
    if 300 <= status < 400:
        return "set SPIQA_JUDGE_BASE_URL to the address that answers"
    return None


def retry_after_seconds(headers: Mapping[str, str]) -> float | None:
    """Return the wait that `retry-after-ms` or `retry-after` asks for in seconds, at most `LONGEST_WAIT`, or None.

    Providers of models send numbers; a date is not read.
    """
    for name, unit in (("retry-after-ms", 1000), ("retry-after", 1)):
        with suppress(KeyError, ValueError):
            seconds = float(headers[name]) / unit
            if 0 <= seconds < float("inf"):
                return min(seconds, LONGEST_WAIT)
    return None


def written_fault(text: str, stop: Any) -> str | None:
    """Return why a written answer is no verdict, or None; `stop` is the server's reason for its end."""
    if stop in _REFUSALS:
        return f"the judge refused to answer ({stop}): {text.strip()[:80]!r}; choose another judge"
    if without_reasoning(text).strip():
        return None
    wrote = f"only its thoughts, {text.strip()[:40]!r}," if text.strip() else "nothing"
    return (
        f"the judge wrote {wrote} and ended by {stop!r}; a judge that thinks has to be told not to, for vLLM, SGLang "
        f"and hf: with --judge-extra or {EXTRA_VARIABLE} '{NO_THINKING}'"
    )


class Provider(ABC):
    """A provider of judges; an instance asks one judge, within one event loop. Heavy libraries are imported when used.

    Attributes:
        name: what stands before the colon in `provider:model`.
        url: its public base URL without a trailing slash; '' if models run in this process.
        key_variable: the environment variable of its own key, which is sent to `url` alone; '' without one.
        extra: the extra of setup.cfg that installs what asking needs, or ''.
    """

    name: ClassVar[str]
    url: ClassVar[str] = ""
    key_variable: ClassVar[str] = ""
    extra: ClassVar[str] = ""

    def __init__(self, config: JudgeConfig) -> None:
        self._config = config

    @abstractmethod
    async def ask(self, request: JudgeRequest) -> Verdict:
        """Try once to answer one request; raises AskError."""

    async def aclose(self) -> None:  # noqa: B027 - nothing to close is the rule for models in this process
        """Close connections."""

    @classmethod
    def thinks(cls, _model: str) -> bool:
        """Return whether a model is known to think before it answers, in tokens that are paid for."""
        return False

    @classmethod
    def fingerprint(cls, _model: str) -> str:
        """Return what distinguishes a model from others of the same name, such as its files' times."""
        return ""

    @classmethod
    def cannot(cls, _model: str, _request: JudgeRequest) -> str | None:
        """Return why a model cannot answer this request, with the remedy, or None."""
        return None
