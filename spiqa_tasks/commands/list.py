"""`list`: every task and group, and whether their data is there; the folder of their YAMLs."""

import argparse
from typing import Any

from spiqa_tasks.benchmarks.registry import Task, is_there, yaml_folder
from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.catalogue import catalogue, filtered_tasks
from spiqa_tasks.report.printer import Column, Table, add_format, render


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    about = "print the folder of the task YAMLs instead, for --include_path of lmms-eval"
    parser.add_argument("--folder", action="store_true", help=about)
    about = "only those with TEXT in their name or settings"
    parser.add_argument("--search", default="", metavar="TEXT", help=about)
    add_format(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the tasks and groups, or those that match; or the folder of the package's YAMLs."""
    if arguments.folder:
        print(yaml_folder())
        return 0

    tasks, groups = _found(arguments.search.lower())
    if not tasks and not groups:
        raise InputError(
            f"Expected a task or group with {arguments.search!r} in its name or settings, found "
            "none. `spiqa-tasks list` shows all."
        )

    settings = Column("settings", show=lambda text: text.replace(",", ", "))
    members = [{"name": name, "members": of} for name, of in groups.items()]
    tables = [
        Table(tasks, [Column("name", "task")], ["questions", "data", settings]),
        Table(members, [Column("name", "group")], [Column("members", "tasks")]),
    ]
    shown = [table for table in tables if table.records]
    print(render(arguments.format, *shown, whole={"tasks": tasks, "groups": groups}))
    return 0


def _found(text: str) -> tuple[list[dict[str, Any]], dict[str, list[str]]]:
    """Return the rows of the tasks, and the groups, that have a text in their name or settings."""
    every_task, every_group = catalogue(filtered_tasks())
    tasks = [
        _row(task)
        for task in every_task.values()
        if text in f"{task.name} {task.settings_text}".lower()
    ]
    return tasks, {name: list(of) for name, of in every_group.items() if text in name.lower()}


def _row(task: Task) -> dict[str, Any]:
    return {
        "name": task.name,
        "benchmark": task.benchmark_name,
        "split": task.split,
        "settings": task.settings_text,
        "metrics": task.metrics,
        "headline": task.metrics[0],
        "questions": task.questions,
        "data": is_there(task),
    }
