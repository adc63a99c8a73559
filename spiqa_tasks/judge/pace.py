"""How fast a judge's server is asked: as fast as it likes, near the rate that it allows, or one by one. Pure."""

from __future__ import annotations

import math
from dataclasses import dataclass
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
SLOWED = 0.7
"""The share of the fastest epoch's rate at which it shows whether asking more slowly is of any use."""
FAILURES = 8
"""So many failures in a row, and the server is asked one by one."""
PROBES, WIDER, RAREST = 0.5, 1.5, 5.0
"""Seconds between the first two such requests, the growth of that time, and the longest one."""
LATE = 0.02
"""Seconds that a request may be late without slowing the next one down."""

Outcome = Literal["answered", "refused", "failed"]


@dataclass(slots=True)
class _Epoch:
    """A time with one rate: its ticket and beginning, what became of its requests, its seconds once it has ended."""

    ticket: int
    since: float
    started: int = 0
    returned: int = 0
    refused: int = 0
    lasted: float | None = None


class Pace:
    """When requests may be made, from what became of the last ones; times are seconds of a clock that never goes back.

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
    """How many requests a second were made, and accepted, in the fastest epoch of late."""

    def __init__(self) -> None:
        self.rate: float | None = None
        self.probing = False
        self.ticket = 0
        """What the outcome of a request that is made now is reported with."""
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
        """Count what became of a request; `delay` is how many seconds of patience the server asked for."""
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
        """End the epoch where it is long enough; requests until the next one count in none."""
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
        """Whether no greater share is accepted now that requests are fewer; both are numbers a second."""
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
        """Begin anew: what is still on its way says nothing about the server as it is from now on."""
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
