"""List the tasks and groups that the YAMLs define, without the host."""

from __future__ import annotations

import dataclasses
import difflib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from spiqa_tasks.benchmarks.benchmark import Benchmark
from spiqa_tasks.benchmarks.own import is_definition
from spiqa_tasks.benchmarks.registry import BENCHMARKS, load_plugins, register_own, yaml_folder
from spiqa_tasks.benchmarks.task import Task, task_of
from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.filtered_tasks import DAMAGED, KEPT, filtered_tasks, included_folders

if TYPE_CHECKING:
    from spiqa_tasks.benchmarks.own.definition import Definition

_OWN = re.compile(r"^benchmark:", re.MULTILINE)


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """Reads the host's YAML dialect, keeping `!function` as the dotted name."""


_Loader.add_constructor("!function", lambda _, node: node.value)


def load_yaml(path: Path) -> dict[str, Any]:
    """Return a YAML with its `include` resolved as the host does: what the file says wins over what it includes."""
    config = dict(_parsed(path.read_text(encoding="utf-8")))
    included = config.pop("include", None)
    if included is None:
        return config
    return {**load_yaml(path.parent / included), **config}


@lru_cache(maxsize=64)
def _parsed(text: str) -> dict[str, Any]:
    """The values of a YAML's text; every task of a benchmark includes the same template."""
    parsed = yaml.load(text, _Loader)
    if not isinstance(parsed, dict):
        raise ValueError("no names with values")
    return parsed


Found = tuple[dict[str, Task], dict[str, tuple[str, ...]]]


def catalogue(include: Iterable[Path] = ()) -> Found:
    """Return all tasks of the benchmarks by name, and all groups with their members; `include` has more folders."""
    load_plugins()
    tasks = {name: task for each in BENCHMARKS.values() for name, task in _tasks_of(each).items()}
    groups = {name: tuple(members) for each in BENCHMARKS.values() for name, members in each.groups.items()}
    for more_tasks, more_groups in (_shipped(), _defined_in([*included_folders(), *include])):
        tasks |= more_tasks
        groups |= more_groups
    return tasks, groups


@cache
def _shipped() -> Found:
    """The package's own tasks and groups; their YAMLs are read once."""
    return _defined_in([yaml_folder()])


def _defined_in(folders: Iterable[Path]) -> Found:
    """The tasks and groups that the YAMLs in some folders define."""
    tasks: dict[str, Task] = {}
    groups: dict[str, tuple[str, ...]] = {}
    own: dict[str, Definition] = {}
    for path in (path for folder in folders for path in sorted(folder.rglob("*.yaml"))):
        config = _read_yaml(path)
        if is_definition(config):
            definition = _add_own(own, config, path)
            tasks |= _tasks_of(BENCHMARKS[definition.benchmark])
            groups |= definition.groups
        elif "group" in config:
            groups[config["group"]] = tuple(config["task"])
        elif (task := _task_in(path, config)) is not None:
            tasks[task.name] = task
    return tasks, groups


def own_definitions(folders: Iterable[Path]) -> list[Definition]:
    """Return the benchmarks of one's own whose YAMLs are in some folders, and make them known.

    Raises:
        InputError: a YAML with an unknown key or value, or two with one name.
    """
    found: dict[str, Definition] = {}
    for path in dict.fromkeys(path.resolve() for folder in folders for path in sorted(folder.rglob("*.yaml"))):
        if path.is_file() and _OWN.search(path.read_text(encoding="utf-8", errors="replace")):
            config = _read_yaml(path)
            if is_definition(config):
                _add_own(found, config, path)
    return list(found.values())


def _add_own(found: dict[str, Definition], config: Mapping[str, Any], path: Path) -> Definition:
    """Register and add the definition in a YAML; refuse another one of the same name."""
    definition = register_own(config, path.resolve().parent)
    earlier = found.setdefault(definition.benchmark, definition)
    if earlier != definition:
        raise InputError(
            f"Expected one YAML with benchmark: {definition.benchmark}, found two, in {earlier.folder} and "
            f"{definition.folder}. Rename one."
        )
    return definition


def _tasks_of(benchmark: Benchmark) -> dict[str, Task]:
    """The tasks of a benchmark that has no YAMLs of a host's."""
    length = benchmark.max_new_tokens
    return {name: Task(name, benchmark, *what, length=length) for name, what in benchmark.tasks.items()}


def _read_yaml(path: Path) -> dict[str, Any]:
    try:
        return load_yaml(path)
    except (yaml.YAMLError, OSError, ValueError, TypeError, AttributeError) as error:
        raise InputError(
            f"Expected {path} to be the YAML of a task, found {type(error).__name__} {error}. Correct it."
        ) from error


def _task_in(path: Path, config: Mapping[str, Any]) -> Task | None:
    task = task_of(config) if "task" in config else None
    return task if task is None else dataclasses.replace(task, kept=_kept(path.with_name(KEPT)))


def _kept(listing: Path) -> frozenset[str] | None:
    if not listing.is_file():
        return None
    try:
        return frozenset(str(question["id"]) for question in json.loads(listing.read_text(encoding="utf-8"))["kept"])
    except DAMAGED as error:
        raise InputError(
            f"Expected {listing} to list the questions that a filter kept, found {type(error).__name__} {error}. "
            "Run `spiqa-tasks filter` again."
        ) from error


def read_task(path: Path) -> Task:
    """Return the task of a YAML of one's own that includes one of ours.

    Raises:
        InputError: no such file, or no YAML of such a task.
    """
    config = _read_yaml(path)
    if is_definition(config):
        definition = register_own(config, path.resolve().parent)
        return _tasks_of(BENCHMARKS[definition.benchmark])[definition.benchmark]
    task = _task_in(path, config)
    if task is None:
        raise InputError(
            f"Expected {path} to be the YAML of a task that includes one of this package's, found another. "
            "`spiqa-tasks list --folder` prints the folder of those."
        )
    return task


def find_tasks(names: Iterable[str], include: Iterable[Path] = ()) -> list[Task]:
    """Return the tasks of `names`, groups replaced by their members, each once.

    Args:
        names: of tasks and groups.
        include: folders with YAMLs of further tasks.

    Raises:
        InputError: a name that is neither task nor group; the message has the nearest ones.
    """
    tasks, groups = catalogue([*filtered_tasks(), *include])
    found: dict[str, Task] = {}
    for name in names:
        if name not in tasks and name not in groups:
            every = [*tasks, *groups]
            near = [known for known in every if known.casefold() == name.casefold()]
            near = near or difflib.get_close_matches(name, every, n=3, cutoff=0.4)
            raise InputError(
                f"Expected the name of a task or group, found {name!r}. "
                + (f"Nearest: {', '.join(near)}. " if near else "")
                + "`spiqa-tasks list` shows all."
            )
        found |= members_of(name, tasks, groups)
    return list(found.values())


def members_of(name: str, tasks: Mapping[str, Task], groups: Mapping[str, Sequence[str]]) -> dict[str, Task]:
    """Return a task, or the tasks of a group and of the groups in it, by name, without those of the host."""
    if name in tasks:
        return {name: tasks[name]}
    members = groups.get(name, ())
    return {key: task for member in members for key, task in members_of(member, tasks, groups).items()}
