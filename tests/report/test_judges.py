"""What judges said, and whether they agree."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from report_runs import run_of
from scipy.stats import kendalltau, spearmanr

from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.benchmarks.registry import rows_for_scoring
from spiqa_tasks.cli import main
from spiqa_tasks.report.judges import agreement_table, judge_pairs, judged
from spiqa_tasks.runs.run import Run

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
