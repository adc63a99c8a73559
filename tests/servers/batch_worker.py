"""A process that judges in batches, to be killed or to compete."""

from __future__ import annotations

from pathlib import Path

from spiqa_tasks.judge import batches
from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.engine import Engine
from spiqa_tasks.judge.types import JudgeRequest

WRITTEN = [JudgeRequest(f"Write {place}.", top_logprobs=None, max_tokens=9) for place in range(4)]


def judge(provider: str, url: str, cache: Path) -> bool:
    """Judge `WRITTEN`; whether all verdicts came."""
    batches._FIRST_PAUSE = batches._LONGEST_PAUSE = 0.02
    batches.ARRIVAL_SECONDS = 0.7
    engine = Engine(JudgeConfig(provider, "m", url, "k" * 20, cache_dir=cache))
    try:
        batches.judge_in_batches(engine, WRITTEN, wait=True)
        return all(verdict.ok for verdict in engine.map(WRITTEN))
    finally:
        engine.close()
