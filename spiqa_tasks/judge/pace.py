"""How fast a judge is asked: no limit, near its server's rate, or single requests. Pure.

The rate is found in epochs: for 0.5 to 3 seconds requests are sent at one rate, and the share that
the server refused (429) decides on the rate of the next epoch.
"""

import math
from dataclasses import dataclass, field
from typing import Literal

# Requests a second after the first refusal: within a factor of 10 of common limits (300 to 30,000 a
# minute), which a few epochs make up for.
FIRST_RATE = 50.0

# Lowest rate: below 1 a second an epoch would have too few requests to learn from.
SLOWEST = 1.0

# Least seconds and requests of an epoch: an eighth is the finest share of refusals worth following.
EPOCH_SECONDS = 0.5
EPOCH_REQUESTS = 8

# Most seconds of an epoch: a slow server must not hold the rate for longer.
LONGEST_EPOCH = 3.0

# Fraction of an epoch's requests that must be back first: the last ones may time out.
RETURNED = 0.9

# Factor on the accepted rate if some requests were refused: the limit stays used up. Closer to it
# more are refused, not fewer, as the rate grows by more after an epoch without refusals.
ABOVE = 1.1

# Growth of the rate after an epoch without refusals: first, near a limit that has shown, and at
# most.
FASTER = 1.1
FASTEST = 1.5

# Fraction of an earlier epoch's rate below which it shows whether slowing down lowers refusals.
SLOWED = 0.7

# Factor on the rate for one epoch that shows whether refusals depend on the rate.
TRIAL = 2.0

# Epochs after a faster one that was of no use until the next, twice as many each time: where the
# limit is real, a trial costs as many refusals as it asks above the limit.
EPOCHS_TO_TRIAL = 16

# Failures in a row before single requests: with half of all failing by chance, once in 256.
FAILURES = 8

# Seconds between the first two single requests, growth of that time, and most seconds, so that the
# end of an outage is seen within five.
PROBE_SECONDS = 0.5
WIDER = 1.5
RAREST = 5.0

# Seconds a request may be late without delaying the next: a busy loop lowers no rate.
LATE = 0.02

# `refused`: the server asked for fewer requests; `failed`: any other end without an answer.
Outcome = Literal["answered", "refused", "failed"]


@dataclass(slots=True)
class _Epoch:
    """Counts of the requests that were sent at one rate, from `since` to `end` (seconds)."""

    since: float
    end: float = math.inf
    started: int = 0
    returned: int = 0
    refused: int = 0

    @property
    def is_back(self) -> bool:
        """Whether it has ended, and enough of its requests have an outcome."""
        return self.end < math.inf and self.returned >= RETURNED * self.started


@dataclass(slots=True)
class _RateSearch:
    """Search for the highest rate that a server accepts, an epoch at a time; see `Pace`.

    Attributes:
        asked, accepted: requests a second, sent and not refused, of an earlier epoch to compare
            with; 0 without one.
        growth: factor on the rate if the next epoch has no refusals.
        is_trial: whether the last epoch was a trial, at twice the rate, to see whether refusals
            depend on the rate.
        epochs_to_trial: epochs with refusals until the next trial.
        pause: `epochs_to_trial` after the next trial.
    """

    asked: float = 0.0
    accepted: float = 0.0
    growth: float = FASTER
    is_trial: bool = False
    epochs_to_trial: int = 0
    pause: int = EPOCHS_TO_TRIAL

    def next_rate(self, epoch: _Epoch, rate: float) -> float:
        """Return the rate of the epoch after this one, which was asked at `rate`."""
        seconds = epoch.end - epoch.since
        asked = epoch.started / seconds
        accepted = (epoch.started - epoch.refused) / seconds
        if not epoch.refused:
            faster = self.growth * min(rate, asked)
            self.growth = min(1 + 2 * (self.growth - 1), FASTEST)
            return faster

        self.growth = FASTER
        change = asked / self.asked if self.asked else 1.0
        # at a real limit the accepted rate stays as it was, if requests are refused at random it
        # changes in proportion; the square root lies halfway between, on a logarithmic scale
        halfway = self.accepted * math.sqrt(change)
        if self.is_trial:
            return self._after_trial(asked, accepted, is_free=accepted > halfway)

        is_slower = change < SLOWED
        if is_slower and accepted < halfway:
            # slowing down lowered what is accepted, not the refusals: back to the earlier rate
            faster = FASTEST * self.asked
            self.asked, self.accepted = 0.0, 0.0
            return faster

        # an epoch that is only a little slower shows nothing: the earlier one stays to compare with
        if is_slower or change >= 1:
            self.asked, self.accepted = asked, accepted
        return self._near_limit(asked, accepted)

    def _after_trial(self, asked: float, accepted: float, *, is_free: bool) -> float:
        """Return a still higher rate if requests are refused whatever the rate."""
        self.is_trial = is_free
        if not is_free:
            return ABOVE * accepted
        self.asked, self.accepted = asked, accepted
        return TRIAL * asked

    def _near_limit(self, asked: float, accepted: float) -> float:
        """Return a rate a little above the limit or, once in a while, that of a trial."""
        self.epochs_to_trial = max(0, self.epochs_to_trial - 1)
        # half of all refused is far above any limit: first go down to it
        self.is_trial = self.epochs_to_trial == 0 and accepted > asked / 2
        if not self.is_trial:
            return ABOVE * accepted
        self.epochs_to_trial = self.pause
        self.pause *= 2
        return TRIAL * asked


