"""What the task YAMLs define, read without the host: the catalogue behind `spiqa-tasks list`, `prepare` and `score`."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from spiqa_tasks.benchmarks.benchmark import Benchmark
from spiqa_tasks.benchmarks.registry import BENCHMARKS, yaml_folders
from spiqa_tasks.errors import InputError


@dataclass(frozen=True)
class Task:
    """A task as its YAML says: benchmark, split and the text of its settings."""

    name: str
    benchmark: str
    split: str
    settings: str

    @property
    def entry(self) -> Benchmark:
        """The task's benchmark."""
        return BENCHMARKS[self.benchmark]

    @property
    def metrics(self) -> tuple[str, ...]:
        """The names of the task's metrics, the headline first."""
        return tuple(metric.name for metric in self.entry.metrics(self.entry.parse(self.settings)))

    @property
    def headline(self) -> str:
        """The metric that speaks for a run."""
        return self.metrics[0]

    @property
    def questions(self) -> int:
        """How many questions the whole split has."""
        return self.entry.splits[self.split]


class _Loader(yaml.SafeLoader):
    """Reads the host's YAML dialect, keeping `!function` as the dotted name."""


_Loader.add_constructor("!function", lambda _, node: node.value)


def load_yaml(path: Path) -> dict[str, Any]:
    """Return a YAML with its `include` resolved as the host does: what the file says wins over what it includes."""
    config: dict[str, Any] = yaml.load(path.read_text(encoding="utf-8"), _Loader)
    included = config.pop("include", None)
    if included is None:
        return config
    return {**load_yaml(path.parent / included), **config}


def catalogue() -> tuple[dict[str, Task], dict[str, tuple[str, ...]]]:
    """Return all tasks by name, and all groups with their members."""
    tasks: dict[str, Task] = {}
    groups: dict[str, tuple[str, ...]] = {}
    for path in (path for folder in yaml_folders() for path in sorted(folder.rglob("*.yaml"))):
        config = load_yaml(path)
        if "group" in config:
            groups[config["group"]] = tuple(config["task"])
        elif "task" in config:
            tasks[config["task"]] = task_of(config)
    return tasks, groups


def task_of(config: dict[str, Any]) -> Task:
    """Return the task that a YAML's values describe; KeyError where it is none of ours."""
    return Task(
        config["task"], config["metadata"]["benchmark"], config["test_split"], str(config.get("dataset_name") or "")
    )


def read_task(path: Path) -> Task:
    """Return the task of a YAML of one's own that includes one of ours.

    Raises:
        InputError: no such file, or no YAML of such a task.
    """
    try:
        return task_of(load_yaml(path))
    except (OSError, yaml.YAMLError, KeyError, TypeError, AttributeError) as error:
        raise InputError(
            f"Expected {path} to be the YAML of a task that includes one of this package's, found "
            f"{type(error).__name__} {error}. `spiqa-tasks path` prints the folder of those."
        ) from error


def find_tasks(names: Iterable[str]) -> list[Task]:
    """Return the tasks of `names`, groups replaced by their members, each once.

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
