"""Base class of providers, and the failures of requests."""

import time
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import ClassVar

from spiqa_tasks.judge.config import EXTRA_VARIABLE, NO_THINKING, JudgeConfig
from spiqa_tasks.judge.logprobs import WITHOUT_LOGPROBS
from spiqa_tasks.judge.providers.adaptation import Adaptation
from spiqa_tasks.judge.types import CUT_OFF, JudgeRequest, Verdict
from spiqa_tasks.scoring.responses import without_reasoning

RETRIED_STATUSES = frozenset({408, 409, 429})
FINAL_CODES = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"})
"""Codes of OpenAI's 429 for an account without credit, which no waiting fills."""
LONGEST_WAIT = 7 * 86_400.0
"""Upper bound of a `Retry-After` in seconds: no run waits a week, and larger numbers overflow
clocks."""
TOO_LARGE = "request too large"
"""Beginning of the message of a 429 whose request exceeds the rate limit by itself (OpenAI)."""
_UNPAID = ("billing", "credit balance")
"""Words of final errors about money (Anthropic's have no code); Gemini's 429 for a rate has them,
too."""
_REFUSALS = ("content_filter", "refusal")
"""Ends of an answer that is none: OpenAI's and Azure's filter, OpenAI's and Anthropic's refusal."""
_LIMIT_REACHED = ("length", "max_tokens")
"""Ends of an answer at the limit of its tokens: OpenAI's, Anthropic's."""


@dataclass(eq=False)
class RequestError(Exception):
    """A request without a usable answer.

    Attributes:
        reason: for people, with a remedy if the cause is known.
        retryable: whether the same request may succeed later.
        refused: whether the server asked for patience (429), `retry_after` seconds.
        silent: whether it said nothing for as long as a request may take.
        complaint: the server's words about a request that it does not take; '' otherwise.
    """

    reason: str
    retryable: bool
    refused: bool = False
    retry_after: float | None = None
    silent: bool = False
    complaint: str = ""

    def __post_init__(self) -> None:
        super().__init__(self.reason)


def http_error(
    status: int, message: str, codes: Collection[str] = (), retry_after: float | None = None
) -> RequestError:
    """Return the error of an HTTP status; 200 is that of a body that says it is an error."""
    reason = "the server answered with an error" if status == 200 else f"HTTP {status}"
    if message:
        reason += f": {message}"
    remedy = _remedy(status, codes, message.lower())
    if remedy:
        reason += f"; {remedy}"

    is_passing = status in RETRIED_STATUSES or status >= 500 or status == 200
    is_final = not FINAL_CODES.isdisjoint(codes) or _is_too_large(message.lower())
    return RequestError(
        reason,
        retryable=is_passing and not is_final,
        refused=status == 429,
        retry_after=retry_after,
        complaint=message if status in (400, 422) else "",
    )


_REMEDIES = {
    401: "check the judge's key (SPIQA_JUDGE_API_KEY) and what it may use",
    403: "check the judge's key (SPIQA_JUDGE_API_KEY) and what it may use",
    404: "check the judge's model and address (SPIQA_JUDGE, SPIQA_JUDGE_BASE_URL)",
    407: "the proxy wants a name and a password: set HTTPS_PROXY to http://NAME:PASSWORD@HOST:PORT",
    413: "the prompt is too long for this server",
}


def _remedy(status: int, codes: Collection[str], message: str) -> str | None:
    if not FINAL_CODES.isdisjoint(codes) or _is_unpaid(status, message):
        return "the account's quota is used up: add credit, or choose another judge"
    if status in (400, 403, 422) and "logprobs" in message:
        return WITHOUT_LOGPROBS
    if _is_too_large(message):
        return _REMEDIES[413]
    if 300 <= status < 400:
        return "set SPIQA_JUDGE_BASE_URL to the address that answers"
    return _REMEDIES.get(status)


def _is_unpaid(status: int, message: str) -> bool:
    is_final = 400 <= status < 429
    return status == 402 or (is_final and any(word in message for word in _UNPAID))


def _is_too_large(message: str) -> bool:
    return message.startswith(TOO_LARGE)


def retry_after_seconds(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that a server asks to wait, at most `LONGEST_WAIT`, or None.

    From `retry-after-ms` or `retry-after`, a number or a date.
    """
    for name, unit in (("retry-after-ms", 1000), ("retry-after", 1)):
        with suppress(KeyError, ValueError):
            seconds = float(headers[name]) / unit
            if 0 <= seconds < float("inf"):
                return min(seconds, LONGEST_WAIT)
    with suppress(KeyError, ValueError, OverflowError):
        seconds = parsedate_to_datetime(headers["retry-after"]).timestamp() - time.time()
        return min(max(seconds, 0.0), LONGEST_WAIT)
    return None


def written_fault(text: str, stop: object) -> str | None:
    """Return why a written answer is no verdict, or None; `stop` is why it ended."""
    if stop in _REFUSALS:
        return f"the judge refused to answer ({stop}): {text.strip()[:80]!r}; choose another judge"
    if without_reasoning(text).strip():
        return None

    remedy = f"for vLLM, SGLang and hf: with --judge-extra or {EXTRA_VARIABLE} '{NO_THINKING}'"
    shown = repr(text.strip()[:40])
    if stop in _LIMIT_REACHED:
        more = "give its thoughts more room (--rule sampled --thinking-tokens N)"
        return f"{CUT_OFF}, {shown}; {more}, or switch them off, {remedy}"
    wrote = f"only its thoughts, {shown}," if text.strip() else "nothing"
    return (
        f"the judge wrote {wrote} and ended by {stop!r}; "
        f"a judge that thinks has to be told not to, {remedy}"
    )


class Provider(ABC):
    """A provider of judges; an instance asks one judge, within one event loop.

    Heavy libraries are imported when used.

    Attributes:
        name: what stands before the colon in `provider:model`.
        url: its public base URL without a trailing slash; '' if models run in this process.
        key_variable: the environment variable of its own key, which is sent to `url` alone; ''
            without one.
        extra: the extra of setup.cfg that installs what asking needs, or ''.
    """

    name: ClassVar[str]
    url: ClassVar[str] = ""
    key_variable: ClassVar[str] = ""
    extra: ClassVar[str] = ""

    def __init__(self, config: JudgeConfig, adaptation: Adaptation | None = None) -> None:
        self._config = config
        self._adaptation = adaptation or Adaptation()

    @abstractmethod
    async def ask(self, request: JudgeRequest) -> Verdict:
        """Try once to answer one request; raises RequestError."""

    async def aclose(self) -> None:  # noqa: B027 - a provider may have none
        """Close connections."""

    @classmethod
    def fingerprint(cls, _model: str) -> str:
        """Return what distinguishes models of the same name, such as their files' times."""
        return ""

    @classmethod
    def cannot(cls, _request: JudgeRequest) -> str | None:
        """Return why no model of this provider can answer a request, with the remedy, or None."""
        return None
