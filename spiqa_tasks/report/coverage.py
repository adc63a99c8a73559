"""What became of every answer: scored, refused, without a letter by which rule, failed, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from spiqa_tasks.benchmarks.record import STATUSES
from spiqa_tasks.report.tables import Table
from spiqa_tasks.runs.run import Run

MOST_REASONS = 12
_COLUMNS = ("task", "run", "questions", "ok", "judged", "judge failed", "refused", "unparsed", "by rule", "truncated")
_FAILED = ("request_failed", "scoring_failed", "incomplete", "no_helpful_figure")


def statuses(run: Run) -> dict[str, int]:
    """Return status -> number of questions; a refusal counts as `refused` whatever else it is."""
    counts: Counter[str] = Counter("refused" if record.refused else record.status for record in run.questions)
    return {status: counts[status] for status in STATUSES}


def coverage_table(runs: Sequence[Run]) -> Table:
    """Return one line per run and task."""
    columns = [*_COLUMNS, *(name.replace("_", " ") for name in _FAILED)]
    return Table("What became of the answers", columns, list(map(_row, runs)), texts=2)


def reasons_table(runs: Sequence[Run]) -> Table:
    """Return the most frequent reasons why answers have no score."""
    found = Counter(
        (run.task, run.name, record.status, record.reason) for run in runs for record in run.questions if record.reason
    )
    rows = [[*map(str, key), str(count)] for key, count in found.most_common(MOST_REASONS)]
    notes = [f"{len(found) - MOST_REASONS} more reasons are in the samples."] if len(found) > MOST_REASONS else []
    return Table("Why answers have no score", ["task", "run", "status", "reason", "answers"], rows, notes, 4)


def _row(run: Run) -> list[str]:
    by_status = statuses(run)
    questions = run.questions
    judge_failed = sum(record.judge_failed for record in questions)
    judged = sum(bool(record.verdicts) and not record.judge_failed for record in questions)
    unparsed = Counter(
        record.rule or "no rule"
        for record in questions
        if not record.refused and (record.status == "unparsed" or record.rule in ("unformatted", "empty"))
    )
    asked = run.record_set.part or len(questions)
    rules = ", ".join(f"{rule} {count}" for rule, count in unparsed.most_common()) or "-"
    truncated = sum(record.rule == "truncated" for record in questions)
    counts = [asked, by_status["ok"], judged, judge_failed, by_status["refused"], unparsed.total()]
    failed = [by_status[name] for name in _FAILED]
    return [run.task, run.name, *map(str, counts), rules, *map(str, [truncated, *failed])]
