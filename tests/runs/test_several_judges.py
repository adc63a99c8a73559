"""Several judges of the same answers, where they disagree, and what people decided."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from report_runs import choices, run_of

from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.errors import InputError
from spiqa_tasks.runs.run import Run
from spiqa_tasks.runs.several_judges import combine, decided, disagreements, read_decisions

SIGNATURE = "data:spiqa/testA@d|settings:"


def record_of(key: str, score: float | None, model: str) -> Record:
    """An answer that a judge scored, or failed on."""
    told = {"model": model, "score": score} if score is not None else {"reason": f"{model} is down"}
    return Record(
        key,
        f"to {key}",
        "true",
        status="ok" if score is not None else "judge_failed",
        reason=None if score is not None else f"{model} is down",
        scores={"rouge_l": 0.5} | ({} if score is None else {"l3score": score}),
        verdicts=({"metric": "l3score", **told},),
        signature=f"{SIGNATURE}|judge:{model}",
    )


def judged(name: str, scores: Mapping[str, float | None]) -> Run:
    """A run with a judge's scores, and a question that no judge was asked about."""
    records = [record_of(key, score, name) for key, score in scores.items()]
    return replace(
        run_of([*records, Record("unasked", None, "true")], task="spiqa_testA", signature=SIGNATURE), judge=name
    )


ONE = judged("one", {"x": 0.9, "y": 0.2, "z": 0.4})
TWO = judged("two", {"x": 0.7, "y": 0.8, "z": None})


def test_two_judges_are_one_whose_scores_are_theirs_together() -> None:
    """With both models, both scores and the way in the verdict and signature; what no judge was asked stays."""
    run = combine([ONE, TWO], "mean")
    assert run.judge == "mean of one, two"
    x, y, z, unasked = run.records
    assert x.scores == {"rouge_l": 0.5, "l3score": pytest.approx(0.8)}
    assert x.verdicts == (
        {"metric": "l3score", "model": "one+two", "judges": {"one": 0.9, "two": 0.7}, "score": pytest.approx(0.8)},
    )
    assert (x.status, x.reason, x.signature) == (
        "ok",
        None,
        "data:spiqa/testA@d|judge:one+two|judge_combined:mean",
    )
    assert y.scores["l3score"] == pytest.approx(0.5)
    assert z.scores == {"rouge_l": 0.5}
    assert z.verdicts == (
        {"metric": "l3score", "model": "one", "judges": {"one": 0.4, "two": None}, "reason": "two is down"},
    )
    assert (z.status, z.reason) == ("judge_failed", "two is down")
    assert unasked == ONE.records[3]
    assert [record.scores.get("l3score") for record in combine([ONE, TWO], "majority").records[:2]] == [1.0, 0.5]


def test_a_failure_of_the_first_judge_is_the_reason_too() -> None:
    """Whichever judge failed."""
    assert combine([TWO, ONE], "mean").records[2].reason == "two is down"


def test_judges_disagree_beyond_a_threshold_and_where_only_some_have_a_score() -> None:
    """Each with the question, what is right, what was answered, and every judge's score."""
    y, z = disagreements([ONE, TWO], 0.3, {"y": "Why?"})
    assert y == {
        "id": "y",
        "question": "Why?",
        "reference": "true",
        "prediction": "to y",
        "scores": {"one": 0.2, "two": 0.8},
        "verdict": None,
    }
    assert z == y | {"id": "z", "question": "", "prediction": "to z", "scores": {"one": 0.4, "two": None}}
    assert [each["id"] for each in disagreements([ONE, TWO], 0.6 + 1e-9, {})] == ["z"]
    assert list(disagreements([judged("a", {"x": None}), judged("b", {"x": None})], 0.0, {})) == []


def test_a_person_decides_in_the_judges_place() -> None:
    """Of failed judgements as well; what the judge said is kept, and every record is signed."""
    run = judged("one", {"x": 0.9, "y": None, "z": 0.4})
    decisions = {("x", "to x"): 0.0, ("y", "to y"): 1.0, ("z", "another answer"): 1.0, ("unasked", ""): 1.0}
    x, y, z, _ = decided(run, decisions, "abc").records
    assert (x.scores, x.status) == ({"rouge_l": 0.5, "l3score": 0.0}, "ok")
    assert x.verdicts == ({"metric": "l3score", "score": 0.0, "person": True, "judged": 0.9},)
    assert (y.scores["l3score"], y.status, y.reason) == (1.0, "ok", None)
    assert y.verdicts == ({"metric": "l3score", "score": 1.0, "person": True, "judged": None},)
    assert (z.scores, z.verdicts) == (run.records[2].scores, run.records[2].verdicts)
    assert all("|judge_person:abc" in each.signature for each in (x, y, z))


