"""Scorers made from what is installed and configured."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from functools import cache

from spiqa_tasks.benchmarks.context import Context
from spiqa_tasks.benchmarks.judging import Judging
from spiqa_tasks.benchmarks.registry import BENCHMARKS
from spiqa_tasks.benchmarks.scorer import Scorer
from spiqa_tasks.errors import JudgeError
from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.l3 import L3Judge
from spiqa_tasks.judge.letters import LetterJudge, LetterRule
from spiqa_tasks.judge.resolve import judge_from_environ
from spiqa_tasks.metrics.text_scores import RELEASED_TOKENIZER, available_metrics, tokenizer_name, tokenizer_note

logger = logging.getLogger("spiqa_tasks")


def make_scorer(benchmark: str, settings: str, host: str, judge: Judging | None) -> Scorer:
    """Return the scorer of a task.

    Args:
        benchmark: its name.
        settings: the text of the task's `dataset_name`.
        host: what ran the answers, for the signature.
        judge: the judge to ask, of the kind that the task's scores need; None asks none.

    Raises:
        InputError: unknown settings.
    """
    entry = BENCHMARKS[benchmark]
    parsed = entry.parse(settings)
    has_texts = any(metric.needs == "text programs" for metric in entry.metrics(parsed))
    context = Context(
        host,
        judged_by=tuple(_as_configured(judge).items()) if judge is not None else (),
        unavailable=missing_text_metrics() if has_texts else {},
        tokenizer=tokenizer_name() if has_texts else "",
        **({} if judge is None else judge.rules),
    )
    return Scorer(entry, parsed, context, judge)


def _as_configured(judge: Judging) -> dict[str, str]:
    """The judge's signature less the model as served, which only the first answer tells."""
    return {key: value for key, value in judge.signature.items() if key != "judge_served" and value}


@cache
def missing_text_metrics() -> dict[str, str]:
    """Return the text metrics that this machine cannot compute, with the reason; a line says each one once."""
    missing = {name: reason for name, reason in available_metrics().items() if reason is not None}
    for name, reason in missing.items():
        logger.warning("%s is left out: %s.", name, reason)
    if tokenizer_name() != RELEASED_TOKENIZER:
        logger.warning("BLEU, ROUGE-L and CIDEr are made with %s.", tokenizer_note(tokenizer_name()))
    return missing


def judging_of_environment(kind: str, environ: Mapping[str, str], *, report: bool = True) -> Judging | None:
    """Return the judge that the environment names; see `judging_of`."""
    return judging_of(kind, judge_from_environ(environ), report=report)


def judging_of(kind: str, config: JudgeConfig | None, *, report: bool = True) -> Judging | None:
    """Return a judge, asked one real question; None when judging is switched off.

    Args:
        kind: `l3score`, `letters` or `letters_released`.
        config: the judge; None for none.
        report: whether the judge's summary line is printed.

    Raises:
        JudgeError: a judge that cannot be used, or none where the task cannot do without.
    """
    if config is None and kind != "l3score":
        raise JudgeError(
            "Expected a judge for the setting extractor, found SPIQA_JUDGE=none. Set SPIQA_JUDGE=provider:model."
        )
    if config is None:
        return None
    judge = L3Judge(config) if kind == "l3score" else LetterJudge(config, LetterRule(kind == "letters_released"))
    judge.preflight()
    return Judging(judge, report=report)
