"""`list`, `path` and `prepare`."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from tabulate import tabulate

from spiqa_tasks.benchmarks.availability import is_there
from spiqa_tasks.benchmarks.registry import yaml_folder
from spiqa_tasks.errors import SpiqaTasksError
from spiqa_tasks.files.source import default_source
from spiqa_tasks.hosts.lmms_eval.catalogue import catalogue, find_tasks


def add(subparsers: Any) -> None:
    """Add the three subcommands."""
    listing = subparsers.add_parser("list", help="show every task and whether its data is there")
    listing.add_argument("--json", action="store_true", help="machine-readable, with all metrics")
    listing.set_defaults(run=run_list)
    path = subparsers.add_parser("path", help="print the folder of the task YAMLs, for lmms-eval --include_path")
    path.set_defaults(run=run_path)
    prepare = subparsers.add_parser("prepare", help="fetch, extract and check the data of tasks before a run")
    prepare.add_argument("tasks", nargs="+", metavar="TASK", help="tasks or groups")
    prepare.set_defaults(run=run_prepare)


def run_list(arguments: argparse.Namespace) -> int:
    """Print the catalogue."""
    tasks, groups = catalogue()
    source = default_source()
    rows = [
        {
            **{field: getattr(task, field) for field in ("name", "benchmark", "split", "settings")},
            "metrics": task.metrics,
            "headline": task.headline,
            "questions": task.questions,
            "data": is_there(source, task.benchmark, task.split, task.settings),
        }
        for task in tasks.values()
    ]
    if arguments.json:
        print(json.dumps({"tasks": rows, "groups": groups}, indent=2))
        return 0
    columns = ("name", "benchmark", "split", "settings", "questions")
    table = [[*(row[column] for column in columns), row["headline"], "yes" if row["data"] else "no"] for row in rows]
    print(tabulate(table, headers=["task", *columns[1:], "headline", "data"]))
    print("\nGroups:\n" + "\n".join(f"  {name}: {', '.join(members)}" for name, members in groups.items()))
    return 0


def run_path(_: argparse.Namespace) -> int:
    """Print the YAML folder."""
    print(yaml_folder())
    return 0


def run_prepare(arguments: argparse.Namespace) -> int:
    """Load every task once, which fetches, extracts and checks; go on after a failure and report it."""
    from spiqa_tasks.benchmarks.registry import load_rows

    failed = 0
    for task in find_tasks(arguments.tasks):
        try:
            rows = load_rows(task.benchmark, task.split, task.settings)
        except SpiqaTasksError as error:
            failed += 1
            print(f"spiqa-tasks: {task.name}: {error}", file=sys.stderr)
        else:
            print(f"{task.name}: {len(rows)} questions, {_pictures(rows)} pictures, ready")
    return 2 if failed else 0


def _pictures(rows: list[dict[str, Any]]) -> int:
    paths = {path for row in rows for path in row.get("images", [])}
    paths |= {figure["path"] for row in rows for figure in row.get("figures", [])}
    return len(paths - {""})
