"""What our YAMLs define, read without the host: the catalogue behind `spiqa-tasks list`, `prepare` and `score`."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.lmms_eval.registration import yaml_folder


@dataclass(frozen=True)
class Task:
    """A task as its YAML says: benchmark, split, settings text, metrics with each one's aggregation, scoring hook."""

    name: str
    benchmark: str
    split: str
    settings: str
    metrics: tuple[str, ...]
    aggregations: tuple[str, ...] = ()
    process_results: str = ""


class _Loader(yaml.SafeLoader):
    """Reads the host's YAML dialect, keeping `!function` as the dotted name."""


_Loader.add_constructor("!function", lambda _, node: node.value)


def load_yaml(path: Path) -> dict[str, Any]:
    """A YAML with its `include` resolved as the host does: what the file says wins over what it includes."""
    config: dict[str, Any] = yaml.load(path.read_text(encoding="utf-8"), _Loader)
    included = config.pop("include", None)
    if included is None:
        return config
    return {**load_yaml(path.parent / included), **config}


def catalogue() -> tuple[dict[str, Task], dict[str, tuple[str, ...]]]:
    """All tasks by name, and all groups with their members."""
    tasks: dict[str, Task] = {}
    groups: dict[str, tuple[str, ...]] = {}
    for path in sorted(yaml_folder().rglob("*.yaml")):
        config = load_yaml(path)
        if "group" in config:
            groups[config["group"]] = tuple(config["task"])
        elif "task" in config:
            tasks[config["task"]] = Task(
                config["task"],
                path.parent.name,
                config["test_split"],
                config["dataset_name"],
                tuple(entry["metric"] for entry in config["metric_list"]),
                tuple(entry["aggregation"] for entry in config["metric_list"]),
                config["process_results"],
            )
    return tasks, groups


def find_tasks(names: Iterable[str]) -> list[Task]:
    """The tasks of `names`, groups replaced by their members, each once.

    Raises:
        InputError: a name that is neither task nor group; the message has the nearest ones.
    """
    tasks, groups = catalogue()
    found: dict[str, Task] = {}

    def add(name: str) -> None:
        if name in tasks:
            found[name] = tasks[name]
        elif name in groups:
            for member in groups[name]:
                if member in tasks or member in groups:  # a group may have tasks of the host too
                    add(member)
        else:
            near = difflib.get_close_matches(name, [*tasks, *groups], n=3, cutoff=0.4)
            raise InputError(
                f"Expected the name of a task or group, found {name!r}. "
                + (f"Nearest: {', '.join(near)}. " if near else "")
                + "`spiqa-tasks list` shows all."
            )

    for name in names:
        add(name)
    return list(found.values())
