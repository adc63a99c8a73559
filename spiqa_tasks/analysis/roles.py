"""What a run is to gain and leakage, from its own record: which model, which ablation, which questions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from spiqa_tasks.hosts.lmms_eval.results import Run, TaskRun

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
        for task in run.configs:
            if task in run.tasks:
                yield _entry(run, task)


def _entry(run: Run, task: str) -> Entry:
    settings = TaskRun(run, task).settings
    of_task = getattr(settings, "ablation", "none")
    few_shot = str(getattr(settings, "shots", 0)) not in ("", "0") and of_task == "text"
    told = run.identity
    ablation = of_task if told.ablation == "none" else told.ablation
    own = of_task != "none" or few_shot
    key = _OWN_SUFFIX.sub("", task) if own else task
    return Entry(run, task, key, told.model, ablation, few_shot)
