"""`choices`: the option that each answer of a file picks."""

import argparse
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from spiqa_tasks.commands.run_arguments import add_columns
from spiqa_tasks.errors import InputError
from spiqa_tasks.files.records import read_records
from spiqa_tasks.printable import counted, say
from spiqa_tasks.report.printer import Column, Table, add_format, render
from spiqa_tasks.runs.columns import Columns, advice, cell_text, columns_of, listed
from spiqa_tasks.runs.run import FIRST
from spiqa_tasks.scoring.mcq import extract_choice
from spiqa_tasks.scoring.options import options_in, options_of

_LETTER = Column("letter", show=lambda letter: letter or "-")


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument(
        "file",
        type=Path,
        metavar="FILE",
        help=(
            "jsonl, json, csv, tsv, xlsx or parquet of answers with their options: an object of "
            "letters and texts, a list, the columns A, B, ..., or a question that lists them"
        ),
    )
    add_columns(parser)
    parser.add_argument(
        "--options", metavar="COLUMN[,COLUMN...]", help="the options: a column, or one for each"
    )
    add_format(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the letter, the rule and the reason of every answer, and how many there are by rule.

    Rows without options are named and left out.
    """
    file: Path = arguments.file
    columns: Columns = arguments.columns
    rows = [columns.resolved(row) for row in read_records([file])]
    if not rows:
        raise InputError(
            f"Expected answers in {file}, found none. Name a file with an answer in every row."
        )
    prediction = _prediction(file, rows, columns)

    answers: list[dict[str, str | None]] = []
    without: list[str] = []
    for place, row in enumerate(rows, 1):
        name = _name(row, columns, place)
        options = _options(row, columns, arguments.options, f"row {place} of {file}")
        if not options:
            without.append(name)
            continue
        choice = extract_choice(_text(row.get(prediction), f"row {place} of {file}"), options)
        answers.append(
            {"id": name, "letter": choice.letter, "rule": choice.rule, "reason": choice.reason}
        )

    if not answers:
        raise InputError(
            f"Expected options in {file}, found none in {listed(columns_of(rows))}. Name their "
            "column with --options."
        )
    if without:
        first = ", ".join(without[:FIRST])
        say(f"{counted(len(without), 'row')} without options left out, the first: {first}.")
    _print(arguments.format, answers)
    return 0


def _print(form: str, answers: list[dict[str, str | None]]) -> None:
    rules = Counter(answer["rule"] for answer in answers)
    found = sum(answer["letter"] is not None for answer in answers)
    percent = 100 * found / len(answers)
    share = f"{found} of {counted(len(answers), 'answer')} with a letter ({percent:.1f}%)"
    by_rule = [{"rule": rule, "answers": count} for rule, count in rules.most_common()]
    tables = [
        Table(answers, ["id"], [_LETTER, "rule", "reason"]),
        Table(by_rule, ["rule"], ["answers"], notes=[share], data=()),
    ]
    whole = {"answers": answers, "n": len(answers), "found": found, "rules": rules}
    print(render(form, *tables, whole=whole))


def _prediction(file: Path, rows: list[Mapping[str, Any]], columns: Columns) -> str:
    found = columns_of(rows)
    columns.check(found, file)
    name = columns.name("prediction", found)
    if name is None:
        raise InputError(
            f"Expected answers in {file}, found the columns {listed(found)}. "
            f"{advice(found, columns)}".strip()
        )
    return name


def _name(row: Mapping[str, Any], columns: Columns, place: int) -> str:
    ids = [str(row[column]) for column in columns.ids(row)]
    return "/".join(ids) or str(place)


def _options(
    row: Mapping[str, Any], columns: Columns, named: str | None, where: str
) -> dict[str, str]:
    """The options in the named columns, else in the usual ones or in the question's text."""
    if named is not None:
        try:
            return options_of(row, list(filter(None, named.split(","))))
        except ValueError as error:
            raise InputError(
                f"Expected options in {where}, found {error}. Correct the row."
            ) from error

    question = columns.name("question", row)
    return columns.options(row) or options_in(str(row[question] or "") if question else "")


def _text(value: Any, where: str) -> str:
    try:
        return cell_text(value) or ""
    except ValueError as error:
        raise InputError(
            f"Expected a text as the answer in {where}, found {error}. Name the column with "
            "--columns prediction=COLUMN."
        ) from error
