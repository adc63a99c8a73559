"""`exam`: which traps judges fall into."""

from __future__ import annotations

import argparse
import dataclasses
from collections import Counter
from pathlib import Path

from spiqa_tasks.analysis.traps import TRAPS, demo_traps
from spiqa_tasks.commands import examining
from spiqa_tasks.errors import InputError
from spiqa_tasks.files.atomic import check_file, write_atomically
from spiqa_tasks.report.printer import Column, Columns, Table, as_jsonl, render
from spiqa_tasks.runs.readers.labels import Labels, read_labels


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("--trap", action="append", default=[], metavar="NAME", help="only traps of this rule")
    parser.add_argument(
        "--traps",
        type=Path,
        metavar="FILE",
        help="traps of one's own instead: jsonl (or json, tsv, xlsx) with question, reference, prediction, label, trap",
    )
    parser.add_argument("--list", action="store_true", help="print the rules by which traps are made, and ask nothing")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write the traps as jsonl, and ask nothing")
    examining.add_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print what each judge makes of the traps; 3 when one of them failed on some, or batches are under way."""
    labels = _traps(arguments)
    if arguments.list:
        return _print_rules(labels, arguments.format)
    if arguments.write is not None:
        check_file(arguments.write)
        write_atomically(arguments.write, as_jsonl(answer.as_row() for answer in labels.answers).encode())
        print(arguments.write.resolve())
        return 0
    if not arguments.judge:
        raise InputError("Expected --judge PROVIDER:MODEL[@URL], found none. Name a judge, or give --list or --write.")
    return examining.examine(arguments, f"Judges among traps, {labels.name}", labels, lexical=False)


def _traps(arguments: argparse.Namespace) -> Labels:
    labels = demo_traps() if arguments.traps is None else read_labels(arguments.traps)
    known = dict.fromkeys(answer.trap for answer in labels.answers)
    unknown = [name for name in arguments.trap if name not in known]
    if unknown:
        raise InputError(f"Expected a trap among {', '.join(map(repr, known))}; found {unknown[0]!r}.")
    chosen = tuple(each for each in labels.answers if not arguments.trap or each.trap in arguments.trap)
    return dataclasses.replace(labels, answers=chosen)


def _print_rules(labels: Labels, form: str) -> int:
    counts = Counter((answer.trap, answer.label) for answer in labels.answers)
    rows = [
        {"trap": name, "right": right, "n": n, "about": TRAPS[name].about if name in TRAPS else ""}
        for (name, right), n in counts.items()
    ]
    values: Columns = [Column("right", "is right"), "n", Column("about", "what it is")]
    print(render(form, Table(rows, ["trap"], values)))
    return 0
