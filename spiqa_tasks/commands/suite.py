"""`suite`: from a model's name to a paper's table: the plan, the host's runs that are missing, tables and page."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

from spiqa_tasks.analysis.suites import LLM, PAPERS, PICTURES
from spiqa_tasks.commands import gain
from spiqa_tasks.commands.suite_runs import BLIND, SuiteRuns
from spiqa_tasks.errors import SpiqaTasksError
from spiqa_tasks.extras import require
from spiqa_tasks.files.atomic import write_atomically
from spiqa_tasks.printable import say
from spiqa_tasks.report.forms import add_format
from spiqa_tasks.runs.loading import load_runs, own_runs
from spiqa_tasks.runs.places import Place
from spiqa_tasks.runs.selection import withheld

_ABOUT = {
    "gain": "multi-modal gain and leakage of a model: runs with pictures, without, and of its LLM base",
    "scifibench": "SciFIBench's Table 2, beside the published rows",
    "spiqa": "SPIQA's Table 3, beside the published rows",
}
_EPILOG = (
    "Runs that are complete are not repeated, and of one that was killed lmms-eval keeps its answers: call it again to "
    "go on. Arguments behind -- go to lmms-eval."
)


def add(subparsers: Any) -> None:
    """Add the subcommand."""
    suite = subparsers.add_parser("suite", help="run a whole experiment with lmms-eval: plan, runs, tables and page")
    suite.set_defaults(run=run, llm=None, llm_args="", grey=False, judge=None)
    suites = suite.add_subparsers(required=True, metavar="SUITE", dest="suite")
    for name, about in _ABOUT.items():
        parser = suites.add_parser(name, help=about, description=about, epilog=_EPILOG)
        parser.add_argument("--model", required=True, help="of lmms-eval, as its --model")
        parser.add_argument("--model-args", "--model_args", default="", metavar="KEY=VALUE,...", help="its arguments")
        if name == "gain":
            parser.add_argument("--llm", help="the model's LLM base, for S_t and ML; as --model")
            parser.add_argument("--llm-args", "--llm_args", default="", metavar="KEY=VALUE,...", help="its arguments")
            parser.add_argument("--grey", action="store_true", help="a run with grey pictures, too")
        if name == "spiqa":
            parser.add_argument("--judge", metavar="PROVIDER:MODEL[@URL]", help="of L3Score (default: SPIQA_JUDGE)")
        usual = name if name in PAPERS else "mmstar_filtered"
        parser.add_argument(
            "--tasks", default=usual, metavar="TASK,...", help=f"tasks and groups of lmms-eval (default: {usual})"
        )
        _add_running(parser)
        add_format(parser)


def _add_running(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--output", type=Path, required=True, metavar="FOLDER", help="where results, logs and page go")
    parser.add_argument("--launch", default="", metavar="WORDS", help="put before `-m lmms_eval`: 'accelerate launch'")
    parser.add_argument("--limit", type=int, metavar="N", help="only the first N questions of each task")
    parser.add_argument("--include-path", "--include_path", type=Path, metavar="FOLDER", help="of tasks of one's own")
    parser.add_argument("--print", action="store_true", help="only print the commands of what is missing")
    parser.add_argument("host", nargs="*", metavar="-- ARGUMENT", help="further arguments of lmms-eval")


def run(arguments: argparse.Namespace) -> int:
    """Run what is missing, print the tables and write the page; 3 where a run is not complete or a table is not made.

    Raises:
        InputError: see `SuiteRuns`.
        MissingPartError: the host or the page's part is not installed.
    """
    suite = SuiteRuns(arguments)
    if arguments.print:
        suite.look()
        print(suite.commands())
        print("# then, for tables and page, the same spiqa-tasks suite without --print")
        return 0
    for part in ("lmms-eval", "report"):
        require(part, "The suite")
    complete = suite.complete()
    if not suite.paths():
        say("no tables and no page: no run has results.")
        return 3
    table = _gain_table if arguments.suite == "gain" else _paper_table
    return 0 if all([complete, *(_is_made(part, suite, arguments.format) for part in (table, _page))]) else 3


def _is_made(part: Callable[[SuiteRuns, str], int], suite: SuiteRuns, form: str) -> bool:
    """Whether a part of the end could be made whole; says why not."""
    try:
        return part(suite, form) == 0
    except SpiqaTasksError as error:
        say(str(error))
        return False


def _gain_table(suite: SuiteRuns, form: str) -> int:
    """What `gain` prints and writes of the runs; its exit status."""
    samples = suite.output / "questions.jsonl"
    bases = suite.paths(LLM)
    words = ["gain", *suite.paths(PICTURES, *BLIND), "--samples", samples, "--format", form]
    words += ["--llm", *bases] if bases else []
    words += ["--partial"] if suite.wanted.partial else []
    words += [word for folder in suite.wanted.include for word in ("--include-path", folder)]
    parser = argparse.ArgumentParser()
    gain.add(parser.add_subparsers())
    given = parser.parse_args(list(map(str, words)))
    status: int = given.run(given)
    say(f"questions that pictures won or lost, or that leaked: {samples}")
    if not any(planned.role == LLM for planned in suite.state):
        say("S_t and ML are withheld: they need the model's LLM base. Name it with --llm.")
    return status


def _paper_table(suite: SuiteRuns, form: str) -> int:
    from spiqa_tasks.report.paper_table import records, render

    runs, remarks = own_runs(map(Place, suite.paths()), suite.wanted)
    order = [planned.task for planned in suite.state]
    print(render(records(sorted(runs, key=lambda run: order.index(run.task))), form))
    say(*remarks, *withheld(runs))
    return 0


def _page(suite: SuiteRuns, _form: str) -> int:
    from spiqa_tasks.report.content import build
    from spiqa_tasks.report.page import as_html

    runs, remarks = load_runs(map(Place, suite.paths()), suite.wanted)
    if not any(run.benchmark is not None for run in runs):
        say("no page: it shows tasks of this package, and none was run.")
        return 0
    page = suite.output / "report.html"
    again = shlex.join(["spiqa-tasks", "report", str(suite.output), "--html", str(page)])
    bases = suite.paths(LLM)
    found = build(runs, remarks, "", again, [run for run in runs if run.path in bases])
    write_atomically(page, as_html(found, "large").encode("utf-8", "replace"))
    say(f"page: {page.resolve()}")
    return 0
