"""Base class of providers, the failures of requests, and what is learned from refusals."""

import math
import re
import time
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Any, ClassVar

from spiqa_tasks.judge.types import EXTRA_VARIABLE, NO_THINKING, JudgeConfig, JudgeRequest, Verdict
from spiqa_tasks.scoring.responses import without_reasoning

# A JSON object of a request or an answer, or within one.
Json = dict[str, Any]

# A timeout, a conflict and a rate limit pass; so do 5xx. Other 4xx do not.
RETRIED_STATUSES = frozenset({408, 409, 429})

# Codes of OpenAI's 429 for an account without credit, which no waiting fills.
FINAL_CODES = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"})

# Upper bound of a `Retry-After` in seconds: no run waits a week, and larger numbers overflow
# clocks.
LONGEST_WAIT = 7 * 86_400.0

# Beginning of the message of a 429 whose request exceeds the rate limit by itself (OpenAI).
_TOO_LARGE = "request too large"

# Words of final errors about money (Anthropic's have no code); Gemini's 429 for a rate has them,
# too.
_UNPAID = ("billing", "credit balance")

# Ends of an answer that is none: OpenAI's and Azure's filter, OpenAI's and Anthropic's refusal.
_REFUSALS = ("content_filter", "refusal")

# Ends of an answer at the limit of its tokens: OpenAI's, Anthropic's.
_LIMIT_REACHED = ("length", "max_tokens")

# Log-probabilities that L3Score needs: one of yes, one of no.
_LEAST_LOGPROBS = 2

# Parameters that may be left out; log-probabilities never.
_DROPPED = ("temperature", "seed")

# The limit of tokens in a refusal, under each of its names.
_NAMES_LIMIT = re.compile(r"max_\w*tokens")

# A number that stands alone: `gpt-4` and `2024-08-06` have none.
_NUMBER = re.compile(r"(?<![\w.-])\d{1,6}(?![\w-]|\.\d)")

# What tells that the number in a refusal is the least that the server takes.
_IS_LEAST = re.compile(
    r"at least|minimum|>=|greater than|below|too (?:small|low|few)", re.IGNORECASE
)

# Remedies that follow a refusal.
WITHOUT_LOGPROBS = (
    "choose openai:<model> with them, hf:<path>, or the rule sampled (`score --rule sampled`, or "
    "the setting rule=sampled)"
)
_THINKS_NOT = f"for vLLM and SGLang with {EXTRA_VARIABLE} '{NO_THINKING}'"
_NO_CREDIT = "the account's quota is used up: add credit, or choose another judge"
_CHECK_KEY = "check the judge's key (SPIQA_JUDGE_API_KEY) and what it may use"
_TOO_LONG = "the prompt is too long for this server"
_REMEDIES = {
    401: _CHECK_KEY,
    402: _NO_CREDIT,
    403: _CHECK_KEY,
    404: "check the judge's model and address (SPIQA_JUDGE, SPIQA_JUDGE_BASE_URL)",
    407: "the proxy wants a name and a password: set HTTPS_PROXY to http://NAME:PASSWORD@HOST:PORT",
    413: _TOO_LONG,
}


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
    is_final = remedy in (_NO_CREDIT, _TOO_LONG)
    return RequestError(
        reason,
        retryable=is_passing and not is_final,
        refused=status == 429,
        retry_after=retry_after,
        complaint=message if status in (400, 422) else "",
    )


def _remedy(status: int, codes: Collection[str], message: str) -> str | None:
    """Return what a user can do about a failed request, or None if nothing is known."""
    is_about_money = 400 <= status < 429 and any(word in message for word in _UNPAID)
    if is_about_money or not FINAL_CODES.isdisjoint(codes):
        return _NO_CREDIT
    if message.startswith(_TOO_LARGE):
        return _TOO_LONG
    if status in (400, 403, 422) and "logprobs" in message:
        return WITHOUT_LOGPROBS
    if 300 <= status < 400:
        return "set SPIQA_JUDGE_BASE_URL to the address that answers"
    return _REMEDIES.get(status)


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


