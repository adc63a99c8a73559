"""`filter`: which questions need their image, and a host task of those that do."""

import argparse
from pathlib import Path
from typing import Any

from spiqa_tasks.analysis.filter import Filtered, filter_runs
from spiqa_tasks.analysis.filtered_task import Kept, kept_by_filter, write_task
from spiqa_tasks.commands.run_arguments import add_runs, runs_at
from spiqa_tasks.errors import InputError
from spiqa_tasks.extras import require
from spiqa_tasks.hosts.catalogue import user_folder
from spiqa_tasks.printable import counted, progress, say
from spiqa_tasks.report.printer import STYLES, Column, Columns, Table, add_format, percent, render
from spiqa_tasks.runs.paths import RunPath


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_runs(parser)
    parser.add_argument(
        "--max-hits",
        type=int,
        metavar="K",
        help="keep questions with at most K hits (default: a quarter of the inspectors)",
    )
    parser.add_argument(
        "--lvlm",
        nargs="+",
        type=RunPath.parse,
        default=[],
        metavar="RUN",
        help="runs of vision models, which give the difficulty of the kept questions",
    )
    parser.add_argument(
        "--pair",
        nargs=2,
        type=RunPath.parse,
        action="append",
        default=[],
        metavar=("LVLM_TEXT", "LLM"),
        help="count a model's leaked questions, by its run without pictures and its LLM base's",
    )
    parser.add_argument(
        "--metric", help="the metric that says right or wrong (default: the headline of each task)"
    )
    parser.add_argument(
        "--write", action="store_true", help="write the task <task>_filtered for lmms-eval"
    )
    parser.add_argument("--name", help="another name of the written task")
    add_format(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the filter's results and write tasks; return 3 if a task is left out, else 0."""
    if arguments.write:
        # Tried first, as reading and scoring the answers may take minutes.
        require("lmms-eval", "--write")
    elif arguments.name:
        raise InputError("--name names the task that --write makes. Add --write.")

    filtered, left_out = _filter(arguments)
    records = [result.record for result in filtered]
    written = []
    if arguments.write:
        # Every result is checked before the first task is written.
        every_kept = list(map(kept_by_filter, filtered))
        written = [_write(arguments, kept) for kept in every_kept]
        for record, path in zip(records, written, strict=True):
            record["written"] = str(path)

    _print(records, written, arguments.format)
    return 3 if left_out else 0


def _filter(arguments: argparse.Namespace) -> tuple[list[Filtered], list[str]]:
    """Return the filter's result for each task, and a sentence on each task that is left out."""
    inspectors = runs_at(arguments.runs, arguments)
    lvlms = runs_at(arguments.lvlm, arguments)
    pairs = [
        (runs_at([lvlm], arguments), runs_at([llm], arguments)) for lvlm, llm in arguments.pair
    ]
    filtered, left_out = filter_runs(
        inspectors, lvlms, pairs, arguments.task, arguments.metric, arguments.max_hits
    )
    for result in filtered:
        say(*result.remarks)
    say(*left_out)
    if arguments.name and len(filtered) > 1:
        raise InputError(
            f"Expected one task for --name, found {len(filtered)}. Choose one with --task."
        )
    return filtered, left_out


def _write(arguments: argparse.Namespace, kept: Kept) -> Path:
    """Write the task of the kept questions; return the path of its YAML."""
    include = arguments.include_path[-1] if arguments.include_path else None
    name = arguments.name or f"{kept['source']}_filtered"
    with progress("reading the host's tasks"):
        return write_task(kept, name, user_folder().resolve(), include)


def _print(records: list[dict[str, Any]], written: list[Path], form: str) -> None:
    """Print a record per task; for people as tables and sentences, with the YAMLs written."""
    if form not in STYLES:
        print(render(form, Table(records, ())))
        return

    for record in records:
        _print_filter(record, form)
    for path in written:
        print(f"\nWrote {path}. Run it with: lmms-eval --tasks {path.stem}")


def _print_filter(record: dict[str, Any], form: str) -> None:
    """Print the inspectors, the questions by hits, their difficulty and the leaked ones."""
    part = f", {record['questions']} questions" if record["questions"] else ""
    print(
        f"\n{record['task']}{part}: {counted(len(record['answers']), 'inspector')}, kept with at "
        f"most {record['max_hits']} hits (--max-hits), by {record['metric']}"
    )
    shares = [Column(name, show=percent) for name in ("refused", "unparsed", "failed", "truncated")]
    score = Column("score", record["metric"], percent)
    columns: Columns = [Column("model", "inspector"), "task", score, *shares]
    print(render(form, Table(record["answers"], columns)))

    hits = ", ".join(f"{n} by {count}" for count, n in enumerate(record["hit_counts"]))
    print(f"\n{record['kept']} of {record['n']} questions kept; by hits: {hits}")
    print(f"abnormal hit rate: {percent(record['abnormal_hit_rate'])}")
    if "difficulty" in record:
        counts = ", ".join(f"{n} {name}" for name, n in record["difficulty"].items())
        print(f"kept by difficulty: {counts}")
    for pair in record.get("leaked", ()):
        print(f"{pair['lvlm']} answers {pair['n']} without the image that {pair['llm']} does not")
    if "leaked" in record:
        print(f"in most pairs: {counted(record['leaked_by_most'], 'question')}")
