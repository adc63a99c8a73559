"""`list`: every task and group, and whether their data is there; the folder of their YAMLs."""

import argparse
from collections.abc import Mapping
from typing import Any

from spiqa_tasks.benchmarks.registry import BENCHMARKS, is_there, yaml_folder
from spiqa_tasks.benchmarks.task import Task
from spiqa_tasks.errors import InputError
from spiqa_tasks.files.source import Source, default_source
from spiqa_tasks.hosts.catalogue import catalogue, included_folders, members_of
from spiqa_tasks.report.printer import Column, Table, add_format, render, shown


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("--benchmark", choices=sorted(BENCHMARKS), help="only the tasks and groups of this one")
    parser.add_argument(
        "--folder",
        action="store_true",
        help="print the folder of the task YAMLs instead, for --include_path of lmms-eval",
    )
    parser.add_argument("--search", default="", metavar="TEXT", help="only those with TEXT in their name or settings")
    add_format(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the tasks and groups, or those that match; with `--folder` the folder of the package's YAMLs."""
    if arguments.folder:
        folders = [str(folder) for folder in (yaml_folder(), *included_folders())]
        rows = [{"path": folder} for folder in folders]
        text = arguments.format == "text"
        whole = {"path": folders[0], "folders": folders}  # those that are always searched, for programs
        print(folders[0] if text else render(arguments.format, Table(rows, ["path"], []), whole=whole))
        return 0
    tasks, groups = catalogue()
    source = default_source()
    text = arguments.search.lower()
    rows = [
        _row(task, source)
        for task in tasks.values()
        if arguments.benchmark in (None, task.benchmark) and text in f"{task.name} {task.settings}".lower()
    ]
    of_benchmarks = {name: {task.benchmark for task in members_of(name, tasks, groups).values()} for name in groups}
    groups = {
        name: members
        for name, members in groups.items()
        if text in name.lower() and (arguments.benchmark is None or arguments.benchmark in of_benchmarks[name])
    }
    if not rows and not groups:
        raise InputError(
            f"Expected a task or group with {arguments.search!r} in its name or settings, found none. "
            "`spiqa-tasks list` shows all."
        )
    print(_printed(arguments.format, rows, groups, bool(rows and text)))
    return 0


def _printed(form: str, rows: list[dict[str, Any]], groups: Mapping[str, tuple[str, ...]], is_search: bool) -> str:
    """Return both tables; of groups that a search found the number of tasks, as those that it found stand above."""
    settings = Column("settings", show=lambda text: text.replace(",", ", "))
    tables = [
        Table(rows, [Column("name", "task")], ["questions", "data", settings]),
        Table(
            [{"name": name, "members": members} for name, members in groups.items()],
            [Column("name", "group")],
            [Column("members", "tasks", (lambda names: str(len(names))) if is_search else shown)],
        ),
    ]
    return render(form, *(table for table in tables if table.records), whole={"tasks": rows, "groups": groups})


def _row(task: Task, source: Source) -> dict[str, Any]:
    there = is_there(source, task.benchmark, task.split, task.settings)
    return {
        **{field: getattr(task, field) for field in ("name", "benchmark", "split", "settings", "metrics", "headline")},
        "questions": task.questions if there or task.entry.definition is None else None,
        "data": there,
    }
