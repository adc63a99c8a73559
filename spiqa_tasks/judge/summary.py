"""What judging took, or would take: requests, tokens, time and price."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from spiqa_tasks.judge.types import JudgeRequest, Verdict
from spiqa_tasks.printable import counted

_COUNTS = ("judged", "cached", "failed", "prompt_tokens", "completion_tokens", "cut", "suspicious")


@dataclass(frozen=True, slots=True)
class JudgingEstimate:
    """What judging would take: requests to make, verdicts in the cache, tokens, US dollars (None: price unknown)."""

    calls: int
    cached: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None


@dataclass(frozen=True, slots=True)
class Summary:
    """Counts since the engine started: answered requests, verdicts from the cache, failures.

    `seconds` is the wall time in which verdicts were awaited, tokens are those of answered requests, `cost` is in
    US dollars (None where the price is not known), `models` are the names that the server reported, `cut` is how many
    of the judged answers were too long to be shown whole, `suspicious` how many may speak to the judge, `unstored` how
    many verdicts are in no cache, though one is there.
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
    suspicious: int = 0
    unstored: int = 0

    def line(self) -> str:
        """Return the summary for people."""
        tokens = f"{self.prompt_tokens + self.completion_tokens:,} tokens"
        price = f", about ${self.cost:.2f}" if self.cost is not None else ""
        cut = f", {counted(self.cut, 'long answer')} shown without the middle" if self.cut else ""
        cut += f", {counted(self.suspicious, 'suspicious answer')} (may speak to the judge)" if self.suspicious else ""
        return (
            f"Judge {self.judge}: {self.judged} judged, {self.cached} from the cache, {self.failed} failed, "
            f"{self.seconds:.1f} s, {tokens}{price}{cut}"
        )


def combined(summaries: Sequence[Summary]) -> Summary:
    """Return the summary of several processes that asked one judge at the same time, at least one."""
    costs = [each.cost for each in summaries if each.cost is not None]
    return Summary(
        summaries[0].judge,
        seconds=max(each.seconds for each in summaries),
        cost=sum(costs) if len(costs) == len(summaries) else None,
        models=tuple(sorted({model for each in summaries for model in each.models})),
        **{name: sum(getattr(each, name) for each in summaries) for name in (*_COUNTS, "unstored")},
    )


class Tally:
    """Counts verdicts as they come; the caller serialises the calls."""

    def __init__(self) -> None:
        self._counts = dict.fromkeys(_COUNTS, 0)
        self._models: set[str] = set()
        self._open = 0
        self._busy = 0.0
        self._since = 0.0

    def opened(self) -> None:
        """Note that one more verdict is awaited."""
        if self._open == 0:
            self._since = time.monotonic()
        self._open += 1

    def closed(self, verdict: Verdict, request: JudgeRequest, *, counted: bool = True) -> None:
        """Count an awaited verdict; of one that is not counted (a test question) only the model's name is kept."""
        self._open -= 1
        if self._open == 0:
            self._busy += time.monotonic() - self._since
        if verdict.model:
            self._models.add(verdict.model)
        if not counted:
            return
        outcome = "failed" if not verdict.ok else "cached" if verdict.cached else "judged"
        self._counts[outcome] += 1
        self._counts["cut"] += request.cut and verdict.ok
        self._counts["suspicious"] += request.suspicious and verdict.ok
        if not verdict.cached:
            self._counts["prompt_tokens"] += verdict.prompt_tokens
            self._counts["completion_tokens"] += verdict.completion_tokens

    def summary(self, judge: str, price: Callable[[int, int], float | None]) -> Summary:
        """Return the counts so far; `price` returns the US dollars for prompt and completion tokens."""
        seconds = self._busy + (time.monotonic() - self._since if self._open else 0.0)
        cost = price(self._counts["prompt_tokens"], self._counts["completion_tokens"])
        return Summary(judge, seconds=seconds, cost=cost, models=tuple(sorted(self._models)), **self._counts)
