"""`paper`: every table and figure of the three papers, and each made again beside what is
printed.
"""

import argparse
import math
import os
from collections.abc import Collection, Mapping, Sequence

from spiqa_tasks.benchmarks.description import ALL, COUNTED, printed
from spiqa_tasks.benchmarks.registry import BENCHMARKS, Task, is_there
from spiqa_tasks.commands.run_arguments import (
    METRIC,
    RUN,
    TASK,
    add_include_path,
    add_part,
    selection,
)
from spiqa_tasks.errors import DataError, InputError
from spiqa_tasks.files.source import Source, default_source, demo_source
from spiqa_tasks.hosts.catalogue import catalogue, find_tasks, members_of
from spiqa_tasks.printable import said_if_slow, say
from spiqa_tasks.published import PAPERS, Item, item_named, items
from spiqa_tasks.report.printer import Column, Columns, Table, add_format, render
from spiqa_tasks.runs.loading import load_runs
from spiqa_tasks.runs.paths import RunPath

_JUDGES = ("SPIQA_JUDGE", "SPIQA_JUDGE_API_KEY", "OPENAI_API_KEY")
"""Environment variables of which one is set where a judge can be asked."""


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("paper", nargs="?", choices=PAPERS, help="default: list all three")
    parser.add_argument(
        "item", nargs="?", metavar="ITEM", help="table8, figureB1, ...; default: list them"
    )
    parser.add_argument("runs", nargs="*", type=RunPath.parse, metavar="RUN", help=RUN)
    parser.add_argument(
        "--among",
        nargs="+",
        type=RunPath.parse,
        default=[],
        metavar="RUN",
        help="of the list: which have runs here",
    )
    parser.add_argument(
        "--task", action="append", default=[], help=f"{TASK}; of counts: the split of this task"
    )
    about = (
        "only scores by this judge; of ranked captions a judge that sees pictures, several times"
        " for several"
    )
    parser.add_argument("--judge", action="append", metavar="PROVIDER:MODEL[@URL]", help=about)
    add_part(parser)
    add_include_path(parser)
    parser.add_argument("--metric", help=f"{METRIC}; of scores several as a,b")
    parser.add_argument(
        "--over", metavar="SETTING", help="a setting that the tasks differ by, such as resolution"
    )
    parser.add_argument(
        "--summary", action="store_true", help="of marked captions: how far ignoring them returns"
    )
    parser.add_argument(
        "--size", type=int, default=500, help="answers in a resample (default: 500)"
    )
    parser.add_argument("--repeats", type=int, default=100_000, help="resamples (default: 100000)")
    parser.add_argument(
        "--seed", type=int, default=0, help="of resamples and orders of captions (default: 0)"
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="of ranked captions: only say how many requests"
    )
    add_format(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the list, or the table again; 3 where a part of it could not be made."""
    if arguments.item is None:
        arguments.judge = None
        return _list(arguments)

    item = item_named(arguments.paper, arguments.item)
    _check(arguments, item)
    if item.maker != "rank":  # only rankings are made by several judges
        arguments.judge = next(iter(arguments.judge or ()), None)
    if item.maker == "counts":
        return _counts(arguments, item)

    from spiqa_tasks.commands.paper_tables import MAKERS  # takes numpy, which the list does without

    return MAKERS[item.maker](arguments, item)


def _check(arguments: argparse.Namespace, item: Item) -> None:
    """Raise InputError: an item that cannot be made, without its runs, or with too many judges."""
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
    """Print what the papers show, and what of it can be made here."""
    tasks, groups = catalogue()
    source = default_source(fetches=False)
    answered = None
    if arguments.among:
        answered = {run.task for run in load_runs(arguments.among, selection(arguments))[0]}

    records = []
    for item in items():
        if arguments.paper not in (None, item.paper):
            continue
        needs_runs = "runs" in item.needs
        records.append(
            {
                "paper": item.paper,
                "item": item.key,
                "shows": item.shows,
                "needs": item.needs,
                "tasks": item.tasks if needs_runs else [],
                "data": _has_data(item, tasks, groups, source),
                "runs": _has_runs(item, answered) if needs_runs else None,
                "judge": any(map(os.environ.get, _JUDGES)) if "judge" in item.needs else None,
                "note": item.note,
            }
        )

    values: Columns = ["needs", Column("tasks", "--tasks"), *("data", "runs", "judge", "note")]
    note = (
        "Made again by `spiqa-tasks paper PAPER ITEM [RUN...]`; "
        "data, runs and judge: whether they are there."
    )
    table = Table(records, ["paper", "item", "shows"], values, notes=[note])
    print(render(arguments.format, table))
    return 0


def _has_runs(item: Item, answered: Collection[str] | None) -> bool | None:
    """Return whether a task of the item was answered, or None if no runs were named."""
    if answered is None:
        return None

    tasks, groups = catalogue()
    names = {name for asked in item.tasks for name in (asked, *members_of(asked, tasks, groups))}
    return not names.isdisjoint(answered)


def _has_data(
    item: Item, tasks: Mapping[str, Task], groups: Mapping[str, Sequence[str]], source: Source
) -> bool | None:
    """Return whether the data of an item's tasks is there, or None for tasks of the host."""
    if item.maker == "counts":
        splits = [split for split in BENCHMARKS[item.paper].splits if not split.startswith("demo")]
        return all(is_there(source, item.paper, split, "ablation=text") for split in splits)
    members = [task for name in item.tasks for task in members_of(name, tasks, groups).values()]
    found = {(task.benchmark_name, task.split, task.settings_text) for task in members}
    return all(is_there(source, *each) for each in found) if found else None


def _counts(arguments: argparse.Namespace, item: Item) -> int:
    """Print counts of the release beside the printed ones; 3 where a split's data is missing."""
    records: list[dict[str, object]] = []
    missing: list[DataError] = []
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
        Column("value", "counted", _plain),
        Column("published", show=_plain),
        Column("difference", show=_difference),
    ]
    print(render(arguments.format, Table(records, labels, values)))
    return 3 if missing else 0


