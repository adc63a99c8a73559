"""Scorers of tasks, with what is installed and configured."""

from __future__ import annotations

import logging
from functools import cache

from spiqa_tasks.benchmarks.context import Context
from spiqa_tasks.benchmarks.registry import BENCHMARKS
from spiqa_tasks.benchmarks.scorer import Scorer
from spiqa_tasks.judge.judge import Judge
from spiqa_tasks.metrics.text_scores import RELEASED_TOKENIZER, available_metrics, tokenizer_name, tokenizer_note

logger = logging.getLogger("spiqa_tasks")


def make_scorer(benchmark: str, settings: str, host: str, judge: Judge | None) -> Scorer:
    """Return the scorer of a task.

    Args:
        benchmark: its name.
        settings: the text of the task's `dataset_name`.
        host: what ran the answers, for the signature.
        judge: the judge to ask, by the rule that the benchmark names; None asks none.

    Raises:
        InputError: unknown settings.
    """
    entry = BENCHMARKS[benchmark]
    parsed = entry.parse(settings)
    metrics = entry.metrics(parsed)
    fields = dict(entry.signature(parsed))
    for metric in metrics:
        fields |= metric.signature()
    rule, judged_by = (judge.rule, judge.configured) if judge is not None else (None, {})
    missing = missing_text_metrics() if any(metric.needs == "text programs" for metric in metrics) else {}
    return Scorer(entry, parsed, Context(host, rule, fields | judged_by, missing), judge)


@cache
def missing_text_metrics() -> dict[str, str]:
    """Return the text metrics that this machine cannot compute, with the reason; each is logged once."""
    missing = {name: reason for name, reason in available_metrics().items() if reason is not None}
    for name, reason in missing.items():
        logger.warning("%s is left out: %s.", name, reason)
    if tokenizer_name() != RELEASED_TOKENIZER:
        logger.warning("BLEU, ROUGE-L and CIDEr are made with %s.", tokenizer_note(tokenizer_name()))
    return missing
