"""Which failures of a judge's server are worth another try, and when. Pure: no clock, no network."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

RETRIED_STATUSES = frozenset({408, 409, 429})
FINAL_CODES = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"})


class AskError(Exception):
    """One request got no usable answer.

    `retryable` says whether the same request may succeed later, `refused` that the server asked for patience (429),
    `retry_after` how many seconds it asked for.
    """

    def __init__(
        self, reason: str, *, retryable: bool, refused: bool = False, retry_after: float | None = None
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.retryable = retryable
        self.refused = refused
        self.retry_after = retry_after


class HttpError(AskError):
    """The server answered with an error status; `message` is what its body says."""

    def __init__(self, status: int, message: str, *, retryable: bool, retry_after: float | None) -> None:
        reason = f"HTTP {status}: {message}" if message else f"HTTP {status}"
        super().__init__(reason, retryable=retryable, refused=status == 429, retry_after=retry_after)
        self.status = status
        self.message = message


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How long to insist.

    A request is tried at most `max_attempts` times. Being told to slow down (429) does not count as an attempt when
    `patient`. Everything still open fails once the judge has answered nothing at all for `max_seconds`. Between two
    tries lie `base * 2**(tries - 1)` seconds, at most `cap`, times a random factor between 0.5 and 1.
    """

    max_attempts: int = 12
    max_seconds: float = 600.0
    base: float = 0.25
    cap: float = 30.0
    patient: bool = True

    def delay(self, tries: int, retry_after: float | None, rng: random.Random) -> float:
        """Seconds to wait after the `tries`-th failure (from 1); never less than the server asked for."""
        backoff = min(self.cap, self.base * 2.0 ** min(tries - 1, 30)) * rng.uniform(0.5, 1.0)
        return backoff if retry_after is None else retry_after + backoff * 0.1

    def exhausted(self, attempts: int, silent_seconds: float, delay: float) -> bool:
        """Whether to give up after `attempts` counted tries, the judge having been silent for `silent_seconds`."""
        return attempts >= self.max_attempts or silent_seconds + delay > self.max_seconds


def is_retryable(status: int, code: str | None = None) -> bool:
    """Whether an answer with this HTTP status (and the error code in its body) is worth another try."""
    if code in FINAL_CODES:
        return False
    return status in RETRIED_STATUSES or status >= 500


def retry_after_seconds(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds that `Retry-After` (seconds or an HTTP date) or `retry-after-ms` asks for; None where it says nothing.

    `headers` has lower-case names, `now` is a Unix time in seconds. A date in the past gives 0.
    """
    milliseconds = _non_negative(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("retry-after")
    if value is None:
        return None
    seconds = _non_negative(value)
    return seconds if seconds is not None else _until(value, now)


def _non_negative(value: str | None) -> float | None:
    try:
        number = float(value) if value is not None else math.nan
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None


def _until(date: str, now: float) -> float | None:
    try:
        return max(0.0, parsedate_to_datetime(date).timestamp() - now)
    except (ValueError, OverflowError):
        return None
