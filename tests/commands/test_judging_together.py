"""`score --combine`, `--disagreements` and `--human`, with two judges at local servers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from openai_server import Behaviour, OpenAIServer, agreeing
from run_command import run_json

from spiqa_tasks.benchmarks.registry import rows_for_scoring
from spiqa_tasks.cli import main
from spiqa_tasks.scoring.l3score import l3score

OTHERS = [("a", -5.0), ("b", -6.0), ("c", -7.0)]
KIND = [("Yes", -0.01), ("No", -5.0), *OTHERS]
YES, NO = l3score(agreeing("Ground-truth answer: a\nCandidate answer: a")), l3score(agreeing(""))


def kind(prompt: str) -> list[tuple[str, float]]:
    """Yes to everything but Green."""
    return [("No", -0.01), ("Yes", -5.0), *OTHERS] if "answer: Green" in prompt else KIND


@pytest.fixture
def judges() -> Iterator[tuple[list[str], list[OpenAIServer]]]:
    """The options that name a strict and a kind judge, and their servers."""
    with OpenAIServer(Behaviour()) as strict, OpenAIServer(Behaviour(verdict=kind)) as other:
        options = ["--judge", f"openai:strict@{strict.url}", "--judge", f"openai:kind@{other.url}"]
        yield options, [strict, other]


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    """Answers to the 39 demo questions, of which the first ten are right."""
    rows = rows_for_scoring("spiqa", "demo", "")
    path = tmp_path / "model.jsonl"
    texts = [row["answer"] if place < 10 else f"wrong {place}" for place, row in enumerate(rows)]
    lines = [{"id": row["id"], "prediction": text} for row, text in zip(rows, texts, strict=True)]
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return path


def by_judge(found: dict[str, Any]) -> dict[str, Any]:
    """Judge -> its result."""
    return {result["judge"]: result for result in found["results"]}


@pytest.mark.parametrize("how", ["mean", "majority"])
def test_two_judges_have_a_third_result(
    judges: tuple[list[str], list[OpenAIServer]], answers: Path, capsys: pytest.CaptureFixture[str], how: str
) -> None:
    """The mean of both scores, or what more of them say; as many yes as no is a half."""
    status, found, said = run_json(capsys, "score", "spiqa_demo", answers, *judges[0], "--combine", how)
    results = by_judge(found)
    strict, other, both = results.values()
    assert status == 0
    assert list(results)[2].startswith(f"{how} of openai:strict@http")
    expected = (10 * 1 + 29 * 0.5) / 39
    if how == "mean":
        expected = (strict["metrics"]["l3score"] + other["metrics"]["l3score"]) / 2
    assert both["metrics"]["l3score"] == pytest.approx(expected)
    assert both["counts"]["judged"] == 39
    assert f"judge_combined:{how}" in both["signature"]
    assert "judge:openai:strict+openai:kind" in both["signature"]
    assert "disagree on 29 answers" in said


def test_a_person_decides_where_they_disagree(
    judges: tuple[list[str], list[OpenAIServer]], answers: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The file has what a person needs; verdicts written into it replace the judges', are counted and signed."""
    path = tmp_path / "apart.jsonl"
    run_json(capsys, "score", "spiqa_demo", answers, *judges[0], "--disagreements", path)
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert len(rows) == 29
    assert set(rows[0]) == {"id", "question", "reference", "prediction", "scores", "verdict"}
    assert rows[0]["prediction"] == "wrong 10"
    assert list(rows[0]["scores"].values()) == pytest.approx([NO, l3score(KIND)])
    for place, row in enumerate(rows[:20]):
        row["verdict"] = "yes" if place < 5 else "No"
    rows.append({**rows[0], "id": "elsewhere"})
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    options = ("--combine", "mean", "--human", path)
    _, found, said = run_json(capsys, "score", "spiqa_demo", answers, *judges[0], *options)
    strict, _, both = by_judge(found).values()
    middle = (NO + l3score(KIND)) / 2
    total = 10 * (YES + l3score(KIND)) / 2 + 5 * 1 + 15 * 0 + 9 * middle
    assert both["metrics"]["l3score"] == pytest.approx(total / 39)
    assert (both["counts"]["decided_by_people"], both["counts"]["judged"]) == (20, 39)
    assert "|judge_person:" in both["signature"]
    assert "decided_by_people" not in strict["counts"]
    assert "1 decision of 21 in" in said


