"""Classification of a judge's failures: retryable or final. Pure."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

RETRIED_STATUSES = frozenset({408, 409, 429})
FINAL_CODES = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"})
"""Codes of OpenAI's 429 for an account without credit, which no waiting fills."""
LONGEST_WAIT = 7 * 86_400.0
"""Upper bound of a `Retry-After` in seconds: no run waits a week, and larger numbers overflow clocks."""
TOO_LARGE = "request too large"
"""Beginning of the message of a 429 whose request exceeds the rate limit by itself (OpenAI)."""


@dataclass(eq=False)
class AskError(Exception):
    """A request without a usable answer; `retryable` if the same request may succeed later.

    `reason` has a remedy if the cause is known. `refused`: the server asked for patience (429), `retry_after` seconds.
    """

    reason: str
    retryable: bool
    refused: bool = False
    retry_after: float | None = None

    def __post_init__(self) -> None:
        super().__init__(self.reason)


class HttpError(AskError):
    """An HTTP error status; `message` and `codes` are those of its body."""

    def __init__(
        self, status: int, message: str, *, codes: Collection[str] = (), retry_after: float | None = None
    ) -> None:
        status_line = f"HTTP {status}: {message}" if message else f"HTTP {status}"
        reason = "; ".join(filter(None, [status_line, _remedy(status, codes, message)]))
        final = not FINAL_CODES.isdisjoint(codes) or message.lower().startswith(TOO_LARGE)
        retryable = not final and (status in RETRIED_STATUSES or status >= 500)
        super().__init__(reason, retryable, status == 429, retry_after)
        self.status = status
        self.message = message


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
    """Return the wait that `retry-after-ms` or `retry-after` (seconds or an HTTP date) asks for in seconds, or None.

    A date is compared with the server's own clock (header `date`), or else with `now`, a Unix time in seconds. A date
    in the past is 0; the upper bound is `LONGEST_WAIT`.
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
