"""The group of the paper's seven benchmarks names tasks that the host has."""

from __future__ import annotations

from spiqa_tasks.hosts.lmms_eval.registration import index_tasks, yaml_folder
from spiqa_tasks.hosts.lmms_eval.catalogue import find_tasks, load_yaml


def test_members_are_tasks_of_the_host_or_ours() -> None:
    """Seven members, each a single task in the host's index."""
    from lmms_eval.tasks import TaskManager

    index_tasks()
    index = TaskManager("WARNING").task_index
    members = load_yaml(yaml_folder() / "mmstar" / "multimodal_gain.yaml")["task"]
    assert len(members) == 7
    assert {name: index[name]["type"] for name in members} == dict.fromkeys(members, "task")


def test_our_commands_take_our_members() -> None:
    """`prepare` fetches what is ours and leaves the host's tasks to the host."""
    assert [task.name for task in find_tasks(["multimodal_gain"])] == ["mmstar_filtered"]
