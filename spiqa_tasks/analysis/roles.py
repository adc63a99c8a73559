"""What a run is to gain and leakage, from its own record: which model, which ablation, which questions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from spiqa_tasks.hosts.lmms_eval.results import Run
from spiqa_tasks.hosts.lmms_eval.registration import ABLATED

# Arguments that say where and how fast a model runs, not which it is.
_PLACE = ("api_key", "base_url", "device", "device_map")
_SPEED = ("batch_size", "max_retries", "num_concurrent", "num_cpus", "retry_backoff_s", "timeout")
_RUNNING = frozenset({*_PLACE, *_SPEED, "seed"})
_OWN_SUFFIX = re.compile(r"_(?:text|grey|llm)$")


@dataclass(frozen=True)
class Entry:
    """One task of one run.

    Attributes:
        key: the same for all variants of a task (with images, without, for LLM bases).
        model: the model itself, without the ablation around it.
        ablation: `none`, or what was done to the images.
        few_shot: made for an LLM base (solved questions first, no image).
    """

    run: Run
    task: str
    key: str
    model: str
    ablation: str
    few_shot: bool


def entries(runs: Iterable[Run]) -> Iterator[Entry]:
    """Every task of every run that has samples or a number; groups are left out."""
    for run in runs:
        for task, config in run.configs.items():
            if task in run.tasks:
                yield _entry(run, task, config)


def model_arguments(text: str) -> dict[str, str]:
    """`key=value,...` of `--model_args`; a comma that no key follows is part of a value."""
    pairs = (part.partition("=") for part in re.split(r",(?=\w+=)", text.strip()) if part)
    return {key: value for key, _, value in pairs}


def model_name(run: Run) -> tuple[str, str]:
    """(the model with the arguments that tell it from others, its ablation or `none`)."""
    arguments = model_arguments(run.model_args)
    model, ablation = run.model, "none"
    if model == ABLATED:
        model, ablation = arguments.pop("base", "?"), arguments.pop("ablation", "?")
    told = [f"{key}={arguments[key]}" for key in sorted(arguments) if key not in _RUNNING]
    return ",".join([model, *told]), ablation


def _entry(run: Run, task: str, config: Mapping[str, Any]) -> Entry:
    model, ablation = model_name(run)
    settings = _settings(config)
    of_task = settings.pop("ablation", "none")
    few_shot = settings.pop("shots", "0") != "0"
    if ablation == "none":
        ablation = of_task
    own = of_task != "none" or few_shot
    key = _OWN_SUFFIX.sub("", task) if own else task
    return Entry(run, task, key, model, ablation, few_shot)


def _settings(config: Mapping[str, Any]) -> dict[str, str]:
    """The settings of our tasks; other tasks have a `dataset_name` of another form, which has none."""
    name = str(config.get("dataset_name") or "")
    return dict(part.split("=", 1) for part in name.split(",")) if re.fullmatch(r"(\w+=[^,=]*,?)+", name) else {}
