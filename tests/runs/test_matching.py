"""Answers, matched with a task's questions."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiqa_tasks.benchmarks.record import Response
from spiqa_tasks.errors import InputError
from spiqa_tasks.runs.answer import Answer
from spiqa_tasks.runs.matching import Matched, match, match_counts, remarks

ROWS = [{"id": "1"}, {"id": "2"}, {"id": "30"}]
PATH = Path("answers.jsonl")


def matched(*answers: tuple[str, str]) -> Matched:
    """The (id, text) pairs, matched."""
    return match(PATH, [Answer(key, Response(text)) for key, text in answers], ROWS)


def test_unknown_missing_and_repeated_ids_are_counted_and_named() -> None:
    """Answers are matched in the task's order; what does not fit is reported."""
    found = matched(("30", "C"), ("x", "A"), ("1", "A"), ("1", "A"))
    assert {key: answer.response.text for key, answer in found.answers.items()} == {"1": "A", "30": "C"}
    assert list(found.answers) == ["1", "30"]
    assert found.unmatched == {"missing": ["2"], "unknown": ["x"], "duplicates": ["1"]}
    assert match_counts(found.unmatched) == {
        "missing": 1,
        "missing_first": ["2"],
        "unknown": 1,
        "unknown_first": ["x"],
        "duplicates": 1,
        "duplicates_first": ["1"],
    }


def test_where_everything_fits_the_counts_are_zero_and_nothing_is_said() -> None:
    """No ids are named then."""
    found = matched(("1", "A"), ("2", "A"), ("30", "A"))
    assert match_counts(found.unmatched) == {"missing": 0, "unknown": 0, "duplicates": 0}
    assert list(remarks(found.unmatched)) == []


@given(st.permutations(["1", "2", "30"]), st.lists(st.sampled_from(["1", "2", "30"]), max_size=3))
def test_the_order_of_the_file_and_repeated_lines_change_nothing(order: list[str], again: list[str]) -> None:
    """Each question has its answer, in the order of the task."""
    found = matched(*[(key, f"to {key}") for key in [*order, *again]])
    assert [(key, answer.response.text) for key, answer in found.answers.items()] == [
        ("1", "to 1"),
        ("2", "to 2"),
        ("30", "to 30"),
    ]
    assert set(found.unmatched["duplicates"]) == set(again)


@pytest.mark.parametrize(
    "other",
    [
        Answer("1", Response("A"), question="Other?"),
        Answer("1", Response("A"), reference="B"),
        Answer("1", Response("A", shown=("b.png", "a.png"))),
        Answer("1", Response("", "boom")),
    ],
)
def test_an_id_that_is_there_twice_must_be_the_same_in_all(other: Answer) -> None:
    """In its question, true answer and figures too; where it stands does not matter."""
    first = Answer("1", Response("A"))
    assert match(PATH, [first, Answer("1", Response("A"), place=7)], ROWS).unmatched["duplicates"] == ["1"]
    with pytest.raises(InputError, match="found two different ones for 1"):
        match(PATH, [first, other], ROWS)


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        (
            [("2", "A"), ("1", "A"), ("1", "B")],
            "Expected one answer per question in answers.jsonl, found two different ones for 1. Keep the one that "
            "counts.",
        ),
        (
            [("x", "A"), ("y", "A")],
            "Expected answers to the task's questions (ids such as '1') in answers.jsonl, found ids such as 'x'. "
            "Name the task that the answers are of.",
        ),
        (
            [],
            "Expected answers to the task's questions (ids such as '1') in answers.jsonl, found no answers. "
            "Name the task that the answers are of.",
        ),
    ],
)
def test_answers_that_contradict_or_belong_elsewhere_are_refused(entries: list[tuple[str, str]], message: str) -> None:
    """Two different answers to one question, or answers to questions of another task, are no basis for a score."""
    with pytest.raises(InputError) as error:
        matched(*entries)
    assert str(error.value) == message


@pytest.mark.parametrize(("count", "named"), [(1, "one"), (7, "many")])
def test_each_way_not_to_fit_has_a_sentence(count: int, named: str) -> None:
    """With the number, and the first five of the ids."""
    ids = [f"q{place}" for place in range(count)]
    said = list(remarks({"missing": ids, "unknown": ids, "duplicates": ids}))
    expected = {
        "one": [
            "1 question has no answer and is left out, the first: q0.",
            "1 id is not of this task and is ignored, the first: q0.",
            "1 id occurs several times with the same answer and counts once, the first: q0.",
        ],
        "many": [
            "7 questions have no answer and are left out, the first: q0, q1, q2, q3, q4.",
            "7 ids are not of this task and are ignored, the first: q0, q1, q2, q3, q4.",
            "7 ids occur several times with the same answer and count once, the first: q0, q1, q2, q3, q4.",
        ],
    }
    assert said == expected[named]
    assert match_counts({"missing": ids})["missing_first"] == ids[:5]
    assert list(remarks({"missing": ids, "unknown": []})) == said[:1]
