"""`list`: every task and group, and whether their data is there; the folder of their YAMLs."""

import argparse
from typing import Any

from spiqa_tasks.benchmarks.registry import is_there, yaml_folder
from spiqa_tasks.benchmarks.task import Task
from spiqa_tasks.errors import InputError
from spiqa_tasks.files.source import Source, default_source
from spiqa_tasks.hosts.catalogue import catalogue
from spiqa_tasks.report.printer import Column, Table, add_format, render


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument(
        "--folder",
        action="store_true",
        help="print the folder of the task YAMLs instead, for --include_path of lmms-eval",
    )
    parser.add_argument(
        "--search",
        default="",
        metavar="TEXT",
        help="only those with TEXT in their name or settings",
    )
    add_format(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the tasks and groups, or those that match; with `--folder` the folder of the package's YAMLs."""
    if arguments.folder:
        folder = {"path": str(yaml_folder())}
        table = Table([folder], ["path"], [])
        print(
            folder["path"]
            if arguments.format == "text"
            else render(arguments.format, table, whole=folder)
        )
        return 0
    tasks, groups = catalogue()
    source, text = default_source(), arguments.search.lower()
    rows = [
        _row(task, source)
        for task in tasks.values()
        if text in f"{task.name} {task.settings_text}".lower()
    ]
    groups = {name: members for name, members in groups.items() if text in name.lower()}
    if not rows and not groups:
        raise InputError(
            f"Expected a task or group with {arguments.search!r} in its name or settings, found none. "
            "`spiqa-tasks list` shows all."
        )
    count = Column(
        "members", "tasks", lambda names: str(len(names))
    )  # of a search: they stand above
    tables = [
        Table(
            rows,
            [Column("name", "task")],
            ["questions", "data", Column("settings", show=lambda text: text.replace(",", ", "))],
        ),
        Table(
            [{"name": name, "members": members} for name, members in groups.items()],
            [Column("name", "group")],
            [count if rows and text else Column("members", "tasks")],
        ),
    ]
    print(
        render(
            arguments.format,
            *(each for each in tables if each.records),
            whole={"tasks": rows, "groups": groups},
        )
    )
    return 0


def _row(task: Task, source: Source) -> dict[str, Any]:
    there = is_there(source, task.benchmark_name, task.split, task.settings_text)
    return {
        "name": task.name,
        "benchmark": task.benchmark_name,
        "split": task.split,
        "settings": task.settings_text,
        "metrics": task.metrics,
        "headline": task.metrics[0],
        "questions": task.questions,
        "data": there,
    }
