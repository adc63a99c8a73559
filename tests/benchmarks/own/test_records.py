"""Scored answers of a benchmark of one's own."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from own_data import COLUMNS, own_rows, write_own

from spiqa_tasks.benchmarks.aggregation import RecordSet
from spiqa_tasks.benchmarks.own.records import metrics, record, table
from spiqa_tasks.benchmarks.record import Context, Record, Response
from spiqa_tasks.judge.rules.l3score import L3ScoreRule

ANSWERS = ("(b) blue", "Answer: 1.5e3", "I cannot see any image.")


def scored(folder: Path, answers: tuple[str, ...] = ANSWERS, **values: Any) -> tuple[Any, list[Record]]:
    """Return the definition and the records of answers to its rows."""
    definition, rows = own_rows(write_own(folder, **values))
    context = Context("offline", L3ScoreRule())
    return definition, [
        record(definition, row, Response(text), context) for row, text in zip(rows, answers, strict=True)
    ]


def test_choices_and_open_answers_share_the_accuracy(tmp_path: Path) -> None:
    """A choice by its letter, an open answer by the first match; matches are over open questions alone."""
    definition, records = scored(tmp_path, metrics=["accuracy", "exact_match", "relaxed_accuracy"])
    assert [each.scores["accuracy"] for each in records] == [1.0, 1.0, 0.0]
    assert [each.prediction for each in records] == ["B", "1.5e3", None]
    assert [each.refused for each in records] == [False, False, True]
    values = {metric.name: RecordSet(records, records).value(metric) for metric in metrics(definition)}
    assert {name: (value.value, value.n) for name, value in values.items() if name != "truncated_rate"} == {
        "accuracy": (pytest.approx(2 / 3), 3),
        "exact_match": (1.0, 1),
        "relaxed_accuracy": (1.0, 1),
        "refusal_rate": (pytest.approx(1 / 3), 3),
        "unparsed_rate": (0.0, 3),
        "request_failed_rate": (0.0, 3),
    }
    assert "truncated_rate" not in table(definition)


def test_a_group_without_open_questions_has_no_match(tmp_path: Path) -> None:
    """There is no such answer, which is no zero."""
    definition, records = scored(tmp_path)
    exact = metrics(definition)[1]
    assert RecordSet(records, records).value(exact, "open").value == 1.0
    assert math.isnan(RecordSet(records, records).value(exact, "choice").value)


def test_several_true_answers_are_alternatives(tmp_path: Path) -> None:
    """One of them is enough for a match; the judge is shown them all."""
    rows = [{"question": "Which day?", "answer": ["Monday", "Mon"]}]
    _, (found,) = scored(tmp_path, ("mon",), rows=rows, kind="open", columns={})
    assert found.scores == {"exact_match": 1.0}
    (ask,) = found.asks
    assert "Ground-truth answer: Monday or Mon" in ask.request.prompt
    assert "Candidate answer: mon" in ask.request.prompt


def test_a_failed_request_has_no_score(tmp_path: Path) -> None:
    """Neither kind counts it as wrong."""
    definition, rows = own_rows(write_own(tmp_path))
    records = [record(definition, row, Response("", "HTTP 500"), Context("offline")) for row in rows]
    assert {(each.status, each.reason, len(each.scores)) for each in records} == {("request_failed", "HTTP 500", 0)}


def test_signatures_name_data_wording_and_rules(tmp_path: Path) -> None:
    """Another prompt is another signature, and the match that accuracy has is in it."""
    definition, (first, *_) = scored(tmp_path / "a")
    _, (other, *_) = scored(tmp_path / "b", prompt="{images}{question} {options}")
    assert "data:shapes/test@" in first.signature
    assert first.signature.rpartition("prompt:")[2] != other.signature.rpartition("prompt:")[2]
    (accuracy, *_) = metrics(definition)
    assert accuracy.signature()["matcher"].endswith("exact_match of open answers")


def test_questions_about_one_thing_are_a_cluster(tmp_path: Path) -> None:
    """By the column that the YAML names."""
    _, records = scored(tmp_path, columns={**COLUMNS, "cluster": "image"})
    assert [each.cluster for each in records] == ["blue.png", "red.png", "red.png"]
