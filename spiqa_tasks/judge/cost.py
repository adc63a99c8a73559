"""What judging takes: an estimate before it, a summary after it, and list prices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from spiqa_tasks.printable import counted


def list_price(model: str, url: str, prompt_tokens: int, completion_tokens: int) -> float | None:
    """Return the list price in US dollars, or None for a self-hosted or an unknown model.

    Prices are those of `genai-prices`, which needs Python 3.11.
    """
    try:
        # a large table: imported when a price is asked for
        from genai_prices import Usage, calc_price
    except ImportError:
        return None

    usage = Usage(input_tokens=prompt_tokens, output_tokens=completion_tokens)
    try:
        price = calc_price(usage, model, provider_api_url=url)
    except LookupError:
        return None
    return float(price.total_price)


@dataclass(frozen=True, slots=True)
class JudgingEstimate:
    """Requests to make, stored verdicts, tokens, and US dollars (None: price unknown)."""

    calls: int
    cached: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None


@dataclass(frozen=True, slots=True)
class Summary:
    """Counts of one process: answered requests, verdicts from the cache, failures.

    Attributes:
        seconds: wall time of waiting for verdicts.
        prompt_tokens, completion_tokens: of requests answered now.
        cost: in US dollars; None if the price is not known.
        models: the names that the server reported.
        cut, suspicious: judged answers with that flag.
        unstored: verdicts that could not be written into the cache.
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
        parts = [
            f"Judge {self.judge}: {self.judged} judged",
            f"{self.cached} from the cache",
            f"{self.failed} failed",
            f"{self.seconds:.1f} s",
            f"{self.prompt_tokens + self.completion_tokens:,} tokens",
        ]
        if self.cost is not None:
            parts.append(f"about ${self.cost:.2f}")
        if self.cut:
            parts.append(f"{counted(self.cut, 'long answer')} shown without the middle")
        if self.suspicious:
            suspicious = counted(self.suspicious, "suspicious answer")
            parts.append(f"{suspicious} (may speak to the judge)")
        return ", ".join(parts)


_COUNTS = ("judged", "cached", "failed", "prompt_tokens", "completion_tokens")
_FLAGS = ("cut", "suspicious", "unstored")


def combined(summaries: Sequence[Summary]) -> Summary:
    """Return the summary of processes (at least one) that asked one judge at the same time."""
    totals = {
        name: sum(getattr(summary, name) for summary in summaries) for name in _COUNTS + _FLAGS
    }
    costs = [summary.cost for summary in summaries]
    known = [cost for cost in costs if cost is not None]
    models = {model for summary in summaries for model in summary.models}

    return replace(
        summaries[0],
        seconds=max(summary.seconds for summary in summaries),
        cost=sum(known) if len(known) == len(costs) else None,
        models=tuple(sorted(models)),
        **totals,
    )
