"""`calibrate`: how far judges agree with people."""

from __future__ import annotations

import argparse
from pathlib import Path

from spiqa_tasks.commands import examining
from spiqa_tasks.runs.readers.labels import read_labels


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument(
        "labels",
        type=Path,
        metavar="LABELS",
        help="answers with a person's yes or no: EVOUNA's json, or json, jsonl, tsv or xlsx with question, reference, "
        "prediction and label, and system where there are several",
    )
    examining.add_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print what each judge is worth; 3 when one of them failed on some answers, or batches are under way."""
    labels = read_labels(arguments.labels)
    return examining.examine(arguments, f"Judges against people, {labels.name}", labels, lexical=True)
