"""Every SciFIBench YAML says in its settings what its name says."""

from __future__ import annotations

from dataclasses import fields

import pytest

from spiqa_tasks.benchmarks.scifibench.release import SciFIBenchSettings
from spiqa_tasks.benchmarks.settings import parse_settings
from spiqa_tasks.hosts.lmms_eval.catalogue import Task, catalogue

SUFFIXES = {
    "reasoning": {"prompt": "reasoning"},
    "random": {"negatives": "random"},
    "text": {"ablation": "text"},
    "grey": {"ablation": "grey"},
    "ocr": {"ocr": "yes"},
    "marked_correct": {"mark": "correct"},
    "marked_correct_ignore": {"mark": "correct", "ignore": "yes"},
    "marked_incorrect": {"mark": "incorrect"},
    "marked_incorrect_ignore": {"mark": "incorrect", "ignore": "yes"},
    "captioning": {"prompt": "caption"},
    **{f"shuffle{k}": {"shuffle": k} for k in (1, 2, 3)},
    **{f"{k}shot": {"shots": k} for k in range(1, 6)},
    **{f"{k}shot_similar": {"shots": k, "shot_kind": "similar"} for k in range(1, 6)},
}
SPLITS = ("cs_fig2cap", "cs_cap2fig", "general_fig2cap", "general_cap2fig", "demo_fig2cap", "demo_cap2fig", "demo")
LEAVES = {name: task for name, task in catalogue()[0].items() if task.benchmark == "scifibench"}


@pytest.mark.parametrize("task", LEAVES.values(), ids=list(LEAVES))
def test_settings_are_those_of_the_name(task: Task) -> None:
    """What differs from the defaults is exactly what the suffix stands for, on the split of the name."""
    settings = parse_settings(SciFIBenchSettings, task.settings)
    changed = {
        field.name: getattr(settings, field.name)
        for field in fields(settings)
        if getattr(settings, field.name) != field.default
    }
    if task.name == "scifibench_captioning":
        assert (task.split, changed) == ("captioning", {"prompt": "caption", "sample": 100})
        return
    rest = task.name.removeprefix("scifibench_")
    split = next(split for split in SPLITS if rest == split or rest.startswith(f"{split}_"))
    suffix = rest[len(split) :].lstrip("_")
    assert changed == (SUFFIXES[suffix] if suffix else {})
    assert task.split == ("demo_fig2cap" if suffix == "captioning" else split)


def test_every_split_has_every_variant_and_figure_to_caption_the_marks() -> None:
    """No split lacks a variant."""
    for split in SPLITS[:4]:
        for suffix in ("reasoning", "random", "text", "grey", "ocr", "shuffle1", "shuffle2", "shuffle3"):
            assert f"scifibench_{split}_{suffix}" in LEAVES
    for subset in ("cs", "general"):
        for suffix in (name for name in SUFFIXES if name.startswith("marked")):
            assert f"scifibench_{subset}_fig2cap_{suffix}" in LEAVES
