"""What became of the answers, counted."""

from __future__ import annotations

from pathlib import Path

from report_runs import run_of, runs_at

from spiqa_tasks.benchmarks.record import STATUSES, Record
from spiqa_tasks.report.coverage import MOST_REASONS, coverage_table, reasons_table, statuses

RECORDS = [
    Record("ok", scores={"accuracy": 1.0}),
    Record("judged", verdicts=({"metric": "accuracy", "score": 1.0},)),
    Record("not judged", status="judge_failed", verdicts=({"metric": "accuracy", "reason": "gone"},), reason="gone"),
    Record("refused", status="unparsed", refused=True, rule="empty"),
    Record("unparsed", status="unparsed", rule="two letters"),
    Record("unparsed too", status="unparsed", rule="two letters"),
    Record("no rule", status="unparsed"),
    Record("bare", rule="unformatted"),
    Record("blank", rule="empty"),
    Record("cut", rule="truncated"),
    Record("failed", status="request_failed", reason="timeout"),
    Record("broken", status="scoring_failed", reason="defect"),
]


def test_a_refusal_counts_as_one_whatever_else_it_is() -> None:
    """Every status is named, and together they are all questions."""
    found = statuses(run_of(RECORDS))
    assert tuple(found) == STATUSES
    assert {name: count for name, count in found.items() if count} == {
        "ok": 5,
        "refused": 1,
        "unparsed": 3,
        "judge_failed": 1,
        "request_failed": 1,
        "scoring_failed": 1,
    }
    assert sum(found.values()) == len(RECORDS)


def test_every_answer_is_counted_with_its_rule() -> None:
    """Counts by hand; rules are told with the most frequent first, and a refusal is not unparsed too."""
    table = coverage_table([run_of(RECORDS, "m", "t")])
    (line,) = table.grid.rows
    told = dict(zip(table.grid.heads, line, strict=True))
    assert (table.title, table.grid.labels) == ("What became of the answers", 2)
    assert told == {
        "task": "t",
        "run": "m",
        "questions": "12",
        "ok": "5",
        "judged": "1",
        "judge failed": "1",
        "refused": "1",
        "unparsed": "5",
        "by rule": "two letters 2, no rule 1, unformatted 1, empty 1",
        "truncated": "1",
        "request failed": "1",
        "scoring failed": "1",
        "incomplete": "0",
        "no helpful figure": "0",
    }


def test_coverage_tells_what_became_of_every_answer(two_runs: Path) -> None:
    """The refusal and the failed request of a run are counted, and the reason of the failure is there."""
    runs = [run for run in runs_at(two_runs) if run.task == "mmstar_demo"]
    (line,) = (line for line in coverage_table(runs).grid.rows if line[1].endswith("version=b"))
    assert list(line)[2:] == ["24", "22", "0", "0", "1", "0", "-", "0", "1", "0", "0", "0"]
    (line,) = reasons_table(runs).grid.rows
    assert list(line)[2::2] == ["request_failed", "1"]
    assert "REQUEST" in line[3]


def test_the_most_frequent_reasons_are_told() -> None:
    """At most twelve, and how many more there are; none where nothing failed."""
    records = [
        Record(f"{reason} {place}", status="request_failed", reason=f"reason {reason}")
        for reason in range(MOST_REASONS + 2)
        for place in range(1 + (reason == 7))
    ]
    table = reasons_table([run_of(records)])
    assert (table.title, table.grid.labels) == ("Why answers have no score", 2)
    assert list(table.grid.heads) == ["task", "run", "status", "reason", "answers"]
    assert table.grid.rows[0] == ["mmstar_filtered", "m", "request_failed", "reason 7", "2"]
    assert len(table.grid.rows) == MOST_REASONS
    assert table.notes == ["2 more reasons are in the samples."]
    assert reasons_table([run_of(records[:-2])]).notes == []
    assert reasons_table([run_of(RECORDS[:1])]).grid.rows == []
