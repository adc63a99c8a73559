"""The host's runs as answers to score."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from host_files import choice_samples, sample_of, write_run

from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.errors import InputError
from spiqa_tasks.offline.runs import inputs_of_run, task_of_runs


def write(
    folder: Path, model: str = "m", stamp: str = "1", task: str = "mmstar_demo", settings: str = "ablation=text"
) -> Path:
    """A run of right answers to the demo questions, as the host records its task."""
    samples = [sample_of(row, row["answer"]) for row in load_rows("mmstar", "demo", settings)]
    path = write_run(folder, model, {task: samples}, settings={task: settings}, stamp=stamp)
    content = json.loads(path.read_text())
    content["configs"][task]["test_split"] = "demo"
    path.write_text(json.dumps(content))
    return path


def test_each_task_has_the_answers_of_each_model(tmp_path: Path) -> None:
    """With the settings of the run's own record and all questions of its split."""
    write(tmp_path, "a", "1")
    write(tmp_path, "b", "2")
    write(tmp_path, "a", "3", "mine", "ablation=text,prompt=letter")
    found, remarks = inputs_of_run(tmp_path, [], [])
    assert remarks == []
    labels = {task.name: [each.label for each in inputs] for task, inputs in found}
    assert labels == {"mmstar_demo": ["a", "b"], "mine": ["a"]}
    by_name: dict[str, Any] = {task.name: (task, inputs[0]) for task, inputs in found}
    task, given = by_name["mine"]
    assert (task.benchmark, task.split, task.settings) == ("mmstar", "demo", "ablation=text,prompt=letter")
    answers = {key: answer.text for key, answer in given.matched.answers.items()}
    assert answers == {row["id"]: row["answer"] for row in load_rows("mmstar", "demo", "ablation=text")}
    assert [task.name for task, _ in inputs_of_run(tmp_path, ["mine"], [])[0]] == ["mine"]


def test_what_has_no_samples_is_told(tmp_path: Path) -> None:
    """Beside other tasks it is a sentence, alone the error has it; tasks of the host are passed over."""
    path = write(tmp_path / "a", task="mine")
    write(tmp_path / "b")
    path.with_name("1_samples_mine.jsonl").unlink()
    write_run(tmp_path / "c", "m", {"t": choice_samples([True])})
    found, remarks = inputs_of_run(tmp_path, [], [])
    assert [task.name for task, _ in found] == ["mmstar_demo"]
    assert remarks == ["mine of m has no samples; run it with --log_samples."]
    with pytest.raises(InputError) as error:
        inputs_of_run(path, [], [])
    assert str(error.value) == (
        f"Expected samples of this package's tasks in {path}, found none. "
        "mine of m has no samples; run it with --log_samples."
    )
    with pytest.raises(InputError, match="found none"):
        inputs_of_run(tmp_path / "c", [], [])


def test_a_filters_task_asks_only_what_it_kept(tmp_path: Path) -> None:
    """Its list stands beside the YAML in a folder that is named; without the folder all questions are asked."""
    rows = load_rows("mmstar", "demo", "ablation=text")
    write(tmp_path / "run", task="mine")
    own = tmp_path / "own"
    own.mkdir()
    values = "task: mine\ntest_split: demo\ndataset_name: ablation=text\nmetadata:\n  benchmark: mmstar\n"
    (own / "mine.yaml").write_text(values)
    (own / "kept.json").write_text(json.dumps({"kept": [{"id": row["id"]} for row in rows[:3]]}))
    (((task, (given,)),), _) = inputs_of_run(tmp_path / "run", [], [own])
    assert task.kept == {row["id"] for row in rows[:3]}
    assert list(given.matched.answers) == [row["id"] for row in rows[:3]]
    (((task, (given,)),), _) = inputs_of_run(tmp_path / "run", [], [])
    assert (task.kept, len(given.matched.answers)) == (None, len(rows))


def test_the_newest_record_of_a_task_counts(tmp_path: Path) -> None:
    """It stands beside a file of answers or below a folder; where no run is, or none of the task, there is none."""
    write(tmp_path, stamp="20250101_000000", settings="ablation=text")
    path = write(tmp_path, stamp="20250202_000000", settings="ablation=text,prompt=letter")
    for place in (tmp_path, path, tmp_path / "20250101_000000_samples_mmstar_demo.jsonl"):
        task = task_of_runs("mmstar_demo", [place])
        assert task is not None
        assert task.settings == "ablation=text,prompt=letter"
    assert task_of_runs("other", [tmp_path]) is None
    (tmp_path / "empty").mkdir()
    assert task_of_runs("mmstar_demo", [tmp_path / "empty"]) is None
