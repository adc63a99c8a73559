"""The answers that are to be scored, by their tasks."""

import json
from pathlib import Path
from typing import Any

import pytest
from answer_files import mmstar_table, right_answers, rows_of, write_jsonl, write_table
from host_files import choice_samples, sample_of, write_run

from spiqa_tasks.benchmarks.registry import Task, load_rows
from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.catalogue import find_tasks
from spiqa_tasks.runs.loading import ByTask, runs_by_task
from spiqa_tasks.runs.paths import RunPath, read_runs
from spiqa_tasks.runs.run import Run
from spiqa_tasks.runs.selection import EVERY, Selection

ANSWERS = right_answers("mmstar_demo")
BLIND = "ablation=text"
FULL = "ablation=text,shots=0"
"""What is recorded of `BLIND`."""
OLD, NEW = "20250101_000000", "20250202_000000"


def write(
    folder: Path,
    model: str = "m",
    stamp: str = OLD,
    task: str = "mmstar_demo",
    settings: str = BLIND,
    count: int = 24,
) -> Path:
    """A run of right answers to the demo questions, as the host records its task."""
    samples = [
        sample_of(row, row["answer"]) for row in load_rows("mmstar", "demo", settings)[:count]
    ]
    options: dict[str, Any] = {"settings": {task: settings}, "split": "demo", "asked": 24}
    return write_run(folder, model, {task: samples}, stamp=stamp, **options)


def found_in(
    folder: Path, *only: str, include: list[Path] | None = None
) -> tuple[dict[Task, list[Run]], list[str]]:
    found, remarks = runs_by_task([RunPath(folder)], Selection(only, include=include or []))
    return dict(found), remarks


def answers_to(name: str, paths: list[Path], wanted: Selection) -> tuple[ByTask, list[str]]:
    return runs_by_task(list(map(RunPath, paths)), wanted, name)


def write_filtered(folder: Path, task: str) -> list[str]:
    """The YAML of a filter's task beside the list of the three questions that it kept; returns
    their ids.
    """
    ids = list(ANSWERS)[:3]
    folder.mkdir()
    text = (
        f"task: {task}\ntest_split: demo\ndataset_name: {BLIND}\nmetadata:\n  benchmark: mmstar\n"
    )
    (folder / "mine.yaml").write_text(text)
    (folder / "kept.json").write_text(json.dumps({"kept": [{"id": key} for key in ids]}))
    return ids


def test_each_task_has_the_answers_of_each_model(tmp_path: Path) -> None:
    """With the settings of the run's own record; only those tasks that are named, where some
    are.
    """
    write(tmp_path, "a", "1")
    write(tmp_path, "b", "2")
    write(tmp_path, "a", "3", "mine", f"{BLIND},prompt=select")
    found, remarks = found_in(tmp_path)
    assert remarks == []
    names = {task.name: [run.name for run in runs] for task, runs in found.items()}
    assert names == {"mmstar_demo": ["a", "b"], "mine": ["a"]}
    (task,), (runs,) = zip(*found_in(tmp_path, "mine")[0].items(), strict=True)
    assert (task.name, task.benchmark_name, task.split, task.settings_text) == (
        "mine",
        "mmstar",
        "demo",
        f"prompt=select,{FULL}",
    )
    (run,) = runs
    assert {key: answer.response.text for key, answer in run.by_id.items()} == ANSWERS


def test_what_has_no_samples_is_told(tmp_path: Path) -> None:
    """Beside other tasks it is a sentence, alone the error has it; so are tasks of the host."""
    path = write(tmp_path / "a", task="mine")
    write(tmp_path / "b")
    path.with_name(f"{OLD}_samples_mine.jsonl").unlink()
    write_run(tmp_path / "c", "m", {"t": choice_samples([True])})
    found, remarks = found_in(tmp_path)
    assert [task.name for task in found] == ["mmstar_demo"]
    assert remarks == [
        "mine of m has no samples; run it with --log_samples.",
        "No values of t, which only the host scores; "
        "`spiqa-tasks score RUN --task NAME` prints those of one.",
    ]
    with pytest.raises(InputError) as error:
        found_in(path)
    assert (
        str(error.value)
        == f"Expected answers to this package's tasks in {path}, found none. mine of m has no"
        " samples; run it with --log_samples."
    )
    assert found_in(tmp_path / "c") == ({}, [])
    with pytest.raises(InputError) as error:
        runs_by_task([RunPath(tmp_path / "c")], Selection(), "mmstar_demo")
    assert "Expected answers to mmstar_demo" in str(error.value)


