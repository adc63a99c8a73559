"""`--combine` and `--human` of `score`: several judges as one, and people's decisions where they disagree."""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from spiqa_tasks.errors import InputError
from spiqa_tasks.files.atomic import check_file, write_atomically
from spiqa_tasks.printable import counted, say
from spiqa_tasks.report.printer import as_jsonl
from spiqa_tasks.runs.join import JoinedRun
from spiqa_tasks.runs.run import Run
from spiqa_tasks.runs.several_judges import combine, decided, disagreements, read_decisions
from spiqa_tasks.scoring.combining import COMBINATIONS


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("--combine", choices=COMBINATIONS, help="have the scores of several judges as one judge's, too")
    parser.add_argument(
        "--disagreement", type=float, default=0.5, metavar="T", help="scores further apart disagree (default: 0.5)"
    )
    parser.add_argument(
        "--disagreements", type=Path, metavar="FILE", help="write the answers on which judges disagree, for a person"
    )
    parser.add_argument(
        "--human", type=Path, metavar="FILE", help="take the verdicts that people wrote into such a file, counted apart"
    )


def check(arguments: argparse.Namespace) -> None:
    """Raise InputError for options that need several judges, and for a file that cannot be written or read."""
    judges = len(set(arguments.judge or ()))
    wanted = [name for name in ("combine", "disagreements") if getattr(arguments, name)]
    if wanted and judges < 2:
        raise InputError(f"Expected several --judge with --{wanted[0]}, found {judges}. Name more.")
    if arguments.disagreements is not None:
        check_file(arguments.disagreements)
    if arguments.human is not None:
        read_decisions(arguments.human)


def together(arguments: argparse.Namespace, runs: Sequence[Run], given: Sequence[JoinedRun]) -> list[Run]:
    """Return the scored runs, with what the options ask for: those of all judges as one, and people's decisions."""
    by_answers: dict[str, list[Run]] = {}
    for run in runs:
        by_answers.setdefault(f"{run.path} {run.name}", []).append(run)
    apart: list[dict[str, Any]] = []
    if len(set(arguments.judge or ())) > 1:
        questions = {str(row["id"]): str(row["question"]) for each in given for row in each.rows}
        for several in by_answers.values():
            apart += disagreements(several, arguments.disagreement, questions)
        say(f"The judges disagree on {counted(len(apart), 'answer')} (--disagreements FILE writes them).")
    if arguments.disagreements is not None:
        write_atomically(arguments.disagreements, as_jsonl(apart).encode())
    final = [combine(several, arguments.combine) for several in by_answers.values()] if arguments.combine else runs
    if arguments.human is not None:
        decisions = read_decisions(arguments.human)
        digest = hashlib.sha256(arguments.human.read_bytes()).hexdigest()[:12]
        final = [decided(run, decisions, digest) for run in final]
        answered = {(record.id, record.prediction) for run in final for record in run.records}
        unknown = len(decisions.keys() - answered)
        if unknown:
            say(f"{counted(unknown, 'decision')} of {len(decisions)} in {arguments.human} are on other answers.")
    return [*runs, *final] if arguments.combine else list(final)
