"""How fast a judge's server is asked: as fast as it likes until it refuses, then near the rate that it allows. Pure."""

from __future__ import annotations

FIRST_RATE = 50.0
"""Requests a second after the first refusal, until more is known."""
EPOCH_SECONDS = 0.5
EPOCH_REQUESTS = 8
ABOVE = 1.08
"""How much more than it accepted a refusing server is asked: its limit is used up, and few requests are refused."""
REFUSED_SHARE = 0.8
"""Above it an epoch counts as one of refusals alone: some requests are still on their way, and may be refused too."""
SEARCH, FASTER = 1.5, 1.1
"""How much faster a server is asked that refused nothing for an epoch: before its limit was met, and after."""
LONGEST_DELAY = 1.0
"""Seconds that one refused request waits without a `Retry-After`: the pace holds the others back."""


class Pace:
    """Requests per second, from what became of the last ones; times are seconds of any clock that only goes forward.

    Until the first refusal (429) there is no limit. Then requests are counted by epochs of half a second or longer,
    each with one rate. One with refusals is followed by a rate a little above what was accepted in it, one without by
    a higher rate, and one of hardly anything but refusals by half the rate and a stop for as long as the server asked.
    """

    def __init__(self) -> None:
        self.rate: float | None = None
        self.epoch = 0
        self._growth = SEARCH
        self._next = 0.0
        self._resume = 0.0
        self._since = 0.0
        self._started = 0
        self._refused = 0
        self._delay = 0.0

    def start_in(self, now: float) -> float:
        """Return in how many seconds the next request may be made; it counts as sent then, in `epoch`."""
        start = max(now, self._resume, self._next)
        if self.rate is None:
            return start - now
        if start - self._since >= EPOCH_SECONDS and self._started >= EPOCH_REQUESTS:
            self._begin(start, self._following(start))
            start = max(start, self._resume)
        self._started += 1
        self._next = start + 1 / self.rate
        return start - now

    def stopped_for(self, now: float) -> float:
        """Return how many seconds are left in which nothing may be sent."""
        return max(0.0, self._resume - now)

    def refused(self, now: float, delay: float, epoch: int) -> None:
        """Count a refusal of a request sent in `epoch`, with the `delay` in seconds before it may be repeated."""
        if self.rate is None:
            self._begin(now, FIRST_RATE)
        elif epoch == self.epoch:
            self._refused += 1
            self._delay = delay

    def _following(self, now: float) -> float:
        """The rate after the epoch that ends now."""
        rate = self.rate or FIRST_RATE
        if not self._refused:
            return rate * self._growth
        self._growth = FASTER
        if self._refused > REFUSED_SHARE * self._started:
            self._resume = now + self._delay
            return rate / 2
        return ABOVE * (self._started - self._refused) / (now - self._since)

    def _begin(self, now: float, rate: float) -> None:
        self.rate = rate
        self.epoch += 1
        self._since = max(now, self._resume)
        self._next = self._since
        self._started = self._refused = 0