def test_a_filters_task_asks_only_what_it_kept(tmp_path: Path) -> None:
    """Its list stands beside the YAML in a folder that is named; without the folder the list is
    not known.
    """
    write(tmp_path / "run", task="mine")
    ids = write_filtered(tmp_path / "own", "mine")
    (task,) = found_in(tmp_path / "run", include=[tmp_path / "own"])[0]
    assert (task.kept, task.settings_text) == (frozenset(ids), f"prompt=letter,{FULL}")
    (task,) = found_in(tmp_path / "run")[0]
    assert task.kept is None
    (run,), _ = read_runs(RunPath(tmp_path / "run"), [tmp_path / "own"])
    assert (run.benchmark_task.kept, run.benchmark_task.settings_text) == (
        frozenset(ids),
        f"prompt=letter,{FULL}",
    )
    ((task, _),), _ = answers_to(
        "mine", [write_jsonl(tmp_path / "x.jsonl", ANSWERS)], Selection(include=[tmp_path / "own"])
    )
    assert task.kept == frozenset(ids)


def test_the_answers_to_a_task_are_found_beside_those_to_others(tmp_path: Path) -> None:
    """In a folder with several tasks of a host; remarks about the others are left out."""
    for stamp in (OLD, NEW):
        write(tmp_path, stamp=stamp)
        write(tmp_path / "x", stamp=stamp, task="mine")
    ((_, (run,)),), remarks = answers_to("mmstar_demo", [tmp_path], EVERY)
    assert (run.task, run.path.name) == ("mmstar_demo", f"{NEW}_results.json")
    assert remarks == [
        f"m was run again: {tmp_path / NEW}_results.json counts, not {tmp_path / OLD}_results.json."
    ]


def test_a_group_is_each_of_its_tasks_that_has_answers(tmp_path: Path) -> None:
    """Files say by their names of which task they are; what is missing is said once for all."""
    group = "spiqa"
    names = [task.name for task in find_tasks([group])]
    assert len(names) > 1
    path = write_jsonl(tmp_path / f"m_{names[1]}.jsonl", ANSWERS)
    ((task, (run,)),), remarks = answers_to(group, [path], EVERY)
    assert (task.name, run.task, run.name) == (names[1], names[1], "m")
    others = [name for name in names if name != names[1]]
    assert remarks == [f"{group}: no answers to {', '.join(others)}."]
    unnamed = write_jsonl(tmp_path / "m.jsonl", ANSWERS)
    with pytest.raises(InputError, match="Which task do the answers"):
        answers_to(group, [unnamed], EVERY)


def test_files_that_name_no_task_are_all_of_the_one_that_is_named(tmp_path: Path) -> None:
    """Each of another model; a folder with answers to other tasks alone is refused."""
    rows = rows_of(*find_tasks(["mmstar_demo"]))
    for name in ("a/one.tsv", "two.tsv"):
        write_table(mmstar_table(rows), tmp_path / "tables" / name)
    ((_, runs),), _ = answers_to("mmstar_demo", [tmp_path / "tables"], EVERY)
    assert [(run.path.name, run.task) for run in runs] == [
        ("one.tsv", "mmstar_demo"),
        ("two.tsv", "mmstar_demo"),
    ]
    write(tmp_path / "runs", task="mine")
    with pytest.raises(InputError, match=r"Expected answers to mmstar_demo in .* those to mine"):
        answers_to("mmstar_demo", [tmp_path / "runs"], EVERY)
