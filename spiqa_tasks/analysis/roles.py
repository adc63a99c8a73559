"""What a run is to gain and leakage, from its own record: which model, which ablation, which questions."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.lmms_eval.results import Run, TaskRun, task_runs

_OWN_SUFFIX = re.compile(r"_(?:text|grey|llm|llm_authors)$")


@dataclass(frozen=True)
class RunRole:
    """One task of one run.

    Attributes:
        key: the same for all variants of a task (with images, without, for LLM bases).
        model: the model itself, without the ablation around it.
        seed: of the model's arguments, or "".
        ablation: `none`, or what was done to the images.
        few_shot: made for an LLM base (solved questions first, no image).
    """

    run: Run
    task: str
    key: str
    model: str
    seed: str
    ablation: str
    few_shot: bool

    @property
    def label(self) -> str:
        """The model for people, with its seed where there is one."""
        return f"{self.model},seed={self.seed}" if self.seed else self.model


def entries(places: Iterable[Path], tasks: Collection[str] = ()) -> tuple[list[RunRole], list[str]]:
    """Return every task of the runs that has samples or a number, and a sentence for each that a newer run replaces.

    Args:
        places: result files or folders of the host.
        tasks: only these and their variants without images; empty: all.

    Raises:
        InputError: no runs, or none of the tasks.
    """
    found, remarks = task_runs(places)
    known = [_entry(source) for source in found if source.task in source.run.tasks]
    chosen = [entry for entry in known if not tasks or entry.key in tasks or entry.task in tasks]
    if not chosen:
        names = ", ".join(sorted({entry.task for entry in known})) or "none"
        raise InputError(f"Expected runs of {', '.join(tasks) or 'a task'}; found {names}. Correct --task.")
    return chosen, remarks


def _entry(source: TaskRun) -> RunRole:
    run, task, settings = source.run, source.task, source.settings
    of_task = getattr(settings, "ablation", "none")
    few_shot = str(getattr(settings, "shots", 0)) not in ("", "0") and of_task == "text"
    told = run.identity
    ablation = of_task if told.ablation == "none" else told.ablation
    own = of_task != "none" or few_shot
    key = _OWN_SUFFIX.sub("", task) if own else task
    return RunRole(run, task, key, told.model, told.seed, ablation, few_shot)
