"""List the tasks and groups of YAMLs without the host: this package's, users', and those that
`filter` wrote.
"""

import dataclasses
import difflib
import json
import logging
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from spiqa_tasks.benchmarks.registry import Task, task_of, yaml_folder
from spiqa_tasks.errors import InputError, found_instead
from spiqa_tasks.files.atomic import cache_path

logger = logging.getLogger("spiqa_tasks")

# The file in a filtered task's folder that lists its questions.
KEPT = "kept.json"


class Catalogue(NamedTuple):
    """Tasks by name, and groups with the names of their members."""

    tasks: dict[str, Task]
    groups: dict[str, tuple[str, ...]]

    def members(self, name: str) -> dict[str, Task]:
        """Return a task, or the tasks of a group and of the groups in it, by name, without those of
        the host.
        """
        if name in self.tasks:
            return {name: self.tasks[name]}
        members: dict[str, Task] = {}
        for member in self.groups.get(name, ()):
            members |= self.members(member)
        return members


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """Reads the host's YAML dialect, keeping `!function` as the dotted name."""


_Loader.add_constructor("!function", lambda _, node: node.value)


def load_yaml(path: Path) -> dict[str, Any]:
    """Return a YAML with its `include` resolved as the host does: what the file says wins over
    what it includes.
    """
    config = dict(_parsed(path.read_text(encoding="utf-8")))
    included = config.pop("include", None)
    return config if included is None else load_yaml(path.parent / included) | config


@lru_cache(maxsize=64)  # every task of a benchmark includes the same template
def _parsed(text: str) -> dict[str, Any]:
    """Return the values of a YAML. Raises ValueError: it is no mapping."""
    parsed = yaml.load(text, _Loader)
    if not isinstance(parsed, dict):
        raise ValueError("no names with values")
    return parsed


def user_folder() -> Path:
    """Return the folder of the filtered tasks, in the cache; it need not exist."""
    return cache_path() / "tasks"


def filtered_tasks() -> list[Path]:
    """Return the folders of filtered tasks whose source task exists.

    The host cannot index others.
    """
    folders = []
    for listing in sorted(user_folder().glob(f"*/{KEPT}")):
        source = Path(json.loads(listing.read_text(encoding="utf-8"))["source_yaml"])
        if source.is_file():
            folders.append(listing.parent)
        else:
            logger.warning(
                "The task in %s is left out, its source %s is gone.", listing.parent, source
            )
    return folders


def catalogue(include: Iterable[Path] = ()) -> Catalogue:
    """Return all tasks by name, and all groups with their members.

    Raises InputError: one of `include` is no folder.
    """
    tasks, groups = _shipped()
    more_tasks, more_groups = _defined_in([*include])
    return Catalogue(tasks | more_tasks, groups | more_groups)


@cache
def _shipped() -> Catalogue:
    """The package's own tasks and groups; their YAMLs are read once."""
    return _defined_in([yaml_folder()])


def _defined_in(folders: Sequence[Path]) -> Catalogue:
    """Return the tasks and groups that the YAMLs of folders define.

    Raises InputError: one of these is no folder.
    """
    tasks: dict[str, Task] = {}
    groups: dict[str, tuple[str, ...]] = {}
    for folder in folders:
        if not folder.is_dir():
            raise InputError(
                f"Expected a folder with YAMLs of tasks, found {folder}. Correct --include-path."
            )
        for path in filter(Path.is_file, sorted(folder.rglob("*.yaml"))):
            config = _read_yaml(path)
            if "group" in config:
                groups[str(config["group"])] = _members(config)
            elif (task := _task_in(path, config)) is not None:
                tasks[task.name] = task
    return Catalogue(tasks, groups)


def _members(group: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of a group's members, without those that the host defines within it."""
    members = group.get("task") or ()
    if isinstance(members, str):
        return (members,)
    return tuple(member for member in members if isinstance(member, str))


def _read_yaml(path: Path) -> dict[str, Any]:
    """Return a YAML with what it includes. Raises InputError: it cannot be read."""
    try:
        return load_yaml(path)
    except (yaml.YAMLError, OSError, ValueError, TypeError, RecursionError) as error:
        raise InputError(
            f"Expected {path} to be the YAML of a task, found {found_instead(error)}. Correct it,"
            " or name another."
        ) from error


def _task_in(path: Path, config: Mapping[str, Any]) -> Task | None:
    """The task of a YAML, with the questions that a filter kept."""
    task = task_of(config) if "task" in config else None
    listing = path.with_name(KEPT)
    if task is None or not listing.is_file():
        return task

    kept = json.loads(listing.read_text(encoding="utf-8"))["kept"]
    return dataclasses.replace(task, kept=frozenset(str(question["id"]) for question in kept))


def find_tasks(names: Iterable[str], include: Iterable[Path] = ()) -> list[Task]:
    """Return the tasks of tasks and groups, each once; `include` has more folders.

    Raises InputError: unknown name.
    """
    known = catalogue([*filtered_tasks(), *include])
    tasks: dict[str, Task] = {}
    for name in names:
        if name not in known.tasks and name not in known.groups:
            every = [*known.tasks, *known.groups]
            raise unknown_name("a task or group", name, every, "`spiqa-tasks list` shows all.")
        tasks |= known.members(name)
    return list(tasks.values())


def unknown_name(what: str, name: str, names: Iterable[str], remedy: str) -> InputError:
    """Return the error for a name that is not known, with the nearest ones in any case."""
    by_folded = {known.casefold(): known for known in names}
    folded = difflib.get_close_matches(name.casefold(), by_folded, n=3, cutoff=0.4)
    near = [by_folded[match] for match in folded]
    nearest = f"Nearest: {', '.join(near)}. " if near else ""
    return InputError(f"Expected the name of {what}, found {name!r}. {nearest}{remedy}")
