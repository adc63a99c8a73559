"""What the side experiments change in SciFIBench's questions, on all four splits and on real questions."""

from __future__ import annotations

import hashlib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.files.source import LocalSource

SPLITS = ["cs_fig2cap", "cs_cap2fig", "general_fig2cap", "general_cap2fig"]


def rows_of(folder: Path, split: str, settings: str = "") -> list[dict[str, Any]]:
    return load_rows("scifibench", split, settings, LocalSource(folder))


def digest(path: str) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def options(row: dict[str, Any]) -> list[str]:
    """What the options show, comparable between rows."""
    return row["options"] if row["subcategory"] == "fig2cap" else [digest(path) for path in row["images"]]


def true_option(row: dict[str, Any]) -> str:
    return options(row)[row["letters"].index(row["answer"])]


@pytest.mark.parametrize("split", SPLITS)
def test_random_negatives_are_other_true_options_and_never_the_pair_twice(scifibench_release: Path, split: str) -> None:
    """The answer stays in its place; the others are true options of other questions, all of them different."""
    plain = rows_of(scifibench_release, split)
    drawn = rows_of(scifibench_release, split, "negatives=random")
    pool = {true_option(row) for row in plain}
    for before, after in zip(plain, drawn, strict=True):
        assert after["answer"] == before["answer"]
        assert true_option(after) == true_option(before)
        assert set(options(after)) <= pool
        assert len(set(options(after))) == 5
        assert after["question"] == before["question"]
    assert [options(row) for row in drawn] != [
        options(row) for row in rows_of(scifibench_release, split, "negatives=random,seed=1")
    ]
    assert drawn == rows_of(scifibench_release, split, "negatives=random")


@pytest.mark.parametrize("split", ["cs_fig2cap", "cs_cap2fig"])
def test_duplicates_of_the_true_pair_are_never_drawn(scifibench_release: Path, split: str) -> None:
    """Question 1 has question 0's caption and question 2 its figure, so none of them is a negative of the other."""
    plain = {row["id"]: true_option(row) for row in rows_of(scifibench_release, split)}
    for seed in range(30):
        drawn = {row["id"]: row for row in rows_of(scifibench_release, split, f"negatives=random,seed={seed}")}
        for twins in ({"0", "1"}, {"0", "2"}):
            for one in twins:
                negatives = set(options(drawn[one])) - {plain[one]}
                assert not negatives & {plain[twin] for twin in twins}


def test_random_negatives_of_real_questions(real_data: Path) -> None:
    """Of the 60 real questions every one gets four captions of others, none of its adversarial ones by rule."""
    drawn = rows_of(real_data, "cs_fig2cap", "negatives=random")
    plain = rows_of(real_data, "cs_fig2cap")
    assert len(drawn) == 60
    assert all(len({text.casefold() for text in row["options"]}) == 5 for row in drawn)
    assert [true_option(row) for row in drawn] == [true_option(row) for row in plain]


@pytest.mark.parametrize("split", SPLITS)
def test_shuffling_moves_the_answer_with_its_option(scifibench_release: Path, split: str) -> None:
    """Another number is another order of the same options with the same true one; 0 is the released order."""
    plain = rows_of(scifibench_release, split)
    assert [options(row) for row in rows_of(scifibench_release, split, "shuffle=0")] == [options(row) for row in plain]
    orders = []
    for number in (1, 2):
        mixed = rows_of(scifibench_release, split, f"shuffle={number}")
        for before, after in zip(plain, mixed, strict=True):
            assert sorted(options(after)) == sorted(options(before))
            assert true_option(after) == true_option(before)
        orders.append([options(row) for row in mixed])
    assert orders[0] != orders[1]
    assert orders[0] != [options(row) for row in plain]


def test_marks_are_on_the_true_or_on_a_random_false_caption(real_data: Path) -> None:
    """`correct` marks the answer, `incorrect` spreads over the false options, none marks nothing."""
    correct = rows_of(real_data, "cs_fig2cap", "mark=correct")
    assert all(row["marked"] == row["answer"] for row in correct)
    incorrect = rows_of(real_data, "cs_fig2cap", "mark=incorrect")
    assert all(row["marked"] in row["letters"] and row["marked"] != row["answer"] for row in incorrect)
    assert len(Counter(row["marked"] for row in incorrect)) == 5
    assert {row["marked"] for row in rows_of(real_data, "cs_fig2cap")} == {""}
