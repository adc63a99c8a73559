"""Cost of judging, actual or estimated: requests, tokens, time and price."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.types import JudgeRequest, Verdict
from spiqa_tasks.printable import counted

_COUNTS = ("judged", "cached", "failed", "prompt_tokens", "completion_tokens", "cut", "suspicious", "unstored")


@dataclass(frozen=True, slots=True)
class JudgingEstimate:
    """Estimated cost: requests to make, stored verdicts, tokens, US dollars (None: price unknown)."""

    calls: int
    cached: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None


@dataclass(frozen=True, slots=True)
class Summary:
    """Counts of one process: answered requests, verdicts from the cache, failures.

    `seconds` is the wall time spent waiting for verdicts. Tokens are those of requests answered now. `cost` is in US
    dollars (None: price unknown). `models` are the names that the server reported. `cut` and `suspicious` count judged
    answers with that flag, `unstored` verdicts that could not be written into the cache.
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
        **{name: sum(getattr(each, name) for each in summaries) for name in _COUNTS},
    )


def summary_of(
    config: JudgeConfig,
    verdicts: Mapping[JudgeRequest, Verdict],
    models: Collection[str],
    seconds: float,
    unstored: int,
) -> Summary:
    """Return the summary of a judge's verdicts by their requests; `models` are names it reported elsewhere."""
    answered = {request: verdict for request, verdict in verdicts.items() if verdict.ok}
    new = [verdict for verdict in answered.values() if not verdict.cached]
    prompts, completions = sum(each.prompt_tokens for each in new), sum(each.completion_tokens for each in new)
    return Summary(
        config.name,
        judged=len(new),
        cached=len(answered) - len(new),
        failed=len(verdicts) - len(answered),
        seconds=seconds,
        prompt_tokens=prompts,
        completion_tokens=completions,
        cost=config.cost(prompts, completions),
        models=tuple(sorted({verdict.model for verdict in answered.values() if verdict.model} | set(models))),
        cut=sum(request.cut for request in answered),
        suspicious=sum(request.suspicious for request in answered),
        unstored=unstored,
    )
