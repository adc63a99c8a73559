"""Rate at which a judge's server is asked: unlimited, near the rate that it accepts, or single requests. Pure."""

import math
from dataclasses import dataclass
from typing import Literal

FIRST_RATE, SLOWEST = 50.0, 1.0
"""Requests a second after the first refusal, and the lower bound.

50 is within a factor of 10 of common limits (300 to 30,000 a minute), which a few epochs make up for; below 1 a second
an epoch would have too few requests to learn from.
"""
EPOCH_SECONDS, EPOCH_REQUESTS, LONGEST_EPOCH = 0.5, 8, 3.0
"""Least seconds and requests of an epoch, and most seconds: an eighth is the finest share of refusals worth following,
and a slow server must not hold the rate for longer."""
RETURNED = 0.9
"""Fraction of an epoch's requests that must be back before the rate changes; the last tenth may hang until timeout."""
ABOVE = 1.08
"""Factor on the accepted rate if some requests were refused: the limit stays used up, and 7% are refused
(7 to 11% measured, with the first seconds and those of an uneven server)."""
FASTER, FASTEST = 1.1, 1.5
"""Growth of the rate after an epoch without refusals: first, near a limit that has just shown, and at most."""
SLOWED = 0.7
"""Fraction of the fastest recent rate below which we test whether slowing down reduces refusals."""
FAILURES = 8
"""Failures in a row before single requests: with half of all failing by chance, that happens once in 256."""
PROBES, WIDER, RAREST = 0.5, 1.5, 5.0
"""Seconds between the first two single requests, growth of that time, and most seconds, so that the end of an outage is
seen within five."""
LATE = 0.02
"""Seconds that a request may be late without delaying the next one: a busy event loop would lower the rate."""


@dataclass(slots=True)
class _Epoch:
    """A stretch of time with one rate, and the outcomes of the requests made from `since` to `end`."""

    since: float
    end: float = math.inf
    started: int = 0
    returned: int = 0
    refused: int = 0


class Pace:
    """When requests may be made, from the outcomes of earlier ones; times are seconds of a monotonic clock.

    Until the first refusal (429) there is no limit. Then requests are counted by epochs, each with one rate: one with
    refusals is followed by a rate a little above what was accepted in it, one without by a higher rate. If fewer are
    accepted as fewer are made, refusals do not depend on the rate, which is then higher than before. After eight
    failures in a row, refusals or others, single requests are made until one is answered, at most five seconds apart or
    as far as the server asks; then the rate is what it was, or half of it if the server failed in its first epoch.
    """

    _turned: float
    _next: float
    _in_a_row: int
    _growth: float
    _fastest: tuple[float, float]
    """Requests made and accepted a second in the fastest recent epoch."""
    _epoch: _Epoch

    def __init__(self) -> None:
        self.rate: float | None = None
        self.probing = False
        self._spacing = PROBES
        self._turn(0.0)

    def start_in(self, now: float) -> float:
        """Return 0 if a request may be made now, which counts it, or in how many seconds to ask again."""
        if self._next > now:
            return self._next - now
        epoch = self._epoch
        if self.probing:
            self._next = now + self._spacing
            self._spacing = min(self._spacing * WIDER, RAREST)
        elif self.rate is not None:
            least = EPOCH_SECONDS if epoch.started >= EPOCH_REQUESTS else LONGEST_EPOCH
            if epoch.started and now - epoch.since >= least:
                epoch.end = min(epoch.end, now)
            epoch.started += now < epoch.end
            self._next = max(self._next, now - LATE) + 1 / self.rate
        return 0.0

    def came_back(
        self,
        now: float,
        asked: float,
        outcome: Literal["answered", "refused", "failed"],
        delay: float = 0.0,
    ) -> None:
        """Count the outcome of a request made at `asked`; `delay` is the server's `Retry-After` in seconds."""
        if asked < self._turned:
            return
        self._in_a_row = 0 if outcome == "answered" else self._in_a_row + 1
        epoch = self._epoch
        if epoch.since <= asked < epoch.end:
            epoch.returned += 1
            epoch.refused += outcome == "refused"
        if self.probing:
            self._next = max(self._next, now + delay)
            if outcome == "answered":
                self.probing = False
                self._turn(now)
        elif self._in_a_row >= FAILURES:
            if self.rate is not None and epoch.since == self._turned:
                self.rate = max(self.rate / 2, SLOWEST)
            self.probing, self._spacing = True, PROBES
            self._turn(now + max(delay, PROBES))
        elif outcome == "refused" and self.rate is None:
            self.rate = FIRST_RATE
            self._turn(now)
        elif (
            epoch.end < math.inf
            and epoch.returned >= RETURNED * epoch.started
            and self.rate is not None
        ):
            self.rate = max(self._followed(epoch, self.rate), SLOWEST)
            self._begin(now)

    def _followed(self, epoch: _Epoch, rate: float) -> float:
        """The rate after an epoch.

        With a real limit the accepted rate stays as it was if fewer requests are made. If requests are refused at
        random it falls in proportion. The square root of that proportion lies halfway between the two on a logarithmic
        scale.
        """
        seconds = epoch.end - epoch.since
        asked, accepted = epoch.started / seconds, (epoch.started - epoch.refused) / seconds
        if not epoch.refused:
            growth, self._growth = self._growth, min(1 + 2 * (self._growth - 1), FASTEST)
            return min(rate, asked) * growth
        before, accepted_before = self._fastest
        is_slower = asked < SLOWED * before
        if is_slower and accepted < accepted_before * math.sqrt(asked / before):
            self._fastest = (0.0, 0.0)
            return FASTEST * before
        if is_slower or asked >= before:
            self._fastest = (asked, accepted)
        self._growth = FASTER
        return ABOVE * accepted

    def _turn(self, start: float) -> None:
        """Begin anew; outcomes of requests that were made before no longer count."""
        self._turned, self._in_a_row, self._growth, self._fastest = start, 0, FASTEST, (0.0, 0.0)
        self._begin(start)

    def _begin(self, start: float) -> None:
        self._next = start
        self._epoch = _Epoch(start)
