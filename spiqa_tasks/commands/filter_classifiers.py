"""`filter --classifiers`: accuracy of small classifiers that see only the texts of a task."""

import argparse
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from spiqa_tasks.analysis.breakdown import by_group
from spiqa_tasks.analysis.shortcut_tasks import (
    choices_of,
    choices_of_host,
    guesses,
    run_of,
    task_rows,
    write_answers,
)
from spiqa_tasks.analysis.shortcuts import Learning, shortcuts
from spiqa_tasks.benchmarks.aggregation import prepare
from spiqa_tasks.benchmarks.task import Task
from spiqa_tasks.errors import InputError, MissingPartError
from spiqa_tasks.extras import require
from spiqa_tasks.files.atomic import check_folder, write_atomically
from spiqa_tasks.hosts.catalogue import find_tasks, read_task
from spiqa_tasks.hosts.lmms_eval.source_task import TaskDocuments, UnknownTaskError, task_documents
from spiqa_tasks.printable import said_if_slow, say
from spiqa_tasks.report.printer import Column, Columns, Table, as_jsonl, render
from spiqa_tasks.runs.scoring import write_runs
from spiqa_tasks.runs.task import P_RIGHT
from spiqa_tasks.scoring.values import number, plain


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the classifiers; `--metric`, `--samples` and the folders of YAMLs are those of `filter`."""
    group = parser.add_argument_group(
        "classifiers instead of runs, which learn from the texts of a task alone"
    )
    about = "tasks or groups of this package, YAMLs of benchmarks, tasks of lmms-eval"
    group.add_argument("--classifiers", nargs="+", metavar="TASK", help=about)
    group.add_argument(
        "--folds", type=int, default=5, metavar="K", help="of the cross-validation (default: 5)"
    )
    group.add_argument(
        "--seed", type=int, default=0, help="of folds, forest and permutations (default: 0)"
    )
    about = "of the right options, for p (default: 200)"
    group.add_argument("--permutations", type=int, default=200, metavar="N", help=about)
    about = "write each classifier's answers as a run that filter takes"
    group.add_argument("--output", type=Path, metavar="DIR", help=about)


def run_classifiers(arguments: argparse.Namespace) -> int:
    """Print a row for each classifier and group, and write what was asked for."""
    require("shots", "spiqa-tasks filter --classifiers")
    if arguments.output is not None:
        check_folder(arguments.output)
    learning = Learning(arguments.folds, arguments.seed, arguments.permutations)
    rows: list[dict[str, Any]] = []
    lines: list[dict[str, Any]] = []
    for task in (task for name in arguments.classifiers for task in _tasks(arguments, name)):
        rows += _of_task(arguments, task, learning, lines)
    if arguments.samples is not None:
        write_atomically(arguments.samples, as_jsonl(lines).encode())
    shares = [Column("value", "x 100", number, ("low", "high")), Column("chance", show=number)]
    values: Columns = ["n", *shares, Column("p", show=plain)]
    print(render(arguments.format, Table(rows, ["task", "classifier", "metric", "group"], values)))
    return 0


def _tasks(arguments: argparse.Namespace, name: str) -> Sequence[Task | TaskDocuments]:
    """Return our tasks of a name, or the documents of the host's task. Raises InputError for an unknown name."""
    if name.endswith(".yaml"):
        return [read_task(Path(name))]
    try:
        return find_tasks([name], arguments.include_path)
    except InputError as unknown:
        try:
            return [task_documents(name, arguments.include_path)]
        except (UnknownTaskError, MissingPartError):
            raise unknown from None


def _of_task(
    arguments: argparse.Namespace,
    task: Task | TaskDocuments,
    learning: Learning,
    lines: list[dict[str, Any]],
) -> list[dict[str, Any]]:
    """Return the rows of a task; appends its samples to `lines` and writes its runs."""
    if not isinstance(task, Task):
        choices, remarks = choices_of_host(task)
        metric = arguments.metric or task.metric
    else:
        rows, remarks = task_rows(task)
        choices, metric = choices_of(rows), "accuracy"
        if not choices:
            return _of_open(arguments, task, rows, learning)
        if len(choices) < len(rows):
            remarks.append(f"{task.name}: {len(rows) - len(choices)} open questions are left out.")
    say(*remarks)
    with said_if_slow("learning from the texts"):
        found = list(shortcuts(choices, learning))
    samples: list[dict[str, Any]] = [
        {"task": task.name, "id": question.id, "answer": question.answer} for question in choices
    ]
    for each in found:
        for line, (_, pick, p) in zip(samples, each.answers, strict=True):
            line[each.name] = {"choice": pick, P_RIGHT: p}
    lines += samples
    if arguments.output is not None:
        say(*(f"wrote {path}." for path in write_answers(arguments.output, task, found, metric)))
    return [row for each in found for row in each.rows(task.name, metric)]


def _of_open(
    arguments: argparse.Namespace, task: Task, rows: Sequence[Mapping[str, Any]], learning: Learning
) -> list[dict[str, Any]]:
    if arguments.samples is not None:
        raise InputError(
            f"Expected a task of choices for --samples, found {task.name}. Give --output instead."
        )
    found = guesses(rows, learning)
    runs = [run_of(task, name, answers) for name, answers in found.items()]
    metrics = [run.metric(arguments.metric or "rouge_l") for run in runs]
    prepare(([metric], run.questions) for metric, run in zip(metrics, runs, strict=True))
    if arguments.output is not None:
        say(*(f"wrote {path}." for path in write_runs(runs, arguments.output)))
    return [
        {"task": task.name, "classifier": name}
        | {
            field: getattr(each, field)
            for field in ("metric", "group", "n", "value", "low", "high")
        }
        | {"chance": math.nan, "p": None}
        for name, run, metric in zip(found, runs, metrics, strict=True)
        for each in by_group(run, [metric])
    ]
