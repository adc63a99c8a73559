"""What a run is to gain and leakage."""

from __future__ import annotations

from pathlib import Path

import pytest
from host_files import choice_samples, write_run

from spiqa_tasks.analysis.pairing import triples
from spiqa_tasks.analysis.roles import entries


@pytest.mark.parametrize(
    ("task", "settings", "expected"),
    [
        ("x", "prompt=letter", ("x", "none", False)),
        ("x", "prompt=letter,", ("x", "none", False)),
        ("x_text", "prompt=letter,ablation=text", ("x", "text", False)),
        ("x_grey", "prompt=letter, ablation=grey", ("x", "grey", False)),
        ("x_llm", "prompt=letter,ablation=text,shots=2", ("x", "text", True)),
        ("x_text", "", ("x_text", "none", False)),
        ("x_text", "no settings of ours", ("x_text", "none", False)),
        ("mine", "ablation=grey,", ("mine", "grey", False)),
    ],
)
def test_a_task_tells_its_role_by_its_settings(
    tmp_path: Path, task: str, settings: str, expected: tuple[str, str, bool]
) -> None:
    """The `dataset_name` says what was shown, in whatever spelling of commas and blanks the settings allow."""
    write_run(tmp_path, "m", {task: []}, settings={task: settings})
    (entry,), _ = entries([tmp_path])
    assert (entry.key, entry.ablation, entry.few_shot) == expected


def test_a_wrapped_model_is_its_base(tmp_path: Path) -> None:
    """`--model ablated` is the base with its arguments; what tells place and speed is left out."""
    write_run(tmp_path, "ablated", {"t": []}, "base=m,ablation=shuffled,seed=3,pretrained=a,device=cuda")
    (entry,), _ = entries([tmp_path])
    assert (entry.key, entry.model, entry.ablation) == ("t", "m,pretrained=a", "shuffled")


def test_groups_and_tasks_without_a_result_are_left_out(tmp_path: Path) -> None:
    """Only what has a result in the run is an entry."""
    path = write_run(tmp_path, "m", {"t": [], "u": []})
    path.write_text(path.read_text().replace('"u": {"accuracy,none": 0.5}', '"group": {"accuracy,none": 0.5}'))
    assert [entry.task for entry in entries([tmp_path])[0]] == ["t"]


@pytest.mark.parametrize("settings", ["prompt=letter, ablation=grey", "ablation=grey,prompt=letter,"])
def test_gain_pairs_a_grey_task_however_its_settings_are_written(tmp_path: Path, settings: str) -> None:
    """A blank or a comma too many neither ends `gain` nor makes a run without images one with."""
    write_run(tmp_path, "m", {"x": choice_samples([True, True])}, stamp="1", settings={"x": "prompt=letter,"})
    write_run(tmp_path, "m", {"x_grey": choice_samples([True, False])}, stamp="2", settings={"x_grey": settings})
    (triple,), problems = triples([tmp_path], [], None)
    assert (triple.ablation, triple.v.task, triple.wv.task, problems) == ("grey", "x", "x_grey", [])