def test_what_failed_otherwise_is_no_matter_of_a_verdict() -> None:
    """A failed request has no answer; verdicts by other metrics stay."""
    failed = Record("f", None, "true", status="request_failed", reason="boom")
    other = {"metric": "other", "score": 1.0, "model": "m"}
    run = judged("one", {"x": 0.9})
    records = [
        replace(run.records[0], verdicts=(other, *run.records[0].verdicts)),
        replace(failed, signature=SIGNATURE),
    ]
    run = run_of(records, task="spiqa_testA", signature=SIGNATURE)
    found = decided(run, {("x", "to x"): 0.0, ("f", ""): 1.0}, "abc").records
    assert [verdict["metric"] for verdict in found[0].verdicts] == ["other", "l3score"]
    assert (found[1].scores, found[1].status, found[1].reason) == ({}, "request_failed", "boom")


@pytest.mark.parametrize("decide", [True, False])
def test_there_must_be_a_judges_scores_of_questions_in_one_piece(decide: bool) -> None:
    """A sentence says what was found and what to do."""
    split = run_of(
        [record_of("p/0", 0.5, "one")],
        task="spiqa_testA_perfigure",
        signature="data:spiqa/testA@d|settings:setting=perfigure",
    )
    for run, message in (
        (
            run_of(choices([True])),
            "Expected answers to mmstar_filtered that a judge scored, found none. Name a --judge.",
        ),
        (
            split,
            "Expected a task whose questions are one document each, found spiqa_testA_perfigure. Leave --combine and "
            "--human out.",
        ),
    ):
        with pytest.raises(InputError) as error:
            decided(run, {}, "d") if decide else combine([run, run], "mean")
        assert str(error.value) == message


def written(path: Path, *rows: dict[str, Any] | str) -> Path:
    """A file of decisions, with a mark of its encoding at the start as spreadsheets write it."""
    lines = [row if isinstance(row, str) else json.dumps({"id": "a", "prediction": "p", **row}) for row in rows]
    path.write_text("\n".join(lines), encoding="utf-8-sig")
    return path


@pytest.mark.parametrize(
    ("verdict", "score"), [("yes", 1.0), (" TRUE ", 1.0), (True, 1.0), ("no", 0.0), ("False", 0.0), (False, 0.0)]
)
def test_a_verdict_is_yes_or_no(tmp_path: Path, verdict: Any, score: float) -> None:
    """In any case, as text or JSON; blank lines and open ones are none, and the same twice is one."""
    rows = ({"verdict": verdict}, "", {"id": 7, "verdict": None}, {"verdict": verdict})
    assert read_decisions(written(tmp_path / "d.jsonl", *rows)) == {("a", "p"): score}


@pytest.mark.parametrize(
    "line",
    ["{", "[]", '{"id": "a", "verdict": "yes"}', '{"id": "a", "prediction": "b", "verdict": "so' + "o" * 90 + '"}'],
)
def test_a_line_that_is_no_decision_is_named(tmp_path: Path, line: str) -> None:
    """With its number and its first eighty characters."""
    path = written(tmp_path / "d.jsonl", {"verdict": "yes"}, "", line)
    with pytest.raises(InputError) as error:
        read_decisions(path)
    assert str(error.value) == (
        f"Expected line 3 of {path} to be a JSON object with id, prediction and verdict (yes, no or null), found "
        f"{line[:80]!r}. Correct the line."
    )


def test_files_that_contradict_themselves_or_are_not_there_are_refused(tmp_path: Path) -> None:
    """One sentence each."""
    path = written(tmp_path / "d.jsonl", {"verdict": "yes"}, {"verdict": "no"})
    with pytest.raises(InputError) as error:
        read_decisions(path)
    assert str(error.value) == f"Expected one verdict on a in {path}, found two. Leave one of them."
    with pytest.raises(
        InputError, match=r"^Expected a file of decisions at .*none.jsonl, found .*No such file.* Name one\.$"
    ):
        read_decisions(tmp_path / "none.jsonl")
