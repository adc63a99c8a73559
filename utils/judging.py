"""What a SPIQA run can be scored with on this machine, found out once per process."""

from __future__ import annotations

import logging
import os
from functools import cache

from spiqa_tasks.benchmarks.text_scores import available_metrics
from spiqa_tasks.judge.config import judge_from_environ
from spiqa_tasks.judge.l3 import L3Judge

logger = logging.getLogger("spiqa_tasks")


@cache
def text_metrics() -> tuple[str, ...]:
    """The text metrics that this machine can compute; one line says which are left out and why."""
    reasons = available_metrics()
    for name, reason in reasons.items():
        if reason is not None:
            logger.warning("%s is left out: %s.", name, reason)
    return tuple(name for name, reason in reasons.items() if reason is None)


@cache
def judge_of_environment() -> L3Judge | None:
    """The judge that the environment names, asked one real question; None when judging is switched off.

    Raises:
        JudgeError: a judge that cannot be used.
    """
    config = judge_from_environ(os.environ)
    if config is None:
        return None
    judge = L3Judge(config)
    judge.preflight()
    return judge
