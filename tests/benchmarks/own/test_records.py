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
from spiqa_tasks.scoring.mcq import MATCHER_VERSION

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


@pytest.mark.parametrize(
    ("values", "names"),
    [
        ({"kind": "open", "metrics": ["l3score"]}, ["l3score", "judge_failed_rate", "neither_rate"]),
        ({"kind": "open", "metrics": ["compass", "rouge_l"]}, ["compass", "rouge_l", "judge_failed_rate"]),
        ({"kind": "open", "metrics": ["exact_match"]}, ["exact_match"]),
        (
            {"kind": "both", "metrics": ["accuracy", "exact_match", "l3score", "cider"]},
            ["accuracy", "exact_match", "l3score", "cider", "judge_failed_rate", "neither_rate"],
        ),
    ],
)
def test_each_kind_has_its_metrics(values: dict[str, Any], names: list[str], tmp_path: Path) -> None:
    """Those of the YAML, what went wrong with the judge, and the failure rates; judges and texts are needed or not."""
    definition, _ = own_rows(write_own(tmp_path, **values))
    rates = ["refusal_rate", "unparsed_rate", "request_failed_rate"]
    found = metrics(definition)
    assert [each.name for each in found] == [*names, *rates, "truncated_rate"]
    assert table(definition) == [*(name for name in names if name != "neither_rate"), *rates]
    needs = {"l3score": "judge", "compass": "judge", "rouge_l": "text programs", "cider": "text programs"}
    needs |= {"judge_failed_rate": "judge", "neither_rate": "judge"}
    assert [each.needs for each in found] == [needs.get(each.name, "nothing") for each in found]
    assert {each.name for each in found if each.of_corpus} == {"cider"} & set(names)


def test_texts_of_both_kinds_are_compared_for_open_questions_alone(tmp_path: Path) -> None:
    """The pairs that programs get are theirs; without one there is no such answer."""
    definition, records = scored(tmp_path, metrics=["accuracy", "exact_match", "rouge_l"])
    exact, texts = metrics(definition)[1:3]
    assert exact.pairs is None
    assert texts.pairs is not None
    assert texts.pairs(records) == [("1.5e3", "1500")]
    none = texts.compute([records[0]])
    assert (math.isnan(none.value), none.n, none.reason) == (True, 0, "there is no such answer")


def test_the_whole_record_of_an_open_answer(tmp_path: Path) -> None:
    """Its details say whether it was cut off, where the host says so."""
    definition, rows = own_rows(write_own(tmp_path, kind="open", columns={"groups": "id"}, metrics=["exact_match"]))
    context = Context("offline", L3ScoreRule())
    for truncated, details in ((None, {}), (False, {"truncated": False}), (True, {"truncated": True})):
        found = record(definition, rows[1], Response("Answer: 1500", truncated=truncated), context)
        assert (found.id, found.prediction, found.reference, found.status) == ("1", "1500", "1500", "ok")
        assert (found.refused, found.scores, found.details, found.asks) == (False, {"exact_match": 1.0}, details, ())
        assert (found.groups, found.cluster) == ({"id": "b"}, None)


def test_accuracy_of_both_kinds_goes_by_the_first_match(tmp_path: Path) -> None:
    """Its name is in the signature."""
    definition, records = scored(tmp_path, metrics=["accuracy", "relaxed_accuracy", "exact_match"])
    assert metrics(definition)[0].signature() == {"matcher": f"{MATCHER_VERSION}, relaxed_accuracy of open answers"}
    near, _ = own_rows(write_own(tmp_path, metrics=["accuracy", "relaxed_accuracy", "exact_match"]))
    row = own_rows(write_own(tmp_path))[1][1]
    found = record(near, row, Response("1510"), Context("offline"))
    assert found.scores == {"accuracy": 1.0, "relaxed_accuracy": 1.0, "exact_match": 0.0}
    assert records[1].groups == {"kind": "open"}
