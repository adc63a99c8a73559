"""How fast a judge's server is asked: as fast as it likes until it refuses, then near the rate that it allows. Pure."""

from __future__ import annotations

WINDOW_SECONDS = 1.0
WINDOW_OUTCOMES = 8
ABOVE = 1.05
"""How much faster than it answered a refusing server is asked: its limit is used up, and few requests are refused."""
FASTER = 1.1
"""How much faster a server is asked that refused nothing for a window."""


class Pace:
    """Requests per second, from what became of the last ones; times are seconds of any clock that only goes forward.

    Until the first refusal (429) there is no limit. Then answers and refusals are counted over windows of a second or
    longer. A window with refusals sets the rate to a little more than what was answered in it; one without raises it;
    one with refusals alone halves it and stops for as long as the server asked.
    """

    def __init__(self) -> None:
        self.rate: float | None = None
        self._next = 0.0
        self._resume = 0.0
        self._since: float | None = None
        self._answered = 0
        self._refused = 0

    def start_in(self, now: float) -> float:
        """Return in how many seconds the next request may be made; it counts as made then."""
        if self._since is None:
            self._since = now
        start = max(now, self._resume, self._next)
        if self.rate is not None:
            self._next = start + 1 / self.rate
        return start - now

    def stopped_for(self, now: float) -> float:
        """Return how many seconds are left in which nothing may be asked."""
        return max(0.0, self._resume - now)

    def answered(self, now: float) -> None:
        """Count an answer."""
        self._answered += 1
        if self.rate is not None:
            self._adapt(now, 0.0)

    def refused(self, now: float, delay: float) -> None:
        """Count a refusal, after which the server asks for `delay` seconds of patience."""
        self._refused += 1
        self._adapt(now, delay)

    def _adapt(self, now: float, delay: float) -> None:
        seconds = now - (self._since if self._since is not None else now)
        is_over = seconds >= WINDOW_SECONDS and self._answered + self._refused >= WINDOW_OUTCOMES
        is_first = self.rate is None and self._refused >= WINDOW_OUTCOMES
        if not is_over and not is_first:
            return
        achieved = self._answered / max(seconds, 1e-3)
        if self._refused and self._answered:
            self.rate = achieved * ABOVE
        elif self._refused:
            self.rate = (self.rate or WINDOW_OUTCOMES) / 2
            self._resume = now + delay
        elif self.rate is not None:
            self.rate *= FASTER
        self._next = min(self._next, now + 1 / self.rate) if self.rate else self._next
        self._since, self._answered, self._refused = max(now, self._resume), 0, 0
