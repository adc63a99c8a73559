"""What the task YAMLs define."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from own_data import write_own

from spiqa_tasks.benchmarks.registry import BENCHMARKS, yaml_folder
from spiqa_tasks.benchmarks.task import Task, task_of
from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.catalogue import (
    INCLUDE,
    KEPT,
    catalogue,
    filtered_tasks,
    find_tasks,
    included_folders,
    load_yaml,
    own_definitions,
    read_task,
    user_folder,
)


def test_every_task_has_a_known_split_settings_and_metrics() -> None:
    """The benchmark of each task can say how many questions it has and what is computed."""
    tasks, _ = catalogue()
    assert len(tasks) > 100
    for task in tasks.values():
        assert task.questions > 0
        assert task.name.startswith(task.benchmark)


def test_groups_become_their_members_each_once() -> None:
    """Nested groups are followed, tasks of the host in a group of ours are left out."""
    names = [task.name for task in find_tasks(["scifibench", "scifibench_cs_fig2cap"])]
    assert names == [
        f"scifibench_{s}_{d}" for d in ("fig2cap", "cap2fig") for s in ("cs", "general")
    ]
    assert [task.name for task in find_tasks(["multimodal_gain"])] == ["mmstar_filtered"]
    with pytest.raises(InputError, match=r"Nearest: .*spiqa_testA"):
        find_tasks(["spiqa_testa"])


def test_a_yaml_of_ones_own_wins_over_what_it_includes(tmp_path: Path) -> None:
    """Three lines make a task: what they say counts, the rest is ours."""
    path = tmp_path / "mine.yaml"
    path.write_text(
        f"include: {yaml_folder()}/mmstar/mmstar_demo.yaml\ntask: mine\ndataset_name: ablation=grey\n"
    )
    task = read_task(path)
    assert (task.name, task.benchmark, task.split, task.settings) == (
        "mine",
        "mmstar",
        "demo",
        "ablation=grey",
    )
    assert load_yaml(path)["process_results"] == "spiqa_tasks.utils.answers.process_results"


@pytest.mark.parametrize(
    "text", ["", "[", "task: x", "- 1", "include: nowhere.yaml", "include: mine.yaml"]
)
def test_other_yamls_are_refused(tmp_path: Path, text: str) -> None:
    """One sentence names the file, whatever is wrong with it."""
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    with pytest.raises(InputError, match=r"mine\.yaml to be the YAML of a task"):
        read_task(path)


def _kept(folder: Path, ids: list[str]) -> Path:
    """A task made of the demo's by a filter."""
    folder.mkdir(exist_ok=True)
    (folder / "kept.json").write_text(json.dumps({"kept": [{"id": each} for each in ids]}))
    path = folder / "mine.yaml"
    path.write_text(f"include: {yaml_folder()}/mmstar/mmstar_demo.yaml\ntask: mine\n")
    return path


def test_a_task_has_what_its_yaml_says(tmp_path: Path) -> None:
    """Name, benchmark, split, settings, length; with a filter's list, the ids of its questions."""
    (shipped,) = find_tasks(["mmstar_demo"])
    assert shipped == Task("mmstar_demo", BENCHMARKS["mmstar"], "demo", "prompt=letter", None, 512)
    assert (shipped.questions, shipped.metrics[0]) == (24, "accuracy")
    path = _kept(tmp_path, ["3", "5"])
    expected = Task(
        "mine", BENCHMARKS["mmstar"], "demo", "prompt=letter", frozenset({"3", "5"}), 512
    )
    assert read_task(path) == expected
    assert expected.questions == 2
    assert find_tasks(["mine"], [tmp_path]) == [expected]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({}, None),
        ({"metadata": "text"}, None),
        ({"metadata": {"benchmark": "unknown"}, "test_split": "val"}, None),
        ({"metadata": {"benchmark": "mmstar"}}, None),
        (
            {"metadata": {"benchmark": "mmstar"}, "test_split": "val"},
            Task("t", BENCHMARKS["mmstar"], "val", ""),
        ),
        (
            {
                **{
                    "metadata": {"benchmark": "mmstar"},
                    "test_split": "demo",
                    "dataset_name": "prompt=bare",
                },
                "generation_kwargs": {"max_new_tokens": 9},
            },
            Task("t", BENCHMARKS["mmstar"], "demo", "prompt=bare", None, 9),
        ),
    ],
)
def test_a_yamls_values_are_a_task_where_they_name_one_of_ours(
    values: dict[str, Any], expected: Task | None
) -> None:
    """By the benchmark in its metadata and its split; a length that is not said is not known."""
    assert task_of({"task": "t", **values}) == expected


def test_values_that_a_run_logged_define_a_benchmark_that_is_registered_nowhere(
    tmp_path: Path,
) -> None:
    """Its definition is in their metadata."""
    write_own(tmp_path)
    own_definitions([tmp_path])
    definition = BENCHMARKS.pop("shapes").definition
    config = {
        "task": "shapes",
        "test_split": "test",
        "metadata": {"benchmark": "shapes", "definition": definition},
    }
    task = task_of(config)
    assert task is not None
    assert (task.benchmark, task.entry.definition, task.split) == ("shapes", definition, "test")
    assert task == task_of(dict(config))
    assert "shapes" not in BENCHMARKS


