"""`spiqa-tasks compare`: what it prints."""

from __future__ import annotations

from pathlib import Path

import pytest
from host_files import choice_samples, write_run
from run_command import run_json

from spiqa_tasks.cli import main


def write(folder: Path, model: str, rights: list[bool], tasks: str = "t") -> str:
    """A run of tasks of MMStar with names of one letter, as the command's argument."""
    samples = {task: choice_samples(rights) for task in tasks}
    return str(write_run(folder / model, model, samples, settings=dict.fromkeys(tasks, "prompt=letter")).parent)


def test_the_table_for_people_has_a_line_per_pair(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With times 100 and what the columns mean below."""
    rights = {"a": [True, False] * 12, "b": [True] * 18 + [False] * 6, "c": [True] * 24}
    assert main(["compare", *(write(tmp_path, name, each) for name, each in rights.items())]) == 0
    told = capsys.readouterr().out
    lines = [line.split() for line in told.split("\n\n")[0].splitlines() if line.startswith("t ")]
    assert [line[2:7] for line in lines] == [
        ["b", "a", "24", "75.0", "50.0"],
        ["c", "a", "24", "100.0", "50.0"],
        ["c", "b", "24", "100.0", "75.0"],
    ]
    assert "25.0 [" in told
    assert "Holm" in told


def test_what_is_not_known_is_null(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One question has a difference, and neither an interval nor a p-value; JSON has no NaN."""
    places = [write(tmp_path, name, [right]) for name, right in (("a", False), ("b", True))]
    status, ((found,)), _ = run_json(capsys, "compare", *places)
    assert status == 0
    assert found["difference"]["difference"] == 1
    assert [found["difference"][name] for name in ("low", "high", "p")] == [None] * 3
    assert found["won"] == ["q0"]


def test_tasks_and_metrics_can_be_chosen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Only the named tasks are compared; one that has a single run is one sentence."""
    places = [write(tmp_path, name, [True, False], "tu") for name in ("a", "b")]
    _, found, _ = run_json(capsys, "compare", *places)
    assert [each["task"] for each in found] == ["t", "u"]
    _, found, _ = run_json(capsys, "compare", *places, "--task", "u", "--metric", "accuracy")
    assert [(each["task"], each["metric"]) for each in found] == [("u", "accuracy")]
    status, found, errors = run_json(capsys, "compare", *places, "--metric", "cider")
    assert (status, found) == (2, [])
    assert errors.startswith("spiqa-tasks: Expected two runs of one task")
    assert errors.count("\n") == 1
