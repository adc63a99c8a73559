"""`prepare`: the data of tasks, fetched, extracted and checked before a run."""

import argparse

from spiqa_tasks.benchmarks.benchmark import question_of
from spiqa_tasks.benchmarks.registry import Task, load_rows
from spiqa_tasks.commands.run_arguments import add_include_path
from spiqa_tasks.errors import InputError, SpiqaTasksError
from spiqa_tasks.hosts.catalogue import find_tasks
from spiqa_tasks.printable import counted, say


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("tasks", nargs="+", metavar="TASK", help="tasks or groups")
    add_include_path(parser)


def run(arguments: argparse.Namespace) -> int:
    """Load every task once, which fetches, extracts and checks its data.

    Return 0, 3 if some of the tasks fail, 2 if all do.
    """
    tasks = find_tasks(arguments.tasks, arguments.include_path)
    failed = 0
    for task in tasks:
        try:
            _prepare(task)
        except SpiqaTasksError as error:
            say(f"{task.name}: {error}")
            failed += 1

    if failed == len(tasks):
        return InputError.exit_code
    return 3 if failed else 0


def _prepare(task: Task) -> None:
    """Load a task, and print how many questions and pictures it has."""
    rows = load_rows(task.benchmark_name, task.split, task.settings_text)
    questions = len(set(map(question_of, rows)))
    paths = set()
    for row in rows:
        paths.update(row.get("images", []))
        paths.update(figure["path"] for figure in row.get("figures", []))
    paths.discard("")  # of figures without a picture

    counts = f"{counted(questions, 'question')}, {counted(len(paths), 'picture')}"
    print(f"{task.name}: {counts}, ready")
    if questions < task.questions:
        say(
            f"{task.name}: Expected the release's {task.questions} questions, found {questions}. "
            "Fetch its files again, unless they are meant to be a part."
        )
