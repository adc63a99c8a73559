"""`gain`: multi-modal gain and leakage of the host's runs."""

import argparse
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

from spiqa_tasks.analysis.breakdown import OVERALL
from spiqa_tasks.analysis.gain import GainRuns, Row, averages, rows, sample_lists, warnings
from spiqa_tasks.analysis.twins import ablation_pairs, pair_of
from spiqa_tasks.commands.run_arguments import add_accept, add_runs, runs_at
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
    "RUNs are recognised by their own record: our _text, _grey and _llm tasks, and --model "
    "ablated; the files of --with, --without and --llm-base by these options. Values in json and "
    "csv are natural (0 to 1), in tables times 100."
)
_RUNS = ("v", "wv", "t")
_KINDS = ("refused", "unparsed")
_ENDS = {"": "value", "_low": "low", "_high": "high"}
_ROLES = (
    ("--with", "seeing", "of a model that saw the pictures"),
    ("--without", "blind", "of the same model without them"),
    ("--llm-base", "base", "of its LLM base, also beside RUNs"),
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
    about = "a line for each group, too: of a column such as category, or of all (group)"
    parser.add_argument("--by", metavar="COLUMN", help=about)
    parser.add_argument(
        "--samples", type=Path, metavar="FILE", help="write won, lost and leaked questions (jsonl)"
    )
    about = "S_v S_wv [S_t] by hand instead of runs, shares or percent"
    parser.add_argument("--scores", nargs="+", type=float, metavar="S", help=about)
    add_accept(parser, "take one file or model in two roles: a baseline may answer alike")
    add_format(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the table; return 3 if a row is withheld or a run that was asked for is left out."""
    files = arguments.seeing or arguments.blind
    _check_ways(
        {"RUNs": arguments.runs, "--scores": arguments.scores, "--with or --without": files}
    )
    if arguments.scores:
        return _run_scores(arguments.scores, arguments.format)
    if arguments.samples is not None:
        check_file(arguments.samples)

    found, problems = ([_named(arguments)], []) if files else _recognised(arguments)
    # Problems are said below the table, where they are read.
    is_complete = print_gain(found, arguments.format, arguments.by, arguments.samples)
    say(*problems)
    return 0 if is_complete and not problems else 3


def _check_ways(ways: Mapping[str, object]) -> None:
    """Raise InputError unless the runs are named in one way."""
    given = [way for way, what in ways.items() if what]
    if len(given) != 1:
        raise InputError(
            "Expected RUNs, --with FILE --without FILE, each with [--llm-base FILE], or --scores "
            f"S_v S_wv [S_t]; found {' and '.join(given) or 'none of them'}. See `spiqa-tasks gain "
            "-h`."
        )


def print_gain(
    found: Sequence[GainRuns], form: str, by: str | None = None, samples: Path | None = None
) -> bool:
    """Print the table and its warnings, and write the samples; return whether no row is
    withheld.
    """
    table = [row for of in found for row in rows(of, by)]
    print(_rendered([*table, *averages(table)], form))
    if samples is not None:
        lines = (sample for of in found for sample in sample_lists(of))
        write_atomically(samples, as_jsonl(lines).encode())

    _warn(table)
    return not any(row.withheld for row in table)


def _warn(table: Sequence[Row]) -> None:
    """Print warnings, of a group only if the overall row before it has none."""
    warned = set()
    for row in table:
        of = (row.task, row.model, row.ablation)
        if of in warned:
            continue
        found = warnings(row)
        name = f"{row.task} of {row.model} ({row.ablation}), {row.group}"
        say(*(f"{name}: {warning}." for warning in found), program="warning")
        if found and row.group == OVERALL:
            warned.add(of)


def _recognised(arguments: argparse.Namespace) -> tuple[list[GainRuns], list[str]]:
    """Return the pairs by the runs' own records, and a sentence per run left out."""
    base = [] if arguments.base is None else runs_at([arguments.base], arguments)
    runs = runs_at(arguments.runs, arguments)
    found, alone, problems = ablation_pairs(
        runs, base, arguments.task, arguments.metric, arguments.accept_differences
    )

    # A run without its twin is a problem where it was asked for, and none in a folder of many.
    if arguments.task or not all(place.path.is_dir() for place in arguments.runs):
        return found, [*alone, *problems]
    say(*alone)
    return found, problems


def _named(arguments: argparse.Namespace) -> GainRuns:
    """Return the runs that the options name; InputError: one missing, or see `pair_of`."""
    if arguments.seeing is None or arguments.blind is None:
        raise InputError(
            "Expected --with and --without, which gain is the difference of; found one of them. "
            "`spiqa-tasks score` takes a single file."
        )
    places = (arguments.seeing, arguments.blind, arguments.base)
    runs = [_run_at(place, arguments) for place in places if place is not None]
    if selection.is_blind(runs[0]):
        name = f"{runs[0].name} on {runs[0].task}"
        raise InputError(
            f"Expected a run with pictures at --with, found {name}. Name it at --without."
        )
    return pair_of(runs, arguments.metric, arguments.accept_differences)


def _run_at(place: RunPath, arguments: argparse.Namespace) -> Run:
    runs = selection.select_tasks(runs_at([place], arguments), arguments.task, variants=True)
    if len(runs) > 1:
        tasks = ", ".join(f"{run.task} of {run.name}" for run in runs)
        raise InputError(f"Expected one run at {place.path}, found {tasks}. Name one with --task.")
    return runs[0]


def _run_scores(given: Sequence[float], form: str) -> int:
    found = " ".join(f"{score:g}" for score in given)
    if not 2 <= len(given) <= 3 or not all(0 <= score <= 100 for score in given):
        raise InputError(
            "Expected --scores S_v S_wv [S_t], shares from 0 to 1 or percent from 0 to 100; found "
            f"{found}."
        )
    try:
        scores, unit = natural(given)
    except ValueError as error:
        raise InputError(
            f"Expected --scores in one unit, shares or percent; found {found}. Write all as shares."
        ) from error

    result = gain_of_totals(0, *scores)
    if form not in STYLES:
        record: dict[str, Any] = {
            "task": None,
            "group": OVERALL,
            "unit": unit,
            **_numbers(result),
            "warnings": [],
        }
        print(render(form, Table([record], (), ())))
    else:
        ml = "-" if result.ml is None else percent(result.ml.value)
        print(
            f"MG {percent(result.mg.value)}, ML {ml} (times 100; the scores are taken for {unit})"
        )
    return 0


def _rendered(table: Sequence[Row], form: str) -> str:
    """Return the rows in a form; people see the paper's numbers, then those of `_sensitivity`."""
    model = _if_several("model", "model", [row.model for row in table])
    without = Column("ablation", "without")
    llm = _if_several("llm", "LLM base", [None, *(row.llm for row in table)])
    scores = [Column(f"s_{name}", f"S_{name}", percent) for name in _RUNS]
    mg = _interval("mg", "MG")

    records = [_record(row) for row in table]
    labels: Columns = [*model, "task", "metric", "group", without, *llm]
    values: Columns = ["n", "questions", *scores, mg, _interval("ml", "ML"), *map(_shares, _KINDS)]
    tables = [Table(records, labels, values)]

    if views := [view for row in table for view in _sensitivity(row)]:
        labels = [*model, "task", without, *llm, "questions"]
        values = ["n", *scores, mg, _interval("ml_signed", "S_wv - S_t")]
        tables.append(Table(views, labels, values, data=()))
    return render(form, *tables)


def _shares(kind: str) -> Column:
    """Return the column of each run's share of answers of a kind."""
    others = (f"{kind}_wv", f"{kind}_t")
    return Column(f"{kind}_v", f"{kind} (v, wv, t)", _percents, others)


def _percents(*shares: float | None) -> str:
    return " ".join(map(percent, shares))


def _if_several(name: str, head: str, values: Sequence[str | None]) -> list[Column]:
    return [Column(name, head)] if len(set(values)) > 1 else []


def _interval(name: str, head: str) -> Column:
    return Column(name, head, number, (f"{name}_low", f"{name}_high"))


def _record(row: Row) -> dict[str, Any]:
    shares = {
        f"{kind}_{name}": getattr(outcomes, kind, None)
        for kind in _KINDS
        for name, outcomes in zip_longest(_RUNS, row.outcomes)
    }
    return {
        "task": row.task,
        "metric": row.metric,
        "group": row.group,
        "model": row.model,
        "ablation": row.ablation,
        "llm": row.llm,
        "n": row.n,
        "questions": row.questions,
        **_numbers(row.result),
        "answered": {"n": row.answered.n if row.answered else 0, **_numbers(row.answered)},
        **shares,
        "warnings": [] if row.task == "average" else warnings(row),
    }


def _numbers(result: Gain | None) -> dict[str, float | None]:
    numbers = {f"s_{name}": getattr(result, f"s_{name}", None) for name in _RUNS}
    for name in ("mg", "ml", "ml_signed"):
        estimate = getattr(result, name, None)
        for end, value in _ENDS.items():
            numbers[f"{name}{end}"] = getattr(estimate, value, None)

    return numbers


def _sensitivity(row: Row) -> list[dict[str, Any]]:
    """Return leakage not cut at 0 overall: of all questions, and of those every run answered."""
    if row.group != OVERALL or row.result is None:
        return []

    of = {"model": row.model, "task": row.task, "ablation": row.ablation, "llm": row.llm}
    views = {"all": row.result, "answered": row.answered}
    return [
        {**of, "questions": name, "n": result.n if result else 0, **_numbers(result)}
        for name, result in views.items()
    ]
