"""The judge: what the host's judge arguments say, else the SPIQA_JUDGE variables."""

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
"""The judges' names that ask nobody; the second is the host's own."""


def judge_of(task: Task, told: Mapping[str, Any]) -> Judge | None:
    """Return the judge of a task, asked one real question the first time; None where none is asked.

    `told` are the judge's arguments as the host hands them to `evaluate`: `model`, `api_base` and `key` count.

    Raises:
        JudgeError: a judge that cannot be used, or none where the task cannot do without.
    """
    rule = task.entry.judge(task.typed)
    if rule is None:
        return None
    return _judge(rule, *(str(told.get(name) or "") for name in ("model", "api_base", "key")))


def config_of(model: str, url: str, key: str, environ: Mapping[str, str]) -> JudgeConfig | None:
    """Return the judge; None for none.

    Args:
        model: `provider:model`, a model of OpenAI's protocol, or one of `NONE`; empty: that of the environment.
        url: its base URL, or the address of its chat completions; empty: that of the environment, or the provider's.
        key: its key; empty: that of the environment.
        environ: with the SPIQA_JUDGE variables.

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
