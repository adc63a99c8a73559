"""Rate at which a judge's server is asked: unlimited, near the rate that it accepts, or single requests. Pure."""

from __future__ import annotations

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
"""Factor on the accepted rate where some requests were refused: the limit stays used up, and about 8% are refused."""
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

Outcome = Literal["answered", "refused", "failed"]


@dataclass(slots=True)
class _Epoch:
    """A stretch of time with one rate, and the outcomes of its requests; `lasted` is None until it has ended."""

    ticket: int
    since: float
    started: int = 0
    returned: int = 0
    refused: int = 0
    lasted: float | None = None


class Pace:
    """When requests may be made, from the outcomes of earlier ones; times are seconds of a monotonic clock.

    Until the first refusal (429) there is no limit. Then requests are counted by epochs of half a second or longer,
    each with one rate: one with refusals is followed by a rate a little above what was accepted in it, one without by
    a higher rate. Where fewer are accepted as fewer are made, refusals are no matter of the rate, which is then higher
    than before. Eight failures in a row, refusals or others, and single requests are made, at most five seconds apart
    (or as far as the server asks), until one is answered; then the rate is what it was, or half of it where the server
    has failed again at once.
    """

    _next: float
    _in_a_row: int
    _growth: float
    _fastest: tuple[float, float]
    """Requests made and accepted a second in the fastest recent epoch."""

    def __init__(self) -> None:
        self.rate: float | None = None
        self.probing = False
        self.ticket = 0
        """Number of the epoch that a request made now belongs to; its outcome is reported with it."""
        self._spacing = PROBES
        self._turn(0.0)

    def start_in(self, now: float) -> float:
        """Return 0 where a request may be made now, which counts it, or in how many seconds to ask again."""
        if self._next > now:
            return self._next - now
        if self.probing:
            self._next = now + self._spacing
            self._spacing = min(self._spacing * WIDER, RAREST)
        elif self.rate is not None:
            self._end_epoch(now)
            self._epoch.started += self._epoch.lasted is None
            self._next = max(self._next, now - LATE) + 1 / self.rate
        return 0.0

    def came_back(self, now: float, ticket: int, outcome: Outcome, delay: float = 0.0) -> None:
        """Count the outcome of a request; `delay` is the server's `Retry-After` in seconds."""
        if ticket < self._first:
            return
        self._in_a_row = 0 if outcome == "answered" else self._in_a_row + 1
        epoch = self._epoch
        if ticket == epoch.ticket:
            epoch.returned += 1
            epoch.refused += outcome == "refused"
        if self.probing:
            self._next = max(self._next, now + delay)
            if outcome == "answered":
                self.probing = False
                self._turn(now)
        elif self._in_a_row >= FAILURES:
            self._probe(now, delay)
        elif outcome == "refused" and self.rate is None:
            self.rate = FIRST_RATE
            self._turn(now)
        elif epoch.lasted is not None and epoch.returned >= RETURNED * epoch.started:
            self._follow(epoch, epoch.lasted)
            self._begin(now)

    def _end_epoch(self, now: float) -> None:
        """End the epoch if it is long enough; requests made until the next one begins belong to no epoch."""
        epoch, seconds = self._epoch, now - self._epoch.since
        least = EPOCH_SECONDS if epoch.started >= EPOCH_REQUESTS else LONGEST_EPOCH
        if epoch.lasted is None and epoch.started and seconds >= least:
            epoch.lasted = seconds
            self.ticket += 1

    def _probe(self, now: float, delay: float) -> None:
        if self.rate is not None and self._resumed:
            self.rate = max(self.rate / 2, SLOWEST)
        self.probing, self._spacing = True, PROBES
        self._turn(now + max(delay, PROBES))

    def _follow(self, epoch: _Epoch, seconds: float) -> None:
        assert self.rate is not None
        asked, accepted = epoch.started / seconds, (epoch.started - epoch.refused) / seconds
        if not epoch.refused:
            self.rate = max(min(self.rate, asked) * self._growth, SLOWEST)
            self._growth = min(1 + 2 * (self._growth - 1), FASTEST)
        elif self._is_refused_anyway(asked, accepted):
            self.rate = max(FASTEST * self._fastest[0], SLOWEST)
            self._fastest = (0.0, 0.0)
        else:
            self.rate = max(ABOVE * accepted, SLOWEST)
            self._growth = FASTER
        self._resumed = False

    def _is_refused_anyway(self, asked: float, accepted: float) -> bool:
        """Return whether slowing down does not help; arguments are requests a second.

        With a real limit the accepted rate stays as it was. If requests are refused at random it falls in proportion
        to the asked rate. The square root of that proportion lies halfway between the two on a logarithmic scale.
        """
        before, accepted_before = self._fastest
        if asked >= before:
            self._fastest = (asked, accepted)
        if asked >= SLOWED * before:
            return False
        if accepted < accepted_before * math.sqrt(asked / before):
            return True
        self._fastest = (asked, accepted)
        return False

    def _turn(self, start: float) -> None:
        """Begin anew; outcomes of requests that are still on their way no longer count."""
        self._first = self.ticket + 1
        self._in_a_row = 0
        self._resumed = True
        self._growth = FASTEST
        self._fastest = (0.0, 0.0)
        self._begin(start)

    def _begin(self, start: float) -> None:
        self.ticket += 1
        self._next = start
        self._epoch = _Epoch(self.ticket, start)