def test_a_person_decides_about_a_single_judge_too(
    judges: tuple[list[str], list[OpenAIServer]], answers: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also about what it failed to judge; the runs that are written have the decisions."""
    judges[1][0].behaviour.script = ["ok", "ok", "400"]
    failing = judges[0][:2]
    status, found, _ = run_json(capsys, "score", "spiqa_demo", answers, *failing, "--output", tmp_path / "before")
    assert (status, found["counts"]["judge_failed"]) == (3, 1)
    (run,) = (tmp_path / "before").iterdir()
    failed = next(
        json.loads(line) for line in run.read_text().splitlines() if '"judge_failed"' in line and '"id"' in line
    )
    record = failed.get("record", failed)
    path = tmp_path / "decisions.jsonl"
    path.write_text(json.dumps({"id": record["id"], "prediction": record["prediction"], "verdict": True}))
    judges[1][0].behaviour.script = ["ok", "ok", "400"]
    status, found, _ = run_json(capsys, "score", "spiqa_demo", answers, *failing, "--human", path)
    assert (status, found["counts"]["judge_failed"], found["counts"]["decided_by_people"]) == (0, 0, 1)


def test_an_answer_that_one_judge_failed_on_is_not_judged(
    judges: tuple[list[str], list[OpenAIServer]], answers: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is among the disagreements, with no score of that judge."""
    judges[1][1].behaviour.script = ["ok", "ok", "400"]
    path = tmp_path / "apart.jsonl"
    options = ("--combine", "mean", "--disagreements", path, "--disagreement", 1)
    status, found, _ = run_json(capsys, "score", "spiqa_demo", answers, *judges[0], *options)
    both = list(by_judge(found).values())[2]
    assert (status, both["counts"]["judge_failed"]) == (3, 1)
    (row,) = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert list(row["scores"].values())[1] is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--combine", "mean"], "several --judge with --combine, found 0"),
        (["--disagreements", "x.jsonl"], "several --judge with --disagreements"),
        (["--human", "none.jsonl"], "a file of decisions"),
    ],
)
def test_unusable_options_are_one_sentence(
    answers: Path, capsys: pytest.CaptureFixture[str], options: list[str], message: str
) -> None:
    """Before anything is scored."""
    assert main(["score", "spiqa_demo", str(answers), *options]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    "line", ['{"id": "a", "verdict": "yes"}', "{", '{"id": "a", "prediction": "b", "verdict": "so"}']
)
def test_decisions_that_are_none_are_one_sentence(
    answers: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], line: str
) -> None:
    """With the line; two verdicts on one answer as well."""
    path = tmp_path / "decisions.jsonl"
    path.write_text(f'{{"id": "a", "prediction": "b", "verdict": null}}\n{line}\n')
    assert main(["score", "spiqa_demo", str(answers), "--human", str(path)]) == 2
    assert "line 2 of" in capsys.readouterr().err
    path.write_text(
        "".join(f'{{"id": "a", "prediction": "b", "verdict": {verdict}}}\n' for verdict in ("true", "false"))
    )
    assert main(["score", "spiqa_demo", str(answers), "--human", str(path)]) == 2
    assert "one verdict on a" in capsys.readouterr().err


def test_decisions_need_a_judge_and_whole_questions(
    answers: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A sentence says so."""
    path = tmp_path / "decisions.jsonl"
    path.write_text("")
    assert main(["score", "spiqa_demo", str(answers), "--judge", "none", "--human", str(path)]) == 2
    assert "that a judge scored, found none" in capsys.readouterr().err
