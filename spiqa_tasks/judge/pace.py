"""How fast a judge's server is asked: as fast as it likes, near the rate that it allows, or one by one. Pure."""

from __future__ import annotations

from typing import Literal

FIRST_RATE, SLOWEST = 50.0, 1.0
"""Requests a second after the first refusal, until more is known, and at least."""
EPOCH_SECONDS, EPOCH_REQUESTS, LONGEST_EPOCH = 0.5, 8, 3.0
"""An epoch is at least so many seconds and requests, but no more than so many seconds."""
RETURNED = 0.9
"""The share of an epoch's requests that have to be back before the rate follows."""
ABOVE = 1.08
"""How much more than it accepted a refusing server is asked: its limit is used up, and few requests are refused."""
FASTER, FASTEST = 1.1, 1.5
"""How much faster a server is asked that refused nothing for an epoch: at first, and after several of them."""
FAILURES = 8
"""So many failures in a row, and the server is asked one by one."""
PROBES, WIDER, RAREST = 0.5, 1.5, 5.0
"""Seconds between the first two such requests, the growth of that time, and the longest one."""
LATE = 0.02
"""Seconds that a request may be late without slowing the next one down."""

Outcome = Literal["answered", "refused", "failed"]


class Pace:
    """When requests may be made, from what became of the last ones; times are seconds of a clock that only goes forward.

    Until the first refusal (429) there is no limit. Then requests are counted by epochs of half a second or longer,
    each with one rate: one with refusals is followed by a rate a little above what was accepted in it, one without by
    a higher rate. Eight failures in a row, refusals or others, and single requests are made, at most five seconds
    apart (or as far as the server asks), until one is answered; then the rate is what it was, or half of it where the
    server has failed again at once.
    """

    def __init__(self) -> None:
        self.rate: float | None = None
        self.probing = False
        self.ticket = 0
        """What the outcome of a request that is made now is reported with."""
        self._growth = FASTEST
        self._spacing = PROBES
        self._resumed = False
        self._turn(0.0)

    def start_in(self, now: float) -> float:
        """Return 0 where a request may be made now, which counts it, or in how many seconds to ask again."""
        if self._next > now:
            return self._next - now
        if self.probing:
            self._next = now + self._spacing
            self._spacing = min(self._spacing * WIDER, RAREST)
        elif self.rate is not None:
            self._end_epoch(now - self._since)
            self._started += self._lasted is None
            self._next = max(self._next, now - LATE) + 1 / self.rate
        return 0.0

    def came_back(self, now: float, ticket: int, outcome: Outcome, delay: float = 0.0) -> None:
        """Count what became of a request; `delay` is how many seconds of patience the server asked for."""
        if ticket < self._first:
            return
        self._in_a_row = 0 if outcome == "answered" else self._in_a_row + 1
        if ticket == self._epoch:
            self._returned += 1
            self._refused += outcome == "refused"
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
        elif self._lasted is not None and self._returned >= RETURNED * self._started:
            self._follow(self._lasted)
            self._begin(now)

    def _end_epoch(self, seconds: float) -> None:
        least = EPOCH_SECONDS if self._started >= EPOCH_REQUESTS else LONGEST_EPOCH
        if self._lasted is None and self._started and seconds >= least:
            self._lasted = seconds
            self.ticket += 1

    def _probe(self, now: float, delay: float) -> None:
        if self.rate is not None and self._resumed:
            self.rate = max(self.rate / 2, SLOWEST)
        self.probing, self._spacing = True, PROBES
        self._turn(now + max(delay, PROBES))

    def _follow(self, seconds: float) -> None:
        """Set the rate by the epoch of so many seconds that has ended."""
        assert self.rate is not None
        if self._refused:
            self.rate = max(ABOVE * (self._started - self._refused) / seconds, SLOWEST)
            self._growth = FASTER
        else:
            self.rate = max(min(self.rate, self._started / seconds) * self._growth, SLOWEST)
            self._growth = min(1 + 2 * (self._growth - 1), FASTEST)
        self._resumed = False

    def _turn(self, start: float) -> None:
        """Begin anew: what is still on its way says nothing about the server as it is from now on."""
        self._first = self.ticket + 1
        self._in_a_row = 0
        self._resumed, self._growth = True, FASTEST
        self._begin(start)

    def _begin(self, start: float) -> None:
        """Begin an epoch."""
        self.ticket = self._epoch = self.ticket + 1
        self._since = self._next = start
        self._lasted: float | None = None
        self._started = self._returned = self._refused = 0
