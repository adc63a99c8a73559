"""`choices`: the option that each answer of a file picks."""

import argparse
from collections import Counter
from pathlib import Path
from typing import Any

from spiqa_tasks.commands.run_arguments import add_columns
from spiqa_tasks.errors import InputError
from spiqa_tasks.files.records import read_records
from spiqa_tasks.printable import counted, say
from spiqa_tasks.report.printer import Column, Table, add_format, render
from spiqa_tasks.runs.columns import Columns, answers_of_rows, columns_of, listed
from spiqa_tasks.runs.run import MOST_LISTED
from spiqa_tasks.scoring.mcq import extract_choice


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
    add_format(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the letter of each answer with its rule or reason, and the number of answers by rule.

    Rows without options are left out, and named on stderr.
    """
    file = arguments.file
    # a letter is read without figures, which may be in any form
    columns = Columns({**arguments.columns.named, "figures": ""})
    rows = {
        f"row {number}": columns.resolved(row) for number, row in enumerate(read_records(file), 1)
    }
    answers = []
    without_options = []
    for answer in answers_of_rows(file, rows, columns, ["prediction"]):
        key = answer.id or str(answer.position + 1)
        if not answer.known_options:
            without_options.append(key)
            continue
        choice = extract_choice(answer.response.text, answer.known_options)
        answers.append(
            {"id": key, "letter": choice.letter, "rule": choice.rule, "reason": choice.reason}
        )

    if not answers:
        raise InputError(
            f"Expected options in {file}, found none in {listed(columns_of(rows.values()))}. Name "
            "their column with --columns options=COLUMN."
        )
    if without_options:
        first = ", ".join(without_options[:MOST_LISTED])
        say(f"{counted(len(without_options), 'row')} without options left out, the first: {first}.")
    _print(arguments.format, answers)
    return 0


def _print(form: str, answers: list[dict[str, Any]]) -> None:
    """Print the letter and the rule of each answer, then how many answers each rule read."""
    rules = Counter(answer["rule"] for answer in answers)
    with_letter = sum(answer["letter"] is not None for answer in answers)
    share = (
        f"{with_letter} of {counted(len(answers), 'answer')} with a letter "
        f"({with_letter / len(answers):.1%})"
    )
    by_rule = [{"rule": rule, "answers": count} for rule, count in rules.most_common()]

    letter = Column("letter", show=lambda letter: letter or "-")
    tables = [
        Table(answers, ["id", letter, "rule", "reason"]),
        Table(by_rule, ["rule", "answers"], notes=[share], data=()),
    ]
    whole = {"answers": answers, "n": len(answers), "found": with_letter, "rules": rules}
    print(render(form, *tables, whole=whole))
