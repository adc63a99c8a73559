"""Every SPIQA and MMStar YAML says in its settings what its name says."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest

from spiqa_tasks.benchmarks.registry import BENCHMARKS
from spiqa_tasks.hosts.lmms_eval.catalogue import Task, catalogue

SPIQA = {
    "": {},
    "224px": {"resolution": "224px"},
    "captiononly": {"setting": "captiononly"},
    "cot": {"setting": "cot"},
    "fullpaper": {"setting": "fullpaper"},
    "grey": {"ablation": "grey"},
    "nocaption": {"setting": "nocaption"},
    "perfigure": {"setting": "perfigure", "max_figures": 0},
    "text": {"ablation": "text"},
}
MMSTAR = {
    "": {},
    "grey": {"ablation": "grey"},
    "llm": {"ablation": "text", "shots": "2"},
    "text": {"ablation": "text"},
}
EXPECTED: dict[str, tuple[str, dict[str, Any]]] = {
    "spiqa_train": ("train", {}),
    **{
        f"spiqa_{split}" + (f"_{suffix}" if suffix else ""): (split, changed)
        for split in ("testA", "testB", "testC", "val", "demo")
        for suffix, changed in SPIQA.items()
    },
    **{
        f"mmstar_{name}" + (f"_{suffix}" if suffix else ""): (split, changed)
        for name, split in (("filtered", "val"), ("demo", "demo"))
        for suffix, changed in MMSTAR.items()
    },
}
TASKS = {name: task for name, task in catalogue()[0].items() if task.benchmark in ("spiqa", "mmstar")}


def test_the_tasks_are_those_of_the_design() -> None:
    """No task is missing, and none has a name that nothing is known of."""
    assert set(TASKS) == set(EXPECTED)


@pytest.mark.parametrize("task", TASKS.values(), ids=list(TASKS))
def test_settings_are_those_of_the_name(task: Task) -> None:
    """What differs from the defaults is exactly what the suffix stands for, on the split of the name."""
    settings = BENCHMARKS[task.benchmark].parse(task.settings)
    changed = {
        field.name: getattr(settings, field.name)
        for field in fields(settings)
        if getattr(settings, field.name) != field.default
    }
    assert (task.split, changed) == EXPECTED[task.name]