@dataclass(slots=True)
class Pace:
    """When requests may be made, from the outcomes of earlier ones; times are monotonic seconds.

    Until the first refusal (429) there is no limit; then requests are counted by epochs of one rate
    each, and the next rate is a little above what was accepted, or higher where nothing was refused
    or refusals do not depend on the rate. After eight failures in a row of any kind, single
    requests are made until one is answered; then the rate is what it was, or half of it if the
    server failed in its first epoch.
    """

    rate: float | None = None
    _seconds_between_probes: float | None = None
    _next: float = 0.0
    _failures: int = 0
    _since: float = 0.0
    _epoch: _Epoch = field(default_factory=lambda: _Epoch(0.0))
    _search: _RateSearch = field(default_factory=_RateSearch)

    @property
    def is_probing(self) -> bool:
        """Whether single requests are made, as the server answers nothing."""
        return self._seconds_between_probes is not None

    def take_turn(self, now: float) -> float:
        """Count a request and return 0 if it may be made now, or the seconds until it may."""
        if self._next > now:
            return self._next - now
        if self._seconds_between_probes is not None:
            self._next = now + self._seconds_between_probes
            self._seconds_between_probes = min(self._seconds_between_probes * WIDER, RAREST)
        elif self.rate is not None:
            self._count_started(now)
            self._next = max(self._next, now - LATE) + 1 / self.rate
        return 0.0

    def came_back(self, now: float, asked_at: float, outcome: Outcome, delay: float = 0.0) -> None:
        """Count the outcome of a request made at `asked_at`; `delay` is its `Retry-After`."""
        if asked_at < self._since:
            return
        self._failures = 0 if outcome == "answered" else self._failures + 1
        self._count_returned(asked_at, outcome)

        if self.is_probing:
            self._next = max(self._next, now + delay)
            if outcome == "answered":
                self._seconds_between_probes = None
                self._begin_anew(now)
        elif self._failures >= FAILURES:
            self._begin_probing(now, delay)
        elif self.rate is None:
            if outcome == "refused":
                self.rate = FIRST_RATE
                self._begin_anew(now)
        elif self._epoch.is_back:
            self.rate = max(self._search.next_rate(self._epoch, self.rate), SLOWEST)
            self._begin_epoch(now)

    def _count_started(self, now: float) -> None:
        """Count a request to the epoch, or end it: its time is over, which is longer with few."""
        epoch = self._epoch
        has_enough = epoch.started >= EPOCH_REQUESTS
        long_enough = EPOCH_SECONDS if has_enough else LONGEST_EPOCH
        if epoch.started and now - epoch.since >= long_enough:
            # it may have ended before, and wait for its last requests to come back
            epoch.end = min(epoch.end, now)
        if now < epoch.end:
            epoch.started += 1

    def _count_returned(self, asked_at: float, outcome: Outcome) -> None:
        """Count an outcome, if its request was sent in the current epoch."""
        epoch = self._epoch
        if epoch.since <= asked_at < epoch.end:
            epoch.returned += 1
            epoch.refused += outcome == "refused"

    def _begin_probing(self, now: float, delay: float) -> None:
        """Send single requests from now on; `delay` is the seconds that the server asked for."""
        is_first_epoch = self._epoch.since == self._since
        if self.rate is not None and is_first_epoch:
            self.rate = max(self.rate / 2, SLOWEST)
        self._seconds_between_probes = PROBE_SECONDS
        self._begin_anew(now + max(delay, PROBE_SECONDS))

    def _begin_anew(self, start: float) -> None:
        """Begin the search again: outcomes of requests sent before `start` count no longer."""
        self._since, self._failures = start, 0
        search = self._search
        self._search = _RateSearch(epochs_to_trial=search.epochs_to_trial, pause=search.pause)
        self._begin_epoch(start)

    def _begin_epoch(self, start: float) -> None:
        """Begin to count anew from a time, at which the next request may be sent."""
        self._next = start
        self._epoch = _Epoch(start)
