"""Every YAML is a task of the host, found without a flag, under a name of its own."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from spiqa_tasks.benchmarks.registry import yaml_folder
from spiqa_tasks.hosts.lmms_eval.catalogue import catalogue, load_yaml


@pytest.fixture(scope="module")
def manager() -> Any:
    import lmms_eval.models  # noqa: F401 - loads the entry points, as the host's command does
    from lmms_eval.tasks import TaskManager

    return TaskManager("WARNING")


def test_every_yaml_is_indexed_by_the_host(manager: Any) -> None:
    """Tasks and groups of our folder are in an index that was given no folder, and they come from our folder."""
    tasks, groups = catalogue()
    for name in [*tasks, *groups]:
        assert manager.task_index[name]["yaml_path"].startswith(str(yaml_folder())), name


def test_no_name_exists_in_the_host() -> None:
    """The host's own task would win silently, so a name may be in one of the two only."""
    from lmms_eval.tasks import TaskManager

    own = TaskManager.initialize_tasks.__wrapped__
    host = set(own(TaskManager("WARNING"), include_path=None, include_defaults=True))
    assert len(host) > 500
    tasks, groups = catalogue()
    assert not host & {*tasks, *groups}


def test_names_are_unique_and_lower_case_benchmark_first() -> None:
    """No two YAMLs define one name; names start with their benchmark's folder."""
    names = Counter()
    for path in yaml_folder().rglob("*.yaml"):
        config = load_yaml(path)
        name = config.get("group", config.get("task"))
        names[name] += 1
        assert path.stem == name, path
    assert set(names.values()) == {1}


def test_every_hook_and_metric_resolves(manager: Any) -> None:
    """The host resolves every dotted name of every task, and the catalogue sees what the host sees."""
    tasks, _ = catalogue()
    for name, task in tasks.items():
        config = manager._get_config(name)
        assert callable(config["process_docs"])
        assert callable(config["process_results"])
        assert all(callable(entry["aggregation"]) for entry in config["metric_list"])
        assert tuple(entry["metric"] for entry in config["metric_list"]) == task.metrics
        assert config["test_split"] == task.split
