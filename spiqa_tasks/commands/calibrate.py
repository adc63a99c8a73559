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
    forecast,
    judge_configs,
    rule_of,
)
from spiqa_tasks.extras import require
from spiqa_tasks.judge.judge import Judge
from spiqa_tasks.printable import say
from spiqa_tasks.report.printer import Column, Table, add_format, render
from spiqa_tasks.runs.readers.labels import Labels, read_labels
from spiqa_tasks.scoring.values import number, too_few

ENDS = ("low", "high")


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    about = (
        "answers with a person's yes or no: EVOUNA's json, or json, jsonl, tsv or xlsx with "
        "question, reference, prediction and label"
    )
    parser.add_argument("labels", type=Path, metavar="LABELS", help=about)
    about = "a judge to compare with the labels; may be given several times"
    parser.add_argument(
        "--judge", action="append", required=True, metavar="PROVIDER:MODEL[@URL]", help=about
    )
    add_rule_options(parser)
    about = "print how many calls, tokens and dollars; ask nothing"
    parser.add_argument("--dry-run", action="store_true", help=about)
    add_format(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print a row for each judge; status 3 if one failed on some answers, or verdicts are not stored."""
    require("shots", "spiqa-tasks calibrate")
    labels = read_labels(arguments.labels)
    for reason, count in labels.left_out.items():
        say(f"{labels.name}: {count} verdicts are left out: {reason}.")

    rule = rule_of(arguments, arguments.rule or "l3score")
    configs = judge_configs(arguments, os.environ)
    judges = {name: Judge(config, rule) for name, config in configs.items()}
    requests = [rule.request(answer.candidate) for answer in labels.answers]
    estimates = {name: judge.estimate(requests) for name, judge in judges.items()}
    if arguments.dry_run:
        print(forecast(arguments, estimates, {"labels": labels.name}))
        return 0

    for name, judge in judges.items():
        if estimates[name].calls:
            judge.preflight()
    rows = [_row(name, judge, labels) for name, judge in judges.items()]
    print(render(arguments.format, _table(rows)))
    is_done = all_stored(judges.values()) and not any(row["failed"] for row in rows)
    return 0 if is_done else 3


def _row(name: str, judge: Judge, labels: Labels) -> dict[str, Any]:
    """Return a judge's agreement; withheld if it scored too few of the answers."""
    from spiqa_tasks.analysis.calibration import agreement

    verdicts = judge.verdicts([judge.rule.request(answer.candidate) for answer in labels.answers])
    scores = [
        judge.rule.score(answer.candidate, verdict)
        for answer, verdict in zip(labels.answers, verdicts, strict=True)
    ]
    scored = [
        (answer, score)
        for answer, score in zip(labels.answers, scores, strict=True)
        if score is not None
    ]
    total = len(scores)
    signature = Signature(version(PACKAGE), "offline", f"labels/{labels.name}@{labels.digest}")
    row = {
        "judge": name,
        "failed": total - len(scored),
        "signature": signature.with_fields(**judge.signature).text,
    }

    if reason := too_few(len(scored), total, "answers have a score"):
        first = next(
            verdict.unread for verdict, score in zip(verdicts, scores, strict=True) if score is None
        )
        say(f"{name}: {reason}; {first}")
        return row | {"n": len(scored)}
    answers, values = zip(*scored, strict=True)
    return row | dataclasses.asdict(agreement(answers, values))


def _table(rows: Sequence[dict[str, Any]]) -> Table:
    columns = [
        Column(f"{name}.value", f"{name} x 100", number, [f"{name}.{end}" for end in ENDS])
        for name in ("agreement", "kappa", "auroc")
    ]
    return Table(rows, ["judge"], ["n", "failed", *columns])
