"""What the task YAMLs define."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from spiqa_tasks.benchmarks.registry import BENCHMARKS, Task, task_of, yaml_folder
from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.catalogue import (
    KEPT,
    catalogue,
    filtered_tasks,
    find_tasks,
    load_yaml,
    user_folder,
)


def test_every_task_has_a_known_split_settings_and_metrics() -> None:
    """The benchmark of each task can say how many questions it has and what is computed."""
    tasks, _ = catalogue()
    assert len(tasks) > 100
    for task in tasks.values():
        assert task.questions > 0
        assert task.name.startswith(task.benchmark_name)


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
        f"include: {yaml_folder()}/mmstar/mmstar_demo.yaml\ntask: mine\ndataset_name:"
        " ablation=grey\n"
    )
    (task,) = find_tasks(["mine"], [tmp_path])
    assert (task.name, task.benchmark_name, task.split, task.settings_text) == (
        "mine",
        "mmstar",
        "demo",
        "ablation=grey",
    )
    assert load_yaml(path)["process_results"] == "spiqa_tasks.utils.answers.process_results"


def test_a_folder_is_no_yaml_whatever_its_name(tmp_path: Path) -> None:
    """The YAMLs within it are read."""
    (tmp_path / "mine.yaml").mkdir()
    included = f"include: {yaml_folder()}/mmstar/mmstar_demo.yaml\ntask: mine\n"
    (tmp_path / "mine.yaml" / "task.yaml").write_text(included)
    assert [task.name for task in find_tasks(["mine"], [tmp_path])] == ["mine"]


@pytest.mark.parametrize("text", ["", "[", "- 1", "include: nowhere.yaml", "include: mine.yaml"])
def test_broken_yamls_are_refused(tmp_path: Path, text: str) -> None:
    """One sentence names the file, whatever is wrong with it."""
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    with pytest.raises(InputError, match=r"mine\.yaml to be the YAML of a task"):
        find_tasks(["mine"], [tmp_path])


def test_the_yaml_of_another_task_is_none_of_ours(tmp_path: Path) -> None:
    """Its name is not known."""
    (tmp_path / "mine.yaml").write_text("task: mine")
    with pytest.raises(InputError, match="Expected the name of a task or group, found 'mine'"):
        find_tasks(["mine"], [tmp_path])


def _kept(folder: Path, ids: list[str]) -> Path:
    """Write a task that a filter made of the demo's."""
    folder.mkdir(exist_ok=True)
    (folder / "kept.json").write_text(json.dumps({"kept": [{"id": each} for each in ids]}))
    path = folder / "mine.yaml"
    path.write_text(f"include: {yaml_folder()}/mmstar/mmstar_demo.yaml\ntask: mine\n")
    return path


def test_a_task_has_what_its_yaml_says(tmp_path: Path) -> None:
    """Name, benchmark, split, settings, length; with a filter's list, the ids of its questions."""
    (shipped,) = find_tasks(["mmstar_demo"])
    assert shipped == Task("mmstar_demo", "mmstar", "demo", "prompt=letter", None, 512)
    assert (shipped.questions, shipped.metric_names[0]) == (24, "accuracy")
    _kept(tmp_path, ["3", "5"])
    expected = Task("mine", "mmstar", "demo", "prompt=letter", frozenset({"3", "5"}), 512)
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
            Task("t", "mmstar", "val", ""),
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
            Task("t", "mmstar", "demo", "prompt=bare", None, 9),
        ),
    ],
)
def test_a_yamls_values_are_a_task_where_they_name_one_of_ours(
    values: dict[str, Any], expected: Task | None
) -> None:
    """By the benchmark in its metadata and its split; a length that is not said is not known."""
    assert task_of({"task": "t", **values}) == expected


def test_a_group_has_the_members_that_it_names(tmp_path: Path) -> None:
    """As the host's groups do: one name stands without a list; what the host defines within a
    group is its own.
    """
    within = {"task": "mine", "test_split": "demo"}
    for group, members in {"g": ["spiqa_demo", within, "one"], "one": "mmstar_demo"}.items():
        text = yaml.safe_dump({"group": group, "task": members})
        (tmp_path / f"{group}.yaml").write_text(text, encoding="utf-8")
    names = [task.name for task in find_tasks(["g"], [tmp_path])]
    assert names == ["spiqa_demo", "mmstar_demo"]


def test_a_sample_is_at_most_the_split() -> None:
    """A task that asks some of a split's questions has as many."""
    split, size = next(iter(BENCHMARKS["scifibench"].splits.items()))
    for sample, expected in (("sample=5", 5), ("sample=5000", size), ("sample=0", size)):
        assert Task("t", "scifibench", split, sample).questions == expected


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("spiqa_testa", "Nearest: spiqa_testA, spiqa_testC, spiqa_testB. "),
        ("mmstar_dem", "Nearest: mmstar_demo, mmstar_demo_llm, mmstar_demo_text. "),
        ("zzz", ""),
    ],
)
def test_the_nearest_names_are_told(name: str, found: str) -> None:
    """The three that are most alike, whatever their capitals; none where none is."""
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
    """The line names both; the others are found, and the task is found again when its source is
    back.
    """
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
