"""`report`: runs as one page to read, show and trust, and as Markdown, CSV and JSON."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

from spiqa_tasks.commands.run_arguments import add_runs, places_apart
from spiqa_tasks.errors import InputError
from spiqa_tasks.files.atomic import write_atomically
from spiqa_tasks.printable import said_if_slow, say
from spiqa_tasks.report import sharing
from spiqa_tasks.report.content import build
from spiqa_tasks.report.forms import rendered
from spiqa_tasks.report.headline import flat_records
from spiqa_tasks.report.page import as_html, as_markdown

DEFAULT = Path("report.html")


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_runs(parser)
    parser.add_argument("--html", type=Path, metavar="FILE", help=f"the page (default: {DEFAULT}, unless others are)")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="the same tables as Markdown")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="a line per run, task, metric and group")
    parser.add_argument("--json", type=Path, metavar="FILE", help="the same as a list of flat records")
    parser.add_argument("--card", type=Path, metavar="FILE", help="what a model card takes: model-index and a table")
    parser.add_argument("--eval-results", type=Path, metavar="FILE", help="one model's, for the hub's .eval_results")
    parser.add_argument("--every-eval-ever", type=Path, metavar="FILE", help="one model's, in that shared schema")
    parser.add_argument("--latex", type=Path, metavar="FILE", help="the headlines as the papers print theirs")
    parser.add_argument("--title", default="", help="of the page (default: the models and tasks)")
    parser.add_argument(
        "--pictures", choices=["large", "small", "none"], default="large", help="up to 1,000 or 320 pixels, or none"
    )


def run(arguments: argparse.Namespace) -> int:
    """Write the files asked for, the page where none is, and print their paths."""
    runs, remarks = places_apart(arguments)
    if not any(run.benchmark is not None and run.logged for run in runs):
        raise InputError(
            f"Expected samples of this package's tasks, found {', '.join(run.task for run in runs)}. Run lmms-eval "
            "with --log_samples and --output_path."
        )
    found = build(runs, remarks, arguments.title, shlex.join(["spiqa-tasks", *sys.argv[1:]]))
    others: dict[Path | None, Callable[[], str]] = {
        arguments.markdown: lambda: as_markdown(found),
        arguments.csv: lambda: rendered("csv", flat_records(found.runs)) + "\n",
        arguments.json: lambda: rendered("json", flat_records(found.runs)) + "\n",
        arguments.card: lambda: sharing.as_card(found.runs),
        arguments.eval_results: lambda: sharing.as_eval_results(found.runs),
        arguments.every_eval_ever: lambda: sharing.as_every_eval_ever(found.runs),
        arguments.latex: lambda: sharing.as_latex(found.runs),
    }
    page = arguments.html or (None if any(others) else DEFAULT)
    writers = {page: lambda: as_html(found, arguments.pictures), **others}
    for path, write in writers.items():
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            with said_if_slow(f"writing {path.name}"):
                text = write()
            write_atomically(path, text.encode("utf-8", "replace"))
            print(path.resolve())
            if path == page:
                say(f"{path.name}: {path.stat().st_size / 1e6:.1f} MB, pictures {arguments.pictures}.")
    return 0