def test_a_sample_is_at_most_the_split() -> None:
    """A task that asks some of a split's questions has as many."""
    split, size = next(iter(BENCHMARKS["scifibench"].splits.items()))
    for sample, expected in (("sample=5", 5), ("sample=5000", size), ("sample=0", size)):
        assert Task("t", BENCHMARKS["scifibench"], split, sample).questions == expected


def test_benchmarks_of_ones_own_are_found_in_folders_with_their_tasks(tmp_path: Path) -> None:
    """Each once, however often its folder is named; YAMLs of other kinds beside it are left alone."""
    path = write_own(tmp_path / "a", variants="both")
    (tmp_path / "a" / "other.yaml").write_bytes(b"task: \xff\n")
    (tmp_path / "a" / "indented.yaml").write_text("x:\n  benchmark: shapes\n")
    (tmp_path / "a" / "folder.yaml").mkdir()
    (found,) = own_definitions([tmp_path, tmp_path / "a"])
    assert (found.benchmark, found.folder) == ("shapes", tmp_path / "a")
    for name in ("other", "indented"):
        (tmp_path / "a" / f"{name}.yaml").unlink()
    (tmp_path / "a" / "folder.yaml").rmdir()
    tasks, groups = catalogue([tmp_path])
    length = BENCHMARKS["shapes"].max_new_tokens
    names = ["shapes", "shapes_grey", "shapes_text"]
    assert [tasks[name].name for name in names] == names
    assert {tasks[name].length for name in names} == {length}
    assert {tasks[name].settings for name in names} == {
        text for _, text in BENCHMARKS["shapes"].tasks.values()
    }
    assert groups["shapes_both"] == tuple(BENCHMARKS["shapes"].groups["shapes_both"])
    assert read_task(path) == tasks["shapes"]
    second = write_own(tmp_path / "b")
    for look in (own_definitions, catalogue):
        with pytest.raises(InputError) as caught:
            look([tmp_path])
        assert str(caught.value) == (
            f"Expected one benchmark: shapes, found two, in {path.parent} and {second.parent}. Rename one."
        )


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("spiqa_testa", "Nearest: spiqa_testA. "),
        ("mmstar_dem", "Nearest: mmstar_demo, mmstar_demo_llm, mmstar_demo_text. "),
        ("zzz", ""),
    ],
)
def test_the_nearest_names_are_told(name: str, found: str) -> None:
    """One that differs in capitals alone, else the three that are most alike; none where none is."""
    with pytest.raises(InputError) as caught:
        find_tasks([name])
    told = str(caught.value)
    start = f"Expected the name of a task or group, found {name!r}. "
    assert told == f"{start}{found}`spiqa-tasks list` shows all."


def _write(name: str, listing: str) -> Path:
    """A filtered task with this content of its list of kept questions."""
    folder = user_folder() / name
    folder.mkdir(parents=True)
    (folder / KEPT).write_text(listing)
    return folder


def _source(path: Path) -> str:
    path.write_text("task: source\n")
    return json.dumps({"source_yaml": str(path), "kept": []})


def test_all_whose_source_is_there_are_found_by_name(tmp_path: Path) -> None:
    """In the order of their names; a folder without a list is no task."""
    listing = _source(tmp_path / "source.yaml")
    folders = [_write(name, listing) for name in ("b", "a", "c")]
    (user_folder() / "other").mkdir()
    assert filtered_tasks() == sorted(folders)


def test_a_task_whose_source_is_gone_is_left_out_with_a_line(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The line names both; the others are found, and the task is found again when its source is back."""
    gone, there = tmp_path / "gone.yaml", tmp_path / "there.yaml"
    first, second = _write("a", _source(gone)), _write("b", _source(there))
    gone.unlink()
    assert filtered_tasks() == [second]
    assert f"The task in {first} is left out, its source {gone} is gone." in caplog.messages
    gone.mkdir()
    assert filtered_tasks() == [second]
    gone.rmdir()
    _source(gone)
    assert filtered_tasks() == [first, second]


def test_a_variable_names_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Several as in PATH, in their order, `~` for the home; none where it is not set, and one that is gone is named."""
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    monkeypatch.setenv("HOME", str(tmp_path))
    listed = os.pathsep.join([str(tmp_path / "b"), "", "~/a"])
    for value, expected in ((listed, [tmp_path / "b", tmp_path / "a"]), ("", [])):
        monkeypatch.setenv(INCLUDE, value)
        assert included_folders() == expected
    monkeypatch.setenv(INCLUDE, os.pathsep.join([str(tmp_path), "gone"]))
    with pytest.raises(
        InputError, match=r"Expected a folder with YAMLs .* found gone\. .* SPIQA_TASKS_INCLUDE"
    ):
        catalogue()