def _counts_of_split(item: Item, split: str) -> list[dict[str, object]]:
    source = demo_source() if split.startswith("demo") else default_source(fetches=False)
    with said_if_slow("counting the data"):
        counted = COUNTED[item.paper, item.key](source, split)

    published = printed(item.paper, item.key, split)
    rows: list[dict[str, object]] = []
    for name, value in counted.items():
        number = published.get(name, math.nan)
        rows.append(
            {
                "benchmark": item.paper,
                "split": split,
                "place": item.name,
                "statistic": name,
                "value": value,
                "published": number,
                "difference": value - number,
            }
        )

    return rows


def _splits(item: Item, tasks: Sequence[str]) -> list[str]:
    """Return the splits of the named tasks, by default those that the paper is about."""
    if not tasks:
        return _splits_of_paper(item)

    named = find_tasks(tasks)
    others = [
        task.name for task in named if task.benchmark_name != item.paper or item.key == "table2"
    ]
    if others:
        raise InputError(
            f"Expected tasks of {item.paper} for {item.name}, found {others[0]}. Leave out --task."
        )
    return list(dict.fromkeys(task.split for task in named))


def _splits_of_paper(item: Item) -> list[str]:
    if item.key == "table2":
        return [ALL]

    # the figures to be captioned are those of the other splits
    splits = BENCHMARKS[item.paper].splits
    return [split for split in splits if split != "captioning" and not split.startswith("demo")]


def _plain(value: float, sign: str = "") -> str:
    return "-" if math.isnan(value) else f"{value:{sign},.{0 if value == round(value) else 2}f}"


def _difference(value: float) -> str:
    """Return a difference with its sign; '' for one that is 0 to two decimals, as the papers
    print.
    """
    return "" if math.isnan(value) or abs(value) < 0.005 else _plain(value, "+")
