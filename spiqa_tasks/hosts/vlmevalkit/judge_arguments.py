"""The judge of the host's judge arguments, or of the SPIQA_JUDGE variables."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache
from typing import Any

from spiqa_tasks.benchmarks.task import Task
from spiqa_tasks.judge.config import DEFAULT_JUDGE, JUDGE_VARIABLE, JudgeConfig
from spiqa_tasks.judge.judge import Judge, make_judge
from spiqa_tasks.judge.providers import PROVIDERS
from spiqa_tasks.judge.resolve import judge_from_environ, parse_judge

NONE = ("none", "exact_matching")
"""Judge names that switch judging off; the second is the host's."""


def judge_of(task: Task, arguments: Mapping[str, Any]) -> Judge | None:
    """Return the judge of a task, or None; a new judge is asked one real question.

    Args:
        arguments: judge arguments that the host passes to `evaluate`; `model`, `api_base` and `key` are used.

    Raises:
        JudgeError: an unusable judge, or none for a task that needs one.
    """
    rule = task.entry.judge(task.typed)
    if rule is None:
        return None
    return _judge(rule, *(str(arguments.get(name) or "") for name in ("model", "api_base", "key")))


def config_of(model: str, url: str, key: str, environ: Mapping[str, str]) -> JudgeConfig | None:
    """Return the judge's configuration, or None. Empty arguments default to the environment's values.

    Args:
        model: `provider:model`, a model of OpenAI's protocol, or one of `NONE`.
        environ: environment with the SPIQA_JUDGE variables.

    Raises:
        JudgeError: see `parse_judge`.
    """
    if not (model or url or key):
        return judge_from_environ(environ)
    name = model or environ.get(JUDGE_VARIABLE, "").strip() or DEFAULT_JUDGE
    if name.lower() in NONE:
        return None
    if name.partition(":")[0] not in PROVIDERS:
        name = f"openai:{name}"
    base_url = url.rstrip("/").removesuffix("/chat/completions") or None
    return parse_judge(name, base_url=base_url, api_key=key or None, environ=environ)


@cache
def _judge(rule: str, model: str, url: str, key: str) -> Judge | None:
    return make_judge(rule, config_of(model, url, key, os.environ))
