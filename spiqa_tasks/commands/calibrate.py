"""`calibrate`: how far judges agree with people's verdicts."""

import argparse
import dataclasses
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from spiqa_tasks.benchmarks.metric import too_few
from spiqa_tasks.benchmarks.signature import PACKAGE, Signature, version
from spiqa_tasks.commands.judge_options import (
    add_judge_options,
    all_stored,
    expected_calls,
    forecast,
    judges_by,
)
from spiqa_tasks.commands.run_arguments import add_columns
from spiqa_tasks.errors import InputError
from spiqa_tasks.extras import require
from spiqa_tasks.judge.judge import Judge
from spiqa_tasks.judge.types import JudgeRequest
from spiqa_tasks.printable import progress, say
from spiqa_tasks.report.printer import Column, Table, add_format, number, render
from spiqa_tasks.runs.labels import Labelled, Labels, read_labels
from spiqa_tasks.scoring.clusters import resampled_weights
from spiqa_tasks.scoring.intervals import Estimate, share_interval

# Score above which the judge's verdict is yes: L3Score is the judge's probability of yes.
THRESHOLD = 0.5

# Beyond each end of a 95% interval are 25 of them, enough that the ends hardly vary with the seed.
RESAMPLES = 1000

# Fixed, so that the same labels and scores always have the same interval.
SEED = 0


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
    add_judge_options(parser)
    add_columns(parser)
    add_format(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print a row for each judge.

    Return 3 if a judge failed on some answers, or its verdicts could not be stored, else 0.
    """
    require("shots", "spiqa-tasks calibrate")  # scikit-learn
    labels = read_labels(arguments.labels, arguments.columns)
    if left_out := labels.left_out:
        say(
            f"{len(left_out)} of {len(left_out) + len(labels.answers)} verdicts are neither yes "
            f"nor no (such as {left_out[0]!r}) and are left out."
        )

    judges = _judges(arguments)
    requests = {
        name: [judge.rule.request(answer.candidate) for answer in labels.answers]
        for name, judge in judges.items()
    }
    calls = expected_calls(arguments, judges, requests, labels=labels.name)
    if arguments.dry_run:
        print(forecast(arguments.format, calls))
        return 0

    rows = [_row(name, judge, labels, requests[name]) for name, judge in judges.items()]
    columns = [_column(name) for name in ("agreement", "kappa", "auroc")]
    print(render(arguments.format, Table(rows, ["judge", "n", "failed", *columns])))

    some_failed = any(row["failed"] for row in rows)
    return 3 if some_failed or not all_stored(judges.values()) else 0


def _column(name: str) -> Column:
    """Return the column of a statistic with its interval."""
    return Column(f"{name}.value", f"{name} x 100", number, [f"{name}.low", f"{name}.high"])


def _judges(arguments: argparse.Namespace) -> dict[str, Judge]:
    """Return name -> judge. Raises InputError: none is named, and judging is off."""
    judges = judges_by(arguments.rule or "l3score", arguments, os.environ)
    if not judges:
        raise InputError("Expected a judge to compare with the labels, found none. Add --judge.")
    return judges


def _row(
    name: str, judge: Judge, labels: Labels, requests: Sequence[JudgeRequest]
) -> dict[str, Any]:
    """Ask a judge for its verdicts; return its row, without agreement if too few have a score."""
    answers = []
    scores = []
    failures = []
    verdicts = judge.verdicts(requests)
    for answer, verdict in zip(labels.answers, verdicts, strict=True):
        score = judge.rule.score(answer.candidate, verdict)
        if score is None:
            failures.append(verdict.why_no_score)
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
    with progress("intervals of kappa and AUROC"):
        estimates = agreement(answers, scores)
    return row | {key: dataclasses.asdict(estimate) for key, estimate in estimates.items()}


def agreement(answers: Sequence[Labelled], scores: Sequence[float]) -> dict[str, Estimate]:
    """Return `agreement` (the share of equal verdicts), `kappa` (Cohen's) and `auroc`.

    `scores` are a judge's, in [0, 1]. The answers to one question are a cluster.
    """
    # Takes a second, and `--help` does not need it.
    from sklearn.metrics import cohen_kappa_score, roc_auc_score

    labels = np.array([answer.label for answer in answers])
    values = np.array(scores)
    verdicts = values > THRESHOLD
    clusters = [answer.candidate.question for answer in answers]

    equal = (verdicts == labels).astype(float)
    interval = share_interval(equal.tolist(), clusters)
    return {
        "agreement": Estimate(float(equal.mean()), interval.low, interval.high),
        "kappa": _bootstrapped(cohen_kappa_score, labels, verdicts, clusters),
        "auroc": _bootstrapped(roc_auc_score, labels, values, clusters),
    }


def _bootstrapped(
    statistic: Callable[..., float], labels: Any, values: Any, clusters: Sequence[str]
) -> Estimate:
    """Return a statistic with its 95% interval by a bootstrap of clusters.

    NaN if all labels are equal, as neither kappa nor AUROC is defined then. Without an interval if
    the statistic is the same in all resamples.
    """
    if len(set(labels)) < 2:
        return Estimate(float("nan"))

    resampled = []
    for weights in resampled_weights(clusters, RESAMPLES, SEED):
        is_drawn = weights > 0
        drawn = labels[is_drawn]
        if len(set(drawn)) > 1:
            value = statistic(drawn, values[is_drawn], sample_weight=weights[is_drawn])
            resampled.append(value)

    value = float(statistic(labels, values))
    if len(set(resampled)) < 2:
        return Estimate(value)

    low, high = np.quantile(resampled, (0.025, 0.975))
    return Estimate(value, float(low), float(high))