def written_verdict(text: str, stop: object) -> Verdict:
    """Return the verdict of a written answer; `stop` is the server's reason for its end.

    Raises RequestError, not retryable, if it is none: it was paid for, and would be the same again.
    """
    shown = repr(text.strip()[:40])
    if stop in _REFUSALS:
        fault = f"the judge refused to answer ({stop}): {text.strip()[:80]!r}; choose another judge"
    elif without_reasoning(text).strip():
        return Verdict(text)
    elif stop in _LIMIT_REACHED:
        fault = (
            f"the judge's answer was cut off before a verdict, {shown}; give its thoughts more room"
            f" (--rule sampled --thinking-tokens N), or switch them off, {_THINKS_NOT}"
        )
    else:
        wrote = f"only its thoughts, {shown}," if text.strip() else "nothing"
        fault = (
            f"the judge wrote {wrote} and ended by {stop!r}; "
            f"a judge that thinks has to be told not to, {_THINKS_NOT}"
        )
    raise RequestError(fault, retryable=False)


@dataclass(slots=True)
class Adaptation:
    """Changes to requests that a judge's server asked for by refusing them, shared by all requests.

    Attributes:
        limit_name: what the server calls `max_tokens`.
        least_tokens: its smallest limit of tokens.
        most_logprobs: the most log-probabilities that it returns, or None.
        dropped: parameters that it does not take.
    """

    limit_name: str = "max_tokens"
    least_tokens: int = 0
    most_logprobs: int | None = None
    dropped: set[str] = field(default_factory=set)

    @property
    def text(self) -> str:
        """The changes, as they stand in signatures; '' without any."""
        changes = []
        if self.limit_name != "max_tokens":
            changes.append(self.limit_name)
        if self.least_tokens:
            changes.append(f"{self.least_tokens} tokens at least")
        if self.most_logprobs is not None:
            changes.append(f"top_logprobs {self.most_logprobs} at most")
        changes += [f"no {name}" for name in sorted(self.dropped)]
        return ", ".join(changes)

    def applied(self, body: Json) -> Json:
        """Return a request's body, which has `max_tokens`, as the server takes it."""
        adapted = {name: value for name, value in body.items() if name not in self.dropped}
        adapted[self.limit_name] = max(adapted.pop("max_tokens"), self.least_tokens)
        if self.most_logprobs is not None and "top_logprobs" in adapted:
            adapted["top_logprobs"] = min(adapted["top_logprobs"], self.most_logprobs)
        return adapted

    def learn(self, message: str, body: Json) -> None:
        """Take up what the refusal of a request, sent with this body, asks for."""
        if "max_completion_tokens" in message:
            self.limit_name = "max_completion_tokens"
        self.dropped |= {name for name in _DROPPED if name in body and name in message}

        if _NAMES_LIMIT.search(message) and _IS_LEAST.search(message):
            limit = body.get("max_tokens") or body.get("max_completion_tokens", 0)
            larger = _numbers(message, limit + 1)
            self.least_tokens = min(larger, default=self.least_tokens)
        if "logprobs" in message:
            smaller = _numbers(message, _LEAST_LOGPROBS, body.get("top_logprobs", 0))
            self.most_logprobs = max(smaller, default=self.most_logprobs)


def _numbers(message: str, least: int, end: float = math.inf) -> list[int]:
    """Return the numbers in a message from `least` to below `end`."""
    numbers = [int(number) for number in _NUMBER.findall(message)]
    return [number for number in numbers if least <= number < end]


class Provider:
    """A provider of judges; an instance asks one judge, within one event loop.

    Heavy libraries are imported when used.

    Attributes:
        name: what stands before the colon in `provider:model`.
        url: its public base URL without a trailing slash; '' if models run in this process.
        key_variable: the environment variable of its own key, which is sent to `url` alone; ''
            without one.
    """

    name: ClassVar[str]
    url: ClassVar[str] = ""
    key_variable: ClassVar[str] = ""

    def __init__(self, config: JudgeConfig, adaptation: Adaptation | None = None) -> None:
        self._config = config
        self._adaptation = adaptation or Adaptation()

    async def ask(self, request: JudgeRequest) -> Verdict:
        """Try once to answer one request; raises RequestError."""
        raise NotImplementedError

    async def aclose(self) -> None:
        """Close connections."""

    @classmethod
    def fingerprint(cls, _model: str) -> str:
        """Return a hash of the model's files, as they may change under a name; '' of a server."""
        return ""

    @classmethod
    def cannot(cls, _request: JudgeRequest) -> str | None:
        """Return why no model of this provider can answer a request, with the remedy, or None."""
        return None
