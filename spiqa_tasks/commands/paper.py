"""`paper`: list the tables and figures of the three papers, or make one again, beside what is
printed.
"""

import argparse
import math
from collections.abc import Sequence

from spiqa_tasks.benchmarks.description import ALL, COUNTED, printed
from spiqa_tasks.benchmarks.registry import BENCHMARKS
from spiqa_tasks.commands.run_arguments import METRIC, add_runs
from spiqa_tasks.errors import DataError, InputError
from spiqa_tasks.files.source import default_source, demo_source
from spiqa_tasks.hosts.catalogue import find_tasks
from spiqa_tasks.printable import progress, say
from spiqa_tasks.published import PAPERS, Item, item_named, items
from spiqa_tasks.report.printer import Column, Columns, Table, add_format, render


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("paper", nargs="?", choices=PAPERS, help="default: list all three")
    parser.add_argument(
        "item",
        nargs="?",
        metavar="ITEM",
        help="table8, figureB1, ...; default: list them; --task names the split of counts",
    )
    about = "only scores by this judge; to rank captions, one or several judges that see pictures"
    add_runs(parser, "*", about, "append")
    parser.add_argument("--metric", help=f"{METRIC}; a,b: several")
    add_format(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the list, or one table made again; return 3 if a part of it is missing, else 0."""
    if arguments.item is None:
        return _list(arguments)

    item = item_named(arguments.paper, arguments.item)
    _check(arguments, item)
    if item.maker == "counts":
        return _counts(arguments, item)

    # Needs numpy, which the list and `--help` do without.
    from spiqa_tasks.commands.paper_tables import MAKERS

    return MAKERS[item.maker](arguments, item)


def _check(arguments: argparse.Namespace, item: Item) -> None:
    """Raise InputError: the item cannot be made again, or runs are missing, or judges too many."""
    if not item.maker:
        raise InputError(
            f"Expected a table or figure that can be made again, found {item.name}: {item.note}."
        )
    if not arguments.runs and item.maker != "counts":
        raise InputError(
            f"Expected runs of {' or '.join(item.tasks)} for {item.name}, found none. "
            "Name their folders."
        )
    if item.maker != "rank" and len(arguments.judge or ()) > 1:
        raise InputError(
            f"Expected one --judge for {item.name}, found {len(arguments.judge)}. Name one."
        )


def _list(arguments: argparse.Namespace) -> int:
    """Print a line per table and figure: what it shows, and what it is made of."""
    records = [
        {
            "paper": item.paper,
            "item": item.key,
            "shows": item.shows,
            "needs": item.needs,
            "tasks": item.tasks if "runs" in item.needs else [],
            "note": item.note,
        }
        for item in items()
        if arguments.paper in (None, item.paper)
    ]

    values: Columns = ["needs", Column("tasks", "--tasks"), "note"]
    note = "Made again by `spiqa-tasks paper PAPER ITEM [RUN...]`."
    table = Table(records, ["paper", "item", "shows"], values, notes=[note])
    print(render(arguments.format, table))
    return 0


def _counts(arguments: argparse.Namespace, item: Item) -> int:
    """Print counts of the release beside the printed ones; return 3 if a split has no data."""
    records: list[dict[str, object]] = []
    missing = []
    for split in _splits(item, arguments.task):
        try:
            records += _counts_of_split(item, split)
        except DataError as error:
            missing.append(error)

    if missing and not records:
        raise missing[0]

    say(*map(str, missing))
    labels: Columns = ["benchmark", "split", Column("place", "in"), "statistic"]
    values = [
        Column("value", "counted", _number_text),
        Column("published", show=_number_text),
        Column("difference", show=_difference),
    ]
    print(render(arguments.format, Table(records, labels, values)))
    return 3 if missing else 0


def _splits(item: Item, tasks: Sequence[str]) -> list[str]:
    """Return the splits of the named tasks, by default all that the paper describes."""
    counts_whole_release = item.key == "table2"  # SPIQA's splits together
    named = find_tasks(tasks)
    for task in named:
        if task.benchmark_name != item.paper or counts_whole_release:
            raise InputError(
                f"Expected tasks of {item.paper} for {item.name}, found {task.name}. "
                "Leave out --task."
            )

    if counts_whole_release:
        return [ALL]
    if named:
        return list(dict.fromkeys(task.split for task in named))

    # `captioning` has the figures of SciFIBench's other splits.
    splits = BENCHMARKS[item.paper].splits
    return [split for split in splits if split != "captioning" and not split.startswith("demo")]


def _counts_of_split(item: Item, split: str) -> list[dict[str, object]]:
    """Return a row per statistic of a split: counted, published (NaN if not), difference."""
    source = demo_source() if split.startswith("demo") else default_source(fetches=False)
    with progress("counting the data"):
        counted = COUNTED[item.paper, item.key](source, split)

    published = printed(item.paper, item.key, split)
    rows = []
    for name, value in counted.items():
        published_value = published.get(name, math.nan)
        rows.append(
            {
                "benchmark": item.paper,
                "split": split,
                "place": item.name,
                "statistic": name,
                "value": value,
                "published": published_value,
                "difference": value - published_value,
            }
        )

    return rows


def _number_text(value: float, sign: str = "") -> str:
    """Return a count without decimals, a mean with two as in the papers, '-' for NaN.

    With `sign` "+" a positive number has its sign.
    """
    if math.isnan(value):
        return "-"
    decimals = 0 if value == round(value) else 2
    return f"{value:{sign},.{decimals}f}"


def _difference(value: float) -> str:
    """Return a difference with its sign; '' if the papers' two decimals would be 0, or for NaN."""
    return "" if math.isnan(value) or abs(value) < 0.005 else _number_text(value, "+")
