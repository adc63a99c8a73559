"""What the task YAMLs define."""

from __future__ import annotations

from pathlib import Path

import pytest

from spiqa_tasks.benchmarks.registry import yaml_folder
from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.catalogue import catalogue, find_tasks, load_yaml, read_task


def test_every_task_has_a_known_split_settings_and_metrics() -> None:
    """The benchmark of each task can say how many questions it has and what is computed."""
    tasks, _ = catalogue()
    assert len(tasks) > 100
    for task in tasks.values():
        assert task.questions > 0
        assert task.headline == task.metrics[0]
        assert task.name.startswith(task.benchmark)


def test_groups_become_their_members_each_once() -> None:
    """Nested groups are followed, tasks of the host in a group of ours are left out."""
    names = [task.name for task in find_tasks(["scifibench", "scifibench_cs_fig2cap"])]
    assert names == [f"scifibench_{s}_{d}" for d in ("fig2cap", "cap2fig") for s in ("cs", "general")]
    assert [task.name for task in find_tasks(["multimodal_gain"])] == ["mmstar_filtered"]
    with pytest.raises(InputError, match=r"Nearest: .*spiqa_testA"):
        find_tasks(["spiqa_testa"])


def test_a_yaml_of_ones_own_wins_over_what_it_includes(tmp_path: Path) -> None:
    """Three lines make a task: what they say counts, the rest is ours."""
    path = tmp_path / "mine.yaml"
    path.write_text(f"include: {yaml_folder()}/mmstar/mmstar_demo.yaml\ntask: mine\ndataset_name: ablation=grey\n")
    task = read_task(path)
    assert (task.name, task.benchmark, task.split, task.settings) == ("mine", "mmstar", "demo", "ablation=grey")
    assert load_yaml(path)["process_results"] == "spiqa_tasks.utils.answers.process_results"


@pytest.mark.parametrize("text", ["{", "[]", '{"kept": [{}]}', '{"kept": null}', "[" * 200_000])
def test_a_damaged_list_of_kept_questions_is_one_sentence(tmp_path: Path, text: str) -> None:
    """What a filter wrote is named, with what to do."""
    (tmp_path / "kept.json").write_text(text)
    path = tmp_path / "mine.yaml"
    path.write_text(f"include: {yaml_folder()}/mmstar/mmstar_demo.yaml\ntask: mine\n")
    with pytest.raises(InputError, match=r"kept\.json to list .* Run `spiqa-tasks filter` again"):
        read_task(path)


@pytest.mark.parametrize("text", ["", "[", "task: x", "- 1", "include: nowhere.yaml"])
def test_other_yamls_are_refused(tmp_path: Path, text: str) -> None:
    """One sentence names the file, whatever is wrong with it."""
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    with pytest.raises(InputError, match=r"mine\.yaml to be the YAML of a task"):
        read_task(path)
