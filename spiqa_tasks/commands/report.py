"""`report`: runs as an HTML page, Markdown, csv or json."""

import argparse
import shlex
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from spiqa_tasks.commands.run_arguments import add_runs, runs_by_path, withheld_values
from spiqa_tasks.errors import InputError
from spiqa_tasks.files.atomic import write_atomically
from spiqa_tasks.printable import said_if_slow, say
from spiqa_tasks.report.content import Report, build
from spiqa_tasks.report.headline import flat_records, shown_metrics
from spiqa_tasks.report.page import as_html, as_markdown
from spiqa_tasks.report.printer import as_csv, as_json
from spiqa_tasks.runs.selection import with_short_names

DEFAULT = Path("report.html")
_OTHERS: Mapping[str, tuple[str, Callable[[Report], str]]] = {
    "markdown": ("the same tables as Markdown", as_markdown),
    "csv": (
        "a line per run, task, metric and group",
        lambda found: as_csv(flat_records(found.runs)) + "\n",
    ),
    "json": (
        "the same as a list of flat records",
        lambda found: as_json(flat_records(found.runs)) + "\n",
    ),
}
"""Option of a file beside the page -> (its content, its writer)."""


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_runs(parser)
    parser.add_argument(
        "--html",
        type=Path,
        metavar="FILE",
        help=f"the page (default: {DEFAULT}, unless others are)",
    )
    for name, (told, _) in _OTHERS.items():
        parser.add_argument(f"--{name}", type=Path, metavar="FILE", help=told)
    parser.add_argument("--title", default="", help="of the page (default: the models and tasks)")
    parser.add_argument(
        "--pictures",
        choices=["large", "small", "none"],
        default="large",
        help="up to 1,000 or 320 pixels, or none",
    )


def run(arguments: argparse.Namespace) -> int:
    """Write the files named, by default the page, and print their paths."""
    runs, remarks = runs_by_path(arguments)
    if not any(run.is_own and run.logged for run in runs):
        raise InputError(
            f"Expected samples of this package's tasks, found {', '.join(run.task for run in runs)}. Run lmms-eval "
            "with --log_samples and --output_path."
        )
    found = build(
        with_short_names(runs), remarks, arguments.title, shlex.join(["spiqa-tasks", *sys.argv[1:]])
    )
    for run in found.runs:
        say(*withheld_values(run, shown_metrics(run)))
    others = {getattr(arguments, name): write for name, (_, write) in _OTHERS.items()}
    page = arguments.html or (None if any(others) else DEFAULT)
    writers: dict[Path | None, Callable[[Report], str]] = {
        page: partial(as_html, pictures=arguments.pictures),
        **others,
    }
    for path, write in writers.items():
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            with said_if_slow(f"writing {path.name}"):
                text = write(found)
            write_atomically(path, text.encode("utf-8", "replace"))
            print(path.resolve())
            if path == page:
                say(
                    f"{path.name}: {path.stat().st_size / 1e6:.1f} MB, pictures {arguments.pictures}."
                )
    return 0
