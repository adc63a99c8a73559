"""Every YAML is a task of the host, found without a flag, under a name of its own."""

from collections import Counter
from typing import Any

import pytest

from spiqa_tasks.benchmarks.registry import yaml_folder
from spiqa_tasks.hosts.catalogue import catalogue, find_tasks, load_yaml

MOST_ROWS = {"spiqa": 16, "mmstar": 12, "scifibench": 8}


@pytest.fixture(scope="module")
def manager() -> Any:
    """The host's index without its own tasks."""
    import lmms_eval.models  # noqa: F401 - loads the entry points, as the host's command does
    from lmms_eval.tasks import TaskManager

    return TaskManager("WARNING", include_defaults=False)


@pytest.fixture(scope="module")
def host_index(manager: Any) -> dict[str, Any]:
    """The host's own tasks and groups, without ours."""
    index = type(manager).initialize_tasks.__wrapped__(
        manager, include_path=None, include_defaults=True
    )
    return dict(index)


def test_every_yaml_is_indexed_by_the_host(manager: Any) -> None:
    """Tasks and groups of our folder are in an index that was given no folder, and they come
    from our folder.
    """
    tasks, groups = catalogue()
    for name in [*tasks, *groups]:
        assert manager.task_index[name]["yaml_path"].startswith(str(yaml_folder())), name


def test_no_name_exists_in_the_host(host_index: dict[str, Any]) -> None:
    """The host's own task would win silently, so a name may be in one of the two only."""
    assert len(host_index) > 500
    tasks, groups = catalogue()
    assert not host_index.keys() & {*tasks, *groups}


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
    """The host resolves every dotted name of every task, and the catalogue sees what the host
    sees.
    """
    tasks, _ = catalogue()
    for name, task in tasks.items():
        config = manager._get_config(name)
        assert callable(config["process_docs"])
        assert callable(config["process_results"])
        assert all(callable(entry["aggregation"]) for entry in config["metric_list"])
        rows = [entry["metric"] for entry in config["metric_list"]]
        settings = task.benchmark.parse(task.settings_text)
        assert set(task.benchmark.rows_of_table(settings)) <= set(rows)
        assert config["metadata"]["headline"] == task.metric_names[
            0
        ] or task.settings_text.startswith("prompt=caption")
        assert config["test_split"] == task.split


def test_tables_are_short_and_begin_with_the_headline() -> None:
    """Whatever its settings, a task's table has at most 16, 12 and 8 rows, and the headline is
    the first.
    """
    tasks, _ = catalogue()
    for name, task in tasks.items():
        for protocol in ("corrected", "both") if task.benchmark_name == "spiqa" else ("",):
            settings = task.benchmark.parse(
                f"{task.settings_text},protocol={protocol}" if protocol else task.settings_text
            )
            rows = task.benchmark.rows_of_table(settings)
            assert len(rows) <= MOST_ROWS[task.benchmark_name], name
            assert next(iter(rows)) == task.benchmark.metrics(settings)[0].name


def test_multimodal_gain_has_tasks_of_the_host_or_ours(
    manager: Any, host_index: dict[str, Any]
) -> None:
    """Seven members, each a single task in the host's index; our commands take ours and leave
    the host's to it.
    """
    members = load_yaml(yaml_folder() / "mmstar" / "multimodal_gain.yaml")["task"]
    assert len(members) == 7
    index = host_index | manager.task_index
    assert {name: index[name]["type"] for name in members} == dict.fromkeys(members, "task")
    assert [task.name for task in find_tasks(["multimodal_gain"])] == ["mmstar_filtered"]
