"""`gain`: multi-modal gain and leakage of the host's runs."""

import argparse
import sys
from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

from spiqa_tasks.analysis.breakdown import OVERALL
from spiqa_tasks.analysis.gain import Row, averages, rows, sample_lists, warnings
from spiqa_tasks.analysis.pair import Pair
from spiqa_tasks.analysis.twins import ablation_pairs, pair_of
from spiqa_tasks.commands.run_arguments import add_runs, runs_at
from spiqa_tasks.errors import InputError
from spiqa_tasks.files.atomic import check_file, write_atomically
from spiqa_tasks.printable import say
from spiqa_tasks.report.printer import STYLES, Column, Columns, Table, add_format, as_jsonl, render
from spiqa_tasks.runs import selection
from spiqa_tasks.runs.paths import RunPath
from spiqa_tasks.runs.run import Run
from spiqa_tasks.scoring.gain import Gain, gain_of_totals, natural
from spiqa_tasks.scoring.values import number, percent

_EPILOG = (
    "RUNs are recognised by their own record: our _text, _grey and _llm tasks, and --model ablated; the files of "
    "--with, --without and --text by these options. Values in json and csv are natural (0 to 1), in tables times 100."
)
_NAMES = ("task", "metric", "group", "model", "ablation", "llm", "n", "questions")
_RUNS = ("v", "wv", "t")
_KINDS = ("refused", "unparsed")
_ENDS = {"": "value", "_low": "low", "_high": "high"}
_ROLES = (
    ("--with", "seeing", "of a model that saw the pictures"),
    ("--without", "blind", "of the same model without them"),
    ("--text", "base", "of its LLM base, also beside RUNs"),
)


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.epilog = _EPILOG
    add_runs(parser, "*")
    for option, name, about in _ROLES:
        parser.add_argument(
            option,
            dest=name,
            type=RunPath.parse,
            metavar="FILE",
            help=f"answers {about}, in any form",
        )
    parser.add_argument(
        "--metric", help="the metric to compare (default: the headline of each task)"
    )
    parser.add_argument(
        "--samples", type=Path, metavar="FILE", help="write won, lost and leaked questions (jsonl)"
    )
    about = "S_v S_wv [S_t] by hand instead of runs, shares or percent"
    parser.add_argument("--scores", nargs="+", type=float, metavar="S", help=about)
    add_format(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the table; status 3 if a row is withheld, or runs that were asked for are left out, but not of a folder."""
    files = [place for place in (arguments.seeing, arguments.blind) if place is not None]
    ways = {"RUNs": arguments.runs, "--scores": arguments.scores, "--with or --without": files}
    given = [way for way, what in ways.items() if what]
    if len(given) != 1:
        raise InputError(
            "Expected RUNs, --with FILE --without FILE, each with [--text FILE], or --scores S_v S_wv [S_t]; found "
            f"{' and '.join(given) or 'none of them'}. See `spiqa-tasks gain -h`."
        )
    if arguments.scores:
        return _run_scores(arguments)
    if arguments.samples is not None:
        check_file(arguments.samples)
    found, problems = ([_named(arguments)], []) if files else _recognised(arguments)
    is_complete = print_gain(found, arguments.format, arguments.samples)
    say(*problems)
    return 0 if is_complete and not problems else 3


def print_gain(found: Sequence[Pair], form: str, samples: Path | None) -> bool:
    """Print the table and warnings (of a group only if its overall row has none), and write the samples.

    Return whether no row is withheld.
    """
    table = [row for pair in found for row in rows(pair)]
    records = [_record(row) for row in table] + [
        {**_record(row), "warnings": []} for row in averages(table)
    ]
    print(_rendered(records, form))
    if samples is not None:
        lines = (sample for pair in found for sample in sample_lists(pair))
        write_atomically(samples, as_jsonl(lines).encode())
    warned = set()
    for record in records:  # the overall row is the first one of its runs
        key = (record["task"], record["model"], record["ablation"])
        if record["group"] == OVERALL or key not in warned:
            for warning in record["warnings"]:
                print(f"warning: {record['task']} {record['group']}: {warning}.", file=sys.stderr)
        if record["group"] == OVERALL and record["warnings"]:
            warned.add(key)
    return not any(row.withheld for row in table)


def _recognised(arguments: argparse.Namespace) -> tuple[list[Pair], list[str]]:
    """Return the pairs by the runs' own records, and a sentence per run left out."""
    base = [] if arguments.base is None else runs_at([arguments.base], arguments)
    runs = runs_at(arguments.runs, arguments)
    found, alone, problems = ablation_pairs(runs, base, arguments.task, arguments.metric)
    if arguments.task or not all(place.path.is_dir() for place in arguments.runs):
        return found, [*alone, *problems]
    say(*alone)
    return found, problems


def _named(arguments: argparse.Namespace) -> Pair:
    """Return the pair that the options name.

    Raises InputError: one of the first two is missing, a file twice, several runs at a place, or see `pair_of`.
    """
    if arguments.seeing is None or arguments.blind is None:
        raise InputError(
            "Expected --with and --without, which gain is the difference of; found one of them. `spiqa-tasks score` "
            "takes a single file."
        )
    places = [
        place for place in (arguments.seeing, arguments.blind, arguments.base) if place is not None
    ]
    if len({place.path.resolve() for place in places}) < len(places):
        raise InputError(
            "Expected another file for each of --with, --without and --text; found one of them twice."
        )
    runs = [_run_at(place, arguments) for place in places]
    if selection.is_blind(runs[0]):
        name = f"{runs[0].name} on {runs[0].task}"
        raise InputError(
            f"Expected a run with pictures at --with, found {name}. Name it at --without."
        )
    return pair_of(runs, arguments.metric)


def _run_at(place: RunPath, arguments: argparse.Namespace) -> Run:
    runs = selection.select_tasks(runs_at([place], arguments), arguments.task, variants=True)
    if len(runs) > 1:
        tasks = ", ".join(f"{run.task} of {run.name}" for run in runs)
        raise InputError(f"Expected one run at {place.path}, found {tasks}. Name one with --task.")
    return runs[0]


def _run_scores(arguments: argparse.Namespace) -> int:
    if not 2 <= len(arguments.scores) <= 3 or not all(
        0 <= score <= 100 for score in arguments.scores
    ):
        found = " ".join(f"{score:g}" for score in arguments.scores)
        raise InputError(
            f"Expected --scores S_v S_wv [S_t], shares from 0 to 1 or percent from 0 to 100; found {found}."
        )
    scores, unit = natural(arguments.scores)
    result = gain_of_totals(0, *scores)
    if arguments.format not in STYLES:
        record: dict[str, Any] = {
            "task": None,
            "group": "all",
            "unit": unit,
            **_numbers(result),
            "warnings": [],
        }
        print(render(arguments.format, Table([record], (), ())))
    else:
        ml = "-" if result.ml is None else percent(result.ml.value)
        print(
            f"MG {percent(result.mg.value)}, ML {ml} (times 100; the scores are taken for {unit})"
        )
    return 0


def _rendered(records: Sequence[dict[str, Any]], form: str) -> str:
    """Return the records in a form; people see the paper's numbers, then those of `_sensitivity_rows`."""
    overall = [
        record for record in records if record["group"] == OVERALL and record["mg"] is not None
    ]
    without = Column("ablation", "without")
    model = ["model"] if len({record["model"] for record in records}) > 1 else []
    scores = [Column(f"s_{name}", f"S_{name}", percent) for name in _RUNS]
    outcomes = [
        Column(
            f"{kind}_v",
            f"{kind} (v, wv, t)",
            lambda *of: " ".join(map(percent, of)),
            (f"{kind}_wv", f"{kind}_t"),
        )
        for kind in _KINDS
    ]
    values: Columns = [
        "n",
        "questions",
        *scores,
        _interval("mg", "MG"),
        _interval("ml", "ML"),
        *outcomes,
    ]
    tables = [Table(records, [*model, "task", "metric", "group", without], values)]
    if overall:
        values = ["n", *scores, _interval("mg", "MG"), _interval("ml_signed", "S_wv - S_t")]
        rows = [row for record in overall for row in _sensitivity_rows(record)]
        tables.append(Table(rows, [*model, "task", without, "questions"], values, data=()))
    return render(form, *tables)


def _interval(name: str, head: str) -> Column:
    return Column(name, head, number, (f"{name}_low", f"{name}_high"))


def _record(row: Row) -> dict[str, Any]:
    answered = {"n": getattr(row.answered, "n", 0), **_numbers(row.answered)}
    return {
        **{name: getattr(row, name) for name in _NAMES},
        **_numbers(row.result),
        "answered": answered,
        **{
            f"{kind}_{name}": getattr(outcomes, kind, None)
            for kind in _KINDS
            for name, outcomes in zip_longest(_RUNS, row.outcomes)
        },
        "warnings": warnings(row),
    }


def _numbers(result: Gain | None) -> dict[str, float | None]:
    scores = {f"s_{name}": getattr(result, f"s_{name}", None) for name in _RUNS}
    estimates = {name: getattr(result, name, None) for name in ("mg", "ml", "ml_signed")}
    return scores | {
        f"{name}{end}": getattr(estimate, value, None)
        for name, estimate in estimates.items()
        for end, value in _ENDS.items()
    }


def _sensitivity_rows(record: dict[str, Any]) -> list[dict[str, Any]]:
    """Return rows of leakage not cut at 0: over all questions, and those that every run answered."""
    of = {name: record[name] for name in ("model", "task", "ablation")}
    views = {"all": record, "answered": record["answered"]}
    return [{**view, **of, "questions": name} for name, view in views.items()]
