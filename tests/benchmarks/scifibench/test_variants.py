"""What the side experiments change in SciFIBench's questions, on all four splits and on real questions."""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.benchmarks.scifibench.questions import ChoiceQuestion, OptionFigure
from spiqa_tasks.benchmarks.scifibench.variants import marked_letter, shuffled, with_random_negatives
from spiqa_tasks.errors import DataError
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


def pair(number: int, caption: str = "", figure: str = "", file: str = "CS_Figure2Caption") -> ChoiceQuestion:
    """A question with three options; the answer stands at its number modulo 3."""
    to_figure = file.endswith("Caption2Figure")
    caption, answer = caption or f"caption {number}", number % 3
    own = OptionFigure(figure or f"digest{number}", f"{number}.png")
    others = [OptionFigure(f"false{number}{place}", "") for place in range(3)]
    options = ["", "", ""] if to_figure else [f"false {place}" for place in range(3)]
    if not to_figure:
        options[answer] = caption
    others[answer] = own
    figures = tuple(others) if to_figure else (own,)
    return ChoiceQuestion(
        file, str(number), "q", caption if to_figure else "q", tuple("ABC"), tuple(options), "ABC"[answer], "c", figures
    )


def drawn(purpose: str, seed: int, question: ChoiceQuestion) -> random.Random:
    """The generator of a draw: every number that was ever reported depends on it."""
    return random.Random(f"{purpose}#{seed}#{question.file}/{question.id}")


@pytest.mark.parametrize("file", ["CS_Figure2Caption", "CS_Caption2Figure"])
def test_an_order_is_drawn_by_seed_and_question(file: str) -> None:
    """0 is the release's; the answer keeps its option, and figures move where they are the options."""
    question = pair(4, file=file)
    assert shuffled(question, 0) is question
    for seed in (1, 2, 3):
        order = [0, 1, 2]
        drawn("shuffle", seed, question).shuffle(order)
        found = shuffled(question, seed)
        assert found.options == tuple(question.options[place] for place in order)
        assert (found.caption, found.figure, found.letters) == (question.caption, question.figure, question.letters)
        places = order if question.to_figure else [0]
        assert found.figures == tuple(question.figures[place] for place in places)


def test_a_mark_is_the_answers_or_drawn_among_the_others() -> None:
    """By seed and question; none is none."""
    question = pair(4)
    assert [marked_letter(question, mark, 0) for mark in ("none", "correct")] == ["", "B"]
    for seed in range(4):
        assert marked_letter(question, "incorrect", seed) == drawn("mark", seed, question).choice(["A", "C"])


@pytest.mark.parametrize("file", ["CS_Figure2Caption", "CS_Caption2Figure"])
def test_negatives_are_drawn_by_seed_and_question(file: str) -> None:
    """From the end of the shuffled file, around the answer in its place."""
    questions = [pair(number, file=file) for number in range(6)]
    for seed in (0, 7):
        for question, found in zip(questions, with_random_negatives(questions, seed), strict=True):
            pool = list(questions)
            drawn("negatives", seed, question).shuffle(pool)
            pairs = [other for other in reversed(pool) if other is not question][:2]
            pairs.insert(question.position, question)
            if found.to_figure:
                assert found.figures == tuple(other.figure for other in pairs)
                assert found.options == question.options
            else:
                assert found.options == tuple(other.caption for other in pairs)
                assert found.figures == question.figures
            assert (found.answer, found.text) == (question.answer, question.text)


def test_no_negative_is_true_as_well_or_there_twice() -> None:
    """A caption that another pair has with the true figure, a figure with the true caption, and what is alike."""
    questions = [
        pair(0),
        pair(1, "Caption 0 ."),
        pair(2, "also true", "digest0"),
        pair(3, "Also  true"),
        pair(4, "x", "digest1"),
        pair(5, "y"),
        pair(6, "Y."),
        pair(7, "z"),
    ]
    for seed in range(9):
        found = with_random_negatives(questions, seed)[0]
        assert sorted(each.casefold().strip(".") for each in found.options if each != "caption 0") == ["y", "z"]


def test_a_file_with_too_few_pairs_is_refused() -> None:
    """By its name, with the question."""
    with pytest.raises(DataError) as error:
        with_random_negatives([pair(0), pair(1)], 0)
    assert str(error.value) == (
        "Expected CS_Figure2Caption to have 3 different figure-caption pairs to draw the options of question 0 from, "
        "found 2. Fetch the released file."
    )
