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
from spiqa_tasks.runs.columns import Columns, advice, columns_of, listed
from spiqa_tasks.runs.run import FIRST, Answer
from spiqa_tasks.scoring.mcq import extract_choice


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    about = (
        "jsonl, json, csv, tsv, xlsx or parquet of answers with their options: an object of "
        "letters and texts, a list, the columns A, B, ..., or a question that lists them"
    )
    parser.add_argument("file", type=Path, metavar="FILE", help=about)
    add_columns(parser)
    add_format(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the letter, the rule and the reason of every answer, and how many there are by rule.

    Rows without options are named and left out.
    """
    file, columns = arguments.file, arguments.columns
    rows = [columns.resolved(row) for row in read_records(file)]
    if not rows:
        raise InputError(
            f"Expected answers in {file}, found none. Name a file with an answer in every row."
        )

    columns = _with_prediction(file, rows, columns)
    answers: list[dict[str, Any]] = []
    without = []
    for place, row in enumerate(rows, 1):
        name = "/".join(str(row[column]) for column in columns.ids(row)) or str(place)
        answer = _answer(row, columns, f"row {place} of {file}")
        if not answer.known_options:
            without.append(name)
            continue
        choice = extract_choice(answer.response.text, answer.known_options)
        answers.append(
            {"id": name, "letter": choice.letter, "rule": choice.rule, "reason": choice.reason}
        )

    if not answers:
        raise InputError(
            f"Expected options in {file}, found none in {listed(columns_of(rows))}. Name their "
            "column with --columns options=COLUMN."
        )
    if without:
        first = ", ".join(without[:FIRST])
        say(f"{counted(len(without), 'row')} without options left out, the first: {first}.")
    _print(arguments.format, answers)
    return 0


def _with_prediction(file: Path, rows: list[Mapping[str, Any]], columns: Columns) -> Columns:
    """Return the columns with one of predictions for all rows: answers in another one in some rows
    are a mistake.
    """
    names = columns_of(rows)
    columns.check(names, file)
    name = columns.name("prediction", names)
    if name is None:
        raise InputError(
            f"Expected answers in {file}, found the columns {listed(names)}. "
            f"{advice(names, columns)}".strip()
        )
    # figures mean nothing to options, and may be in any form
    return Columns({**columns.named, "prediction": name, "figures": ""})


def _answer(row: Mapping[str, Any], columns: Columns, where: str) -> Answer:
    try:
        return columns.answer(row, "")
    except ValueError as error:
        raise InputError(
            f"Expected a text as the answer in {where}, found {error}. Name the column with "
            "--columns prediction=COLUMN."
        ) from error


def _print(form: str, answers: list[dict[str, Any]]) -> None:
    rules = Counter(answer["rule"] for answer in answers)
    found = sum(answer["letter"] is not None for answer in answers)
    percent = 100 * found / len(answers)
    share = f"{found} of {counted(len(answers), 'answer')} with a letter ({percent:.1f}%)"
    by_rule = [{"rule": rule, "answers": count} for rule, count in rules.most_common()]

    letter = Column("letter", show=lambda letter: letter or "-")
    tables = [
        Table(answers, ["id"], [letter, "rule", "reason"]),
        Table(by_rule, ["rule"], ["answers"], notes=[share], data=()),
    ]
    whole = {"answers": answers, "n": len(answers), "found": found, "rules": rules}
    print(render(form, *tables, whole=whole))
