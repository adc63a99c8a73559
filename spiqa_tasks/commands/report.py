"""`report`: runs as an HTML page, Markdown, csv or json."""

import argparse
import shlex
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from spiqa_tasks.commands.run_arguments import add_runs, runs_by_path, withheld_values
from spiqa_tasks.errors import InputError
from spiqa_tasks.files.atomic import write_atomically
from spiqa_tasks.printable import said_if_slow, say
from spiqa_tasks.report.content import Report, build
from spiqa_tasks.report.page import SIDES, as_html, as_markdown
from spiqa_tasks.report.printer import as_csv, as_json
from spiqa_tasks.report.records import flat_records, shown_metrics
from spiqa_tasks.runs.selection import with_short_names

DEFAULT = Path("report.html")
_FILES = {
    "html": f"the page (default: {DEFAULT}, unless another file is named)",
    "markdown": "the same tables as Markdown",
    "csv": "a line per run, task, metric and group",
    "json": "the same as a list of flat records",
}
"""Option that names a file -> its help."""


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_runs(parser)
    for name, about in _FILES.items():
        parser.add_argument(f"--{name}", type=Path, metavar="FILE", help=about)
    parser.add_argument("--title", default="", help="of the page (default: the models and tasks)")
    about = "up to 1,000 or 320 pixels, or none"
    parser.add_argument("--pictures", choices=[*SIDES, "none"], default="large", help=about)


def run(arguments: argparse.Namespace) -> int:
    """Write the files named, by default the page, and print their paths."""
    runs, remarks = runs_by_path(arguments)
    if not any(run.is_own and run.logged for run in runs):
        tasks = ", ".join(run.task for run in runs)
        raise InputError(
            f"Expected samples of this package's tasks, found {tasks}. "
            "Run lmms-eval with --log_samples and --output_path."
        )
    command = shlex.join(["spiqa-tasks", *sys.argv[1:]])
    report = build(with_short_names(runs), remarks, arguments.title, command)
    for run in report.runs:
        say(*withheld_values(run, shown_metrics(run)))

    paths = {name: getattr(arguments, name) for name in _FILES}
    if not any(paths.values()):
        paths["html"] = DEFAULT
    for name, path in paths.items():
        if path is not None:
            _write(report, path, _writer(name, arguments.pictures))
    return 0


def _writer(name: str, pictures: str) -> Callable[[Report], str]:
    if name == "html":
        return partial(as_html, pictures=pictures)
    if name == "markdown":
        return as_markdown
    if name == "csv":
        return lambda report: as_csv(flat_records(report.runs)) + "\n"
    return lambda report: as_json(flat_records(report.runs)) + "\n"


def _write(report: Report, path: Path, write: Callable[[Report], str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with said_if_slow(f"writing {path.name}"):
        text = write(report)
    write_atomically(path, text.encode("utf-8", "replace"))
    print(path.resolve())
