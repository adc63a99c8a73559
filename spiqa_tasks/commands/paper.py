"""`paper`: list the tables and figures of the three papers, or make one again, beside what is
printed.
"""

import argparse

from spiqa_tasks.commands.run_arguments import METRIC, add_runs
from spiqa_tasks.errors import InputError
from spiqa_tasks.published import PAPERS, Item, item_named, items
from spiqa_tasks.report.printer import Column, Columns, Table, add_format, render


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("paper", nargs="?", choices=PAPERS, help="default: list all three")
    parser.add_argument(
        "item",
        nargs="?",
        metavar="ITEM",
        help="table8, figureB1, ...; default: list them",
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
    # Needs numpy, which the list and `--help` do without.
    from spiqa_tasks.commands.paper_tables import MAKERS

    return MAKERS[item.maker](arguments, item)


def _check(arguments: argparse.Namespace, item: Item) -> None:
    """Raise InputError: the item cannot be made again, or runs are missing, or judges too many."""
    if not item.maker:
        raise InputError(
            f"Expected a table or figure that can be made again, found {item.name}: {item.note}."
        )
    if not arguments.runs:
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

    columns: Columns = ["paper", "item", "shows", "needs", Column("tasks", "--tasks"), "note"]
    note = "Made again by `spiqa-tasks paper PAPER ITEM RUN...`."
    table = Table(records, columns, notes=[note])
    print(render(arguments.format, table))
    return 0
