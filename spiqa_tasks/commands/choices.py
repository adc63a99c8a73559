"""`choices`: the option that each answer of a file picks."""

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from spiqa_tasks.errors import InputError
from spiqa_tasks.files.records import read_records
from spiqa_tasks.printable import counted
from spiqa_tasks.report.printer import Column, Table, add_format, render
from spiqa_tasks.scoring.mcq import extract_choice
from spiqa_tasks.scoring.options import row_options

RESPONSES = ("response", "prediction", "output", "model_output", "raw_output")
"""Names of the column of responses; the first in a row counts."""
IDS = ("id", "index", "question_id", "pid", "ID")


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument(
        "file",
        type=Path,
        metavar="FILE",
        help="jsonl, json, csv, tsv, xlsx or parquet with an answer and its options in every row: an object of letters "
        "and texts, a list, the columns A, B, ..., or a question that lists them",
    )
    parser.add_argument(
        "--response", metavar="COLUMN", help=f"the answers (default: {', '.join(RESPONSES)})"
    )
    parser.add_argument(
        "--options", metavar="COLUMN[,COLUMN...]", help="the options: a column, or one for each"
    )
    add_format(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the letter, the rule and the reason of every answer, and how many there are by rule."""
    named = tuple(filter(None, (arguments.options or "").split(",")))
    answers: list[dict[str, str | None]] = []
    rules: Counter[str] = Counter()
    for place, record in enumerate(read_records([arguments.file]), 1):
        where = f"row {place} of {arguments.file}"
        choice = extract_choice(
            _response(record, arguments.response, where), _options(record, named, where)
        )
        name = next((str(record[column]) for column in IDS if column in record), str(place))
        answers.append(
            {"id": name, "letter": choice.letter, "rule": choice.rule, "reason": choice.reason}
        )
        rules[choice.rule] += 1
    if not answers:
        raise InputError(
            f"Expected answers in {arguments.file}, found none. Name a file with an answer in every row."
        )
    found = sum(answer["letter"] is not None for answer in answers)
    share = f"{found} of {counted(len(answers), 'answer')} with a letter ({100 * found / len(answers):.1f}%)"
    by_rule = [{"rule": rule, "answers": count} for rule, count in rules.most_common()]
    tables = [
        Table(
            answers, ["id"], [Column("letter", show=lambda letter: letter or "-"), "rule", "reason"]
        ),
        Table(by_rule, ["rule"], ["answers"], notes=[share], data=()),
    ]
    whole = {"answers": answers, "n": len(answers), "found": found, "rules": rules}
    print(render(arguments.format, *tables, whole=whole))
    return 0


def _response(record: Any, column: str | None, where: str) -> str:
    names = [column] if column else RESPONSES
    value = next((record[name] for name in names if name in record), None)
    if not isinstance(value, str):
        found = "none" if value is None else repr(value)[:40]
        raise InputError(
            f"Expected an answer in {' or '.join(names)} of {where}, found {found} among {', '.join(record)}. "
            "Name the column with --response."
        )
    return value


def _options(record: Any, named: Sequence[str], where: str) -> dict[str, str]:
    try:
        options = row_options(record, named)
    except ValueError as error:
        raise InputError(f"Expected options in {where}, found {error}. Correct the row.") from error
    if not options:
        columns = ", ".join(named or record)
        raise InputError(
            f"Expected options in {where}, found none in {columns}. Name their column with --options."
        )
    return options
