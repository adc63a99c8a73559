"""How many requests to a judge are in flight. Pure."""

import math
import statistics
from dataclasses import dataclass, field

from spiqa_tasks.judge.types import JudgeConfig

# Requests at once in the beginning: a server that takes one at a time loses few of them.
FIRST = 8

# An answer that takes at most so many times as long as the quickest is about as quick: twice as
# many may be asked for.
SIMILAR_TIMES = 1.5

# Part of the timeout that a request may wait in a server's queue; longer, and it may be lost there.
IN_QUEUE = 0.25


@dataclass(slots=True)
class Slots:
    """How many requests may be in flight, from how long answers take.

    It begins with eight and doubles, up to `concurrency`, while the typical answer takes at most
    1.5 times as long as the quickest. If requests queue at the server for longer than a quarter of
    the timeout, it falls to as many as are answered in that time.
    """

    config: JudgeConfig
    limit: int = field(init=False)
    answers: int = 0
    slowest: float = 0.0
    _quickest: float = math.inf
    _lowest_median: float = math.inf
    _waits: list[float] = field(default_factory=list)
    _changed: float = 0.0

    def __post_init__(self) -> None:
        self.limit = min(FIRST, self.config.concurrency)

    def answered(self, now: float, asked_at: float) -> None:
        """Count an answer; after as many as may be in flight, double the limit or leave it."""
        seconds = now - asked_at
        self.answers += 1
        self.slowest = max(self.slowest, seconds)
        self._quickest = min(self._quickest, seconds)
        if asked_at < self._changed:  # it waited beside others than those that are in flight now
            return
        self._waits.append(seconds)
        if len(self._waits) < self.limit:
            return

        # the median, as answers of one server differ by more than 1.5 times by chance
        median = statistics.median_high(self._waits)
        is_first = math.isinf(self._lowest_median)
        reference = self._quickest if is_first else self._lowest_median
        self._lowest_median = min(self._lowest_median, median)

        limit = self.limit
        if median <= SIMILAR_TIMES * reference:
            limit = min(2 * limit, self.config.concurrency)
        self._change(limit, now)

    def shrink(self, now: float, asked_at: float, answers_before: int) -> bool:
        """Lower the limit if a request without an answer is in a queue; return whether it is.

        `answers_before` is the number of answers when it was made: without any since, the server
        is not slow but silent.
        """
        seconds, meanwhile = now - asked_at, self.answers - answers_before
        in_queue = IN_QUEUE * self.config.timeout
        if not meanwhile or seconds <= max(in_queue, SIMILAR_TIMES * self._quickest):
            return False

        answered_in_time = int(meanwhile / seconds * in_queue)
        self._change(max(1, min(self.limit, answered_in_time)), now)
        return True

    def _change(self, limit: int, now: float) -> None:
        """Set the limit, and forget the waits under the one before."""
        if limit != self.limit:
            self.limit, self._changed = limit, now
        self._waits.clear()
