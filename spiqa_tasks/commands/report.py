"""`report`: runs as an HTML page."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from spiqa_tasks.analysis.breakdown import withheld_values
from spiqa_tasks.commands.run_arguments import add_runs, named_runs
from spiqa_tasks.errors import InputError
from spiqa_tasks.extras import require
from spiqa_tasks.files.atomic import write_atomically
from spiqa_tasks.printable import progress, say
from spiqa_tasks.report.page import SIDES, as_html, build
from spiqa_tasks.report.values import shown_metrics
from spiqa_tasks.runs.loading import remarks_on_host_tasks
from spiqa_tasks.runs.run import Run

DEFAULT = Path("report.html")


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_runs(parser)
    parser.add_argument(
        "--html", type=Path, default=DEFAULT, metavar="FILE", help=f"the page (default: {DEFAULT})"
    )
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
    """Write the page, and print its path."""
    require("report", "The page")
    runs = named_runs(arguments)
    remarks = remarks_on_host_tasks(runs)
    for run in _with_samples(runs):
        remarks += withheld_values(run, shown_metrics(run))
    say(*remarks)

    report = build(runs, [*arguments.remarks, *remarks], arguments.title)
    path = arguments.html
    path.parent.mkdir(parents=True, exist_ok=True)
    with progress(f"writing {path.name}"):
        page = as_html(report, arguments.pictures)
    write_atomically(path, page.encode("utf-8", "replace"))
    print(path.resolve())
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
