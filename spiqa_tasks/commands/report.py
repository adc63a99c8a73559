"""`report`: runs as an HTML page, Markdown, csv or json."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from spiqa_tasks.analysis.breakdown import withheld_values
from spiqa_tasks.commands.run_arguments import add_runs, named_runs
from spiqa_tasks.errors import InputError
from spiqa_tasks.extras import require
from spiqa_tasks.files.atomic import write_atomically
from spiqa_tasks.printable import progress, say
from spiqa_tasks.report.page import SIDES, Report, as_html, as_markdown, build
from spiqa_tasks.report.printer import as_csv, as_json
from spiqa_tasks.report.values import flat_records, shown_metrics
from spiqa_tasks.runs.loading import remarks_on_host_tasks
from spiqa_tasks.runs.run import Run

DEFAULT = Path("report.html")
# Form of the report, which is an option that names its file, -> help.
_FILES = {
    "html": f"the page (default: {DEFAULT}, unless another file is named)",
    "markdown": "the same tables as Markdown",
    "csv": "a line per run, task, metric and group",
    "json": "the same as a list of flat records",
}


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_runs(parser)
    for name, about in _FILES.items():
        parser.add_argument(f"--{name}", type=Path, metavar="FILE", help=about)
    parser.add_argument(
        "--title", default="", help="title of the page (default: the models and tasks)"
    )
    parser.add_argument(
        "--pictures",
        choices=[*SIDES, "none"],
        default="large",
        help="pictures of up to 1,000 or 320 pixels, or none (default: large)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Write the report in each form that is asked for, and print the paths."""
    named = {form: path for form in _FILES if (path := getattr(arguments, form))}
    files = named or {"html": DEFAULT}
    if "html" in files:
        require("report", "The page")

    runs = named_runs(arguments)
    remarks = remarks_on_host_tasks(runs, [])
    for run in _with_samples(runs):
        remarks += withheld_values(run, shown_metrics(run))
    say(*remarks)

    report = build(runs, [*arguments.remarks, *remarks], arguments.title)
    for form, path in files.items():
        _write(report, form, path, arguments.pictures)
    return 0


def _with_samples(runs: Sequence[Run]) -> list[Run]:
    """Return the runs that the page shows. Raises InputError: there are none."""
    shown = [run for run in runs if run.has_samples]
    if not shown:
        tasks = ", ".join(sorted({run.task for run in runs}))
        raise InputError(
            f"Expected samples of this package's tasks, found {tasks}. "
            "Run one with --log_samples and --output_path; `compare` and `gain` read others."
        )
    return shown


def _write(report: Report, form: str, path: Path, pictures: str) -> None:
    """Write the report in a form of `_FILES`, and print its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with progress(f"writing {path.name}"):
        text = _text(report, form, pictures)
    write_atomically(path, text.encode("utf-8", "replace"))
    print(path.resolve())


def _text(report: Report, form: str, pictures: str) -> str:
    """Return the content of the report's file in a form of `_FILES`."""
    if form == "html":
        return as_html(report, pictures)
    if form == "markdown":
        return as_markdown(report)

    records = flat_records(report.runs)
    return f"{as_csv(records) if form == 'csv' else as_json(records)}\n"
