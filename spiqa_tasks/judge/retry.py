"""Which failures of a judge's server are worth another try, and when. Pure: no clock, no network."""

from __future__ import annotations

import math
import random
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

RETRIED_STATUSES = frozenset({408, 409, 429})
FINAL_CODES = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"})
LONGEST_WAIT = 7 * 86_400.0
"""Seconds of patience, beyond which it does not matter how many a server asks for."""
TOO_LARGE = "request too large"
"""How the message of a 429 begins whose request will never fit the rate limit."""


@dataclass(eq=False)
class AskError(Exception):
    """One request got no usable answer.

    Attributes:
        reason: what went wrong, and what to do about it where the cause is known.
        retryable: whether the same request may succeed later.
        refused: whether the server asked for patience (429).
        retry_after: the seconds that it asked for; None where it named none.
    """

    reason: str
    retryable: bool
    refused: bool = False
    retry_after: float | None = None

    def __post_init__(self) -> None:
        super().__init__(self.reason)


class HttpError(AskError):
    """An answer with an error status; `message` and `codes` are those of its body."""

    def __init__(
        self, status: int, message: str, *, codes: Collection[str] = (), retry_after: float | None = None
    ) -> None:
        status_line = f"HTTP {status}: {message}" if message else f"HTTP {status}"
        reason = "; ".join(filter(None, [status_line, _remedy(status, codes, message)]))
        super().__init__(reason, is_retryable(status, codes, message), status == 429, retry_after)
        self.status = status
        self.message = message


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How long to insist.

    A request is tried at most `max_attempts` times. A try counts where the judge has answered others since the one
    before, or did so three times; a refusal (429) only where the request was first made more than `patience` seconds
    ago. Where the policy is not `patient`, every try counts. Everything still open fails once the judge has answered
    nothing at all for `patience` seconds, or asks for more patience than that. Between two tries of a request lie
    `base * 2**(tries - 1)` seconds, at most `cap`, times a random factor between 0.5 and 1.
    """

    max_attempts: int = 12
    patience: float = 300.0
    base: float = 0.25
    cap: float = 30.0
    patient: bool = True

    def delay(self, tries: int, retry_after: float | None, rng: random.Random) -> float:
        """Return the seconds to wait after the `tries`-th failure (from 1); never less than the server asked for."""
        backoff = min(self.cap, self.base * 2.0 ** min(tries - 1, 30)) * rng.uniform(0.5, 1.0)
        return backoff if retry_after is None else retry_after + backoff * 0.1


def is_retryable(status: int, codes: Collection[str] = (), message: str = "") -> bool:
    """Return whether an answer with this status, and these codes and words in its body, is worth another try."""
    if not FINAL_CODES.isdisjoint(codes) or message.lower().startswith(TOO_LARGE):
        return False
    return status in RETRIED_STATUSES or status >= 500


def _remedy(status: int, codes: Collection[str], message: str) -> str | None:
    if not FINAL_CODES.isdisjoint(codes):
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


def retry_after_seconds(headers: Mapping[str, str], now: float) -> float | None:
    """Return the seconds that `retry-after-ms` or `Retry-After` (seconds or an HTTP date) asks for; None for neither.

    `headers` has lower-case names. A date is compared with the server's own clock (`date`), or where it tells none with
    `now`, a Unix time in seconds; one in the past is 0, nothing more than a week.
    """
    for name, unit in (("retry-after-ms", 1000), ("retry-after", 1)):
        with suppress(KeyError, ValueError):
            number = float(headers[name])
            if math.isfinite(number) and number >= 0:
                return min(number / unit, LONGEST_WAIT)
    with suppress(KeyError, ValueError, OverflowError):
        now = parsedate_to_datetime(headers["date"]).timestamp()
    with suppress(KeyError, ValueError, OverflowError):
        return min(max(0.0, parsedate_to_datetime(headers["retry-after"]).timestamp() - now), LONGEST_WAIT)
    return None
