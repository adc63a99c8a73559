"""Answers by status, and the agreement of judges on them."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from report_runs import run_of, runs_at
from scipy.stats import kendalltau, spearmanr

from spiqa_tasks.benchmarks.record import STATUSES, Record
from spiqa_tasks.benchmarks.registry import rows_for_scoring
from spiqa_tasks.cli import main
from spiqa_tasks.report.answers import (
    MOST_REASONS,
    agreement_table,
    coverage_table,
    judge_pairs,
    judged,
    reasons_table,
    statuses,
)
from spiqa_tasks.runs.run import Run

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


ANSWERS = ["a", "b", "c", "d", "e"]


def judged_run(judge: str, scores: list[float | None], answers: list[str] = ANSWERS, task: str = "spiqa_testA") -> Run:
    """A run of SPIQA with a judge's scores; None is a failed verdict."""
    records = [
        Record(
            f"q{place}",
            prediction=answer,
            verdicts=({"metric": "l3score", **({"reason": "gone"} if score is None else {"score": score})},),
        )
        for place, (answer, score) in enumerate(zip(answers, scores, strict=True))
    ]
    signature = f"data:spiqa/testA@d|settings:setting=direct|judge:{judge}"
    return run_of(records, "m", task, signature)


def test_only_what_was_judged_has_a_score() -> None:
    """A failed verdict has none, and neither has what the judge was asked for another metric."""
    run = judged_run("x", [0.5, None], ["a", "b"])
    other = Record("q2", verdicts=({"metric": "accuracy_llm", "score": 1.0},))
    assert judged(run_of([*run.records, other], signature=run.signature.text)) == {"q0": 0.5}


def test_judges_are_paired_on_the_same_answers_only() -> None:
    """Another task, other answers and the same judge make no pair; what one of them could not judge is left out."""
    first = judged_run("x", [0.1, 0.2, None, 0.4, 0.5])
    second = judged_run("y", [0.5, 0.4, 0.3, None, 0.1])
    ((a, b, pairs),) = judge_pairs([first, second])
    assert (a, b, pairs) == (first, second, [(0.1, 0.5), (0.2, 0.4), (0.5, 0.1)])
    for other in (
        judged_run("y", [0.5] * 5, task="spiqa_testB"),
        judged_run("y", [0.5] * 5, [*ANSWERS[:-1], "other"]),
        judged_run("x", [0.5] * 5),
        judged_run("y", [None] * 5),
    ):
        assert list(judge_pairs([first, other])) == []


def test_the_table_has_the_correlations_of_every_pair() -> None:
    """Spearman and Kendall with three decimals, and a dash for a judge that always says the same."""
    scores: dict[str, list[float | None]] = {
        "x": [0.1, 0.2, 0.3, 0.4, 0.5],
        "y": [0.2, 0.1, 0.3, 0.5, 0.4],
        "z": [0.5] * 5,
    }
    table = agreement_table([judged_run(name, each) for name, each in scores.items()])
    assert (table.title, table.grid.labels) == ("Agreement of judges on the same answers", 4)
    assert list(table.grid.heads) == ["task", "answers", "judge", "other judge", "n", "Spearman", "Kendall"]
    assert [list(line)[:5] for line in table.grid.rows] == [
        ["spiqa_testA", "m", "x", "y", "5"],
        ["spiqa_testA", "m", "x", "z", "5"],
        ["spiqa_testA", "m", "y", "z", "5"],
    ]
    expected = [f"{test(scores['x'], scores['y']).statistic:.3f}" for test in (spearmanr, kendalltau)]
    assert [list(line)[5:] for line in table.grid.rows] == [expected, ["-", "-"], ["-", "-"]]


def test_what_score_wrote_is_reported_with_the_judges_agreement(
    judges: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two judges of the same answers are two runs, named by judge, with their correlation as `score` tells it."""
    rows = rows_for_scoring("spiqa", "demo", "")
    answers = [{"id": row["id"], "prediction": row["answer"][: 5 + place]} for place, row in enumerate(rows)]
    (tmp_path / "model.jsonl").write_text("".join(json.dumps(answer) + "\n" for answer in answers))
    named = [part for judge in judges for part in ("--judge", judge)]
    output = ["--output", str(tmp_path / "scored"), "--json"]
    assert main(["score", "spiqa_demo", str(tmp_path / "model.jsonl"), *named, *output]) == 0
    told = json.loads(capsys.readouterr().out)
    path = tmp_path / "report.md"
    json_path = tmp_path / "report.json"
    assert main(["report", str(tmp_path / "scored"), "--markdown", str(path), "--json", str(json_path)]) == 0
    records = json.loads(json_path.read_text())
    found = {r["judge"]: r["value"] for r in records if (r["metric"], r["group"]) == ("l3score", "all")}
    expected = {result["judge"].partition("@")[0]: result["metrics"]["l3score"] for result in told["results"]}
    assert found == pytest.approx(expected)
    (agreement,) = told["agreement"]
    section = path.read_text(encoding="utf-8").partition("Agreement of judges")[2]
    assert f"{agreement['spearman']:.3f}" in section
    assert not math.isnan(agreement["spearman"])
