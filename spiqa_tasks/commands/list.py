"""`list`: every task and group, or the folder of the YAMLs."""

import argparse
from typing import Any

from spiqa_tasks.benchmarks.registry import Task, yaml_folder
from spiqa_tasks.hosts.catalogue import catalogue, filtered_tasks
from spiqa_tasks.report.printer import Column, Table, add_format, render


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument(
        "--folder",
        action="store_true",
        help="print the folder of the task YAMLs instead, for --include_path of lmms-eval",
    )
    add_format(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the tasks and groups, or the folder of the package's YAMLs."""
    if arguments.folder:
        print(yaml_folder())
        return 0

    tasks, groups = catalogue(filtered_tasks())
    rows = [_row(task) for task in tasks.values()]
    settings = Column("settings", show=lambda text: text.replace(",", ", "))
    members = [{"name": name, "members": list(of)} for name, of in groups.items()]
    tables = [
        Table(rows, [Column("name", "task"), "questions", settings]),
        Table(members, [Column("name", "group"), Column("members", "tasks")]),
    ]
    print(render(arguments.format, *tables, whole={"tasks": rows, "groups": groups}))
    return 0


def _row(task: Task) -> dict[str, Any]:
    """Return the columns of a task in the list."""
    return {
        "name": task.name,
        "benchmark": task.benchmark_name,
        "split": task.split,
        "settings": task.settings_text,
        "metrics": task.metric_names,
        "headline": task.metric_names[0],
        "questions": task.questions,
    }
