"""What judging took, in numbers and in one line."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from spiqa_tasks.judge.types import Verdict


@dataclass(frozen=True, slots=True)
class Summary:
    """Counts since the engine started: answered requests, verdicts from the cache, failures.

    `seconds` is the wall time in which verdicts were awaited, tokens are those of answered requests, `cost` is in
    US dollars (None where the price is not known), `models` the names the server gave, `cut` how many of the judged
    answers were too long to be shown whole.
    """

    judge: str
    judged: int
    cached: int
    failed: int
    seconds: float
    prompt_tokens: int
    completion_tokens: int
    cost: float | None
    models: tuple[str, ...]
    cut: int = 0

    def line(self) -> str:
        """The summary for people."""
        tokens = f"{self.prompt_tokens + self.completion_tokens:,} tokens"
        price = f", about ${self.cost:.2f}" if self.cost is not None else ""
        cut = f", {self.cut} long answers shown without their middle" if self.cut else ""
        return (
            f"Judge {self.judge}: {self.judged} judged, {self.cached} from the cache, {self.failed} failed, "
            f"{self.seconds:.1f} s, {tokens}{price}{cut}"
        )


def combined(summaries: Sequence[Summary]) -> Summary:
    """Return the summary of several processes that asked one judge at the same time; there is at least one."""
    costs = [each.cost for each in summaries]
    known = [cost for cost in costs if cost is not None]

    return Summary(
        judge=summaries[0].judge,
        judged=sum(each.judged for each in summaries),
        cached=sum(each.cached for each in summaries),
        failed=sum(each.failed for each in summaries),
        seconds=max(each.seconds for each in summaries),
        prompt_tokens=sum(each.prompt_tokens for each in summaries),
        completion_tokens=sum(each.completion_tokens for each in summaries),
        cost=sum(known) if len(known) == len(costs) else None,
        models=tuple(sorted({model for each in summaries for model in each.models})),
        cut=sum(each.cut for each in summaries),
    )


@dataclass(slots=True)
class Tally:
    """Counts verdicts as they come; the caller serialises the calls."""

    judged: int = 0
    cached: int = 0
    failed: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cut: int = 0
    models: set[str] = field(default_factory=set)
    _open: int = 0
    _busy: float = 0.0
    _since: float = 0.0

    def opened(self) -> None:
        """A verdict is awaited from now on."""
        if self._open == 0:
            self._since = time.monotonic()
        self._open += 1

    def closed(self, verdict: Verdict, *, counted: bool = True, cut: bool = False) -> None:
        """An awaited verdict is there; one that is not counted (a test question) only tells the model's name."""
        self._open -= 1
        if self._open == 0:
            self._busy += time.monotonic() - self._since
        if verdict.model:
            self.models.add(verdict.model)
        if not counted:
            return
        self.failed += not verdict.ok
        self.cached += verdict.cached
        self.judged += verdict.ok and not verdict.cached
        self.cut += cut and verdict.ok
        if not verdict.cached:
            self.prompt_tokens += verdict.prompt_tokens
            self.completion_tokens += verdict.completion_tokens

    def summary(self, judge: str, price: Callable[[int, int], float | None]) -> Summary:
        """Return the counts so far; `price` gives the US dollars for prompt and completion tokens."""
        seconds = self._busy + (time.monotonic() - self._since if self._open else 0.0)
        tokens = (self.prompt_tokens, self.completion_tokens)
        counts = (self.judged, self.cached, self.failed)
        return Summary(judge, *counts, seconds, *tokens, price(*tokens), tuple(sorted(self.models)), self.cut)
