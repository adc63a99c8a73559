"""Tables of answers: by status with reasons, and the agreement of judges on them."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from spiqa_tasks.analysis.agreement import Pairs, rank_correlations
from spiqa_tasks.benchmarks.record import STATUSES
from spiqa_tasks.report.printer import Column, Columns, Table
from spiqa_tasks.runs.run import Run
from spiqa_tasks.scoring.units import plain

MOST_REASONS = 12
"""Reasons that are listed: the most frequent ones explain a run, the others are in the samples."""
_FAILED = ("request_failed", "scoring_failed", "incomplete", "no_helpful_figure")


def statuses(run: Run) -> dict[str, int]:
    """Return status -> number of questions; a refusal counts as `refused` whatever else it is."""
    counts: Counter[str] = Counter("refused" if record.refused else record.status for record in run.questions)
    return {status: counts[status] for status in STATUSES}


def coverage_table(runs: Sequence[Run]) -> Table:
    """Return one line per run and task."""
    rows = [{"task": run.task, "run": run.name, **_counts(run)} for run in runs]
    return Table(rows, ["task", "run"], [*rows[0]][2:] if rows else [], "What became of the answers")


def reasons_table(runs: Sequence[Run]) -> Table:
    """Return the most frequent reasons for answers without a score."""
    found = Counter(
        (run.task, run.name, record.status, record.reason) for run in runs for record in run.questions if record.reason
    )
    names = ("task", "run", "status", "reason", "answers")
    rows = [dict(zip(names, (*key, count), strict=True)) for key, count in found.most_common(MOST_REASONS)]
    notes = [f"{len(found) - MOST_REASONS} more reasons are in the samples."] if len(found) > MOST_REASONS else []
    return Table(rows, names[:2], names[2:], "Why answers have no score", notes)


def _counts(run: Run) -> dict[str, Any]:
    """Return heading -> number of questions, and the rules by which answers have no letter."""
    by_status = statuses(run)
    questions = run.questions
    unparsed = Counter(
        record.rule or "no rule"
        for record in questions
        if not record.refused and (record.status == "unparsed" or record.rule in ("unformatted", "empty"))
    )
    return {
        "questions": run.record_set.part or len(questions),
        "ok": by_status["ok"],
        "judged": sum(bool(record.verdicts) and not record.judge_failed for record in questions),
        "judge failed": sum(record.judge_failed for record in questions),
        "refused": by_status["refused"],
        "unparsed": unparsed.total(),
        "by rule": ", ".join(f"{rule} {count}" for rule, count in unparsed.most_common()) or "-",
        "truncated": sum(record.rule == "truncated" for record in questions),
        **{name.replace("_", " "): by_status[name] for name in _FAILED},
    }


def judged(run: Run) -> dict[str, float]:
    """Return id -> score of the answers that were judged."""
    return {
        record.id: verdict["score"]
        for record in run.questions
        for verdict in record.verdicts
        if verdict["metric"] == run.judged_metric and "score" in verdict
    }


def judge_pairs(runs: Sequence[Run]) -> Iterator[tuple[Run, Run, Pairs]]:
    """Yield every two judges of the same answers with their scores, answer by answer."""
    for a, b in itertools.combinations(runs, 2):
        if a.task == b.task and a.judge_name != b.judge_name and _texts(a) == _texts(b):
            first, second = judged(a), judged(b)
            pairs = [(first[key], second[key]) for key in first if key in second]
            if pairs:
                yield a, b, pairs


def agreement_table(runs: Sequence[Run]) -> Table:
    """Return the correlations of judges on the same answers."""
    names = ("task", "answers", "judge", "other judge", "n", "Spearman", "Kendall")
    rows = [
        dict(zip(names, (a.task, a.identity.label, a.judge_name, b.judge_name, len(pairs), *both), strict=True))
        for a, b, pairs in judge_pairs(runs)
        for both in [rank_correlations(pairs)]
    ]
    values: Columns = ["n", *(Column(name, show=plain) for name in names[5:])]
    return Table(rows, names[:4], values, "Agreement of judges on the same answers")


def _texts(run: Run) -> dict[str, str]:
    return {key: answer.response.text for key, answer in run.by_id.items()}
