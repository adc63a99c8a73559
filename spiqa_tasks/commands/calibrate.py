"""`calibrate`: how far judges agree with people's verdicts."""

import argparse
import dataclasses
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from spiqa_tasks.benchmarks.signature import PACKAGE, Signature, version
from spiqa_tasks.commands.judge_options import (
    add_rule_options,
    all_stored,
    check_judges,
    forecast,
    judge_configs,
    rule_of,
)
from spiqa_tasks.extras import require
from spiqa_tasks.judge.judge import Judge
from spiqa_tasks.judge.types import JudgeRequest
from spiqa_tasks.printable import say
from spiqa_tasks.report.printer import Column, Table, add_format, render
from spiqa_tasks.runs.labels import Labels, read_labels
from spiqa_tasks.scoring.values import number, too_few


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument(
        "labels",
        type=Path,
        metavar="LABELS",
        help=(
            "answers with a person's yes or no: EVOUNA's json, or json, jsonl, tsv or xlsx with "
            "question, reference, prediction and label"
        ),
    )
    parser.add_argument(
        "--judge",
        action="append",
        required=True,
        metavar="PROVIDER:MODEL[@URL]",
        help="a judge to compare with the labels; may be given several times",
    )
    add_rule_options(parser)
    parser.add_argument(
        "--dry-run",
        action="store_true",
        help="print how many calls, tokens and dollars; ask nothing",
    )
    add_format(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print a row for each judge; status 3 if one failed on some answers, or verdicts are not
    stored.
    """
    require("shots", "spiqa-tasks calibrate")
    labels = read_labels(arguments.labels)
    if labels.left_out:
        say(f"{labels.name}: {labels.left_out} verdicts without a usable label are left out.")

    judges = _judges(arguments)
    estimates = {name: judge.estimate(_requests(judge, labels)) for name, judge in judges.items()}
    if arguments.dry_run:
        print(forecast(arguments, estimates, {"labels": labels.name}))
        return 0

    # All judges are tried before the first is paid for all answers.
    check_judges(judges, estimates)
    rows = [_row(name, judge, labels) for name, judge in judges.items()]
    print(render(arguments.format, _table(rows)))

    some_failed = any(row["failed"] for row in rows)
    return 3 if some_failed or not all_stored(judges.values()) else 0


def _judges(arguments: argparse.Namespace) -> dict[str, Judge]:
    rule = rule_of(arguments, arguments.rule or "l3score")
    configs = judge_configs(arguments, os.environ)
    return {name: Judge(config, rule) for name, config in configs.items()}


def _requests(judge: Judge, labels: Labels) -> list[JudgeRequest]:
    return [judge.rule.request(answer.candidate) for answer in labels.answers]


def _row(name: str, judge: Judge, labels: Labels) -> dict[str, Any]:
    """Return a judge's agreement; withheld if it scored too few of the answers."""
    from spiqa_tasks.analysis.calibration import agreement

    answers, scores = [], []
    failures = []
    verdicts = judge.verdicts(_requests(judge, labels))
    for answer, verdict in zip(labels.answers, verdicts, strict=True):
        score = judge.rule.score(answer.candidate, verdict)
        if score is None:
            failures.append(verdict.unread)
        else:
            answers.append(answer)
            scores.append(score)

    signature = Signature(version(PACKAGE), "offline", f"labels/{labels.name}@{labels.digest}")
    row = {
        "judge": name,
        "n": len(scores),
        "failed": len(failures),
        "signature": signature.with_fields(**judge.signature).text,
    }
    if reason := too_few(len(scores), len(verdicts), "answers have a score"):
        say(f"{name}: {reason}; {failures[0]}")
        return row
    return row | dataclasses.asdict(agreement(answers, scores))


def _table(rows: Sequence[dict[str, Any]]) -> Table:
    columns = []
    for name in ("agreement", "kappa", "auroc"):
        ends = [f"{name}.low", f"{name}.high"]
        columns.append(Column(f"{name}.value", f"{name} x 100", number, ends))
    return Table(rows, ["judge"], ["n", "failed", *columns])
