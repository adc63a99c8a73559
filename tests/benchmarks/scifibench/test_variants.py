"""Random negatives, orders, marks and examples of SciFIBench."""

from __future__ import annotations

import hashlib
import math
import random
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.benchmarks.scifibench.questions import ChoiceQuestion, OptionFigure
from spiqa_tasks.benchmarks.scifibench.variants import (
    caption_similarities,
    marked_letter,
    pair_similarities,
    random_shots,
    shuffled,
    similar_shots,
    with_random_negatives,
)
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


@pytest.mark.parametrize("kind", ["random", "similar"])
def test_examples_share_nothing_with_the_question(real_data: Path, kind: str) -> None:
    """Five different examples with pictures of their own; no caption or figure of theirs is in the question."""
    for row in rows_of(real_data, "cs_fig2cap", f"shots=5,shot_kind={kind}"):
        assert len(row["shots"]) == 5
        assert len({shot["images"][0] for shot in row["shots"]}) == 5
        for shot in row["shots"]:
            assert not set(shot["options"]) & set(row["options"])
            assert digest(shot["images"][0]) != digest(row["images"][0])


def test_similar_examples_are_the_nearest_by_tf_idf(real_data: Path) -> None:
    """The examples have the highest cosines to the true caption, the nearest one last, next to the question."""
    rows = rows_of(real_data, "cs_fig2cap", "shots=2,shot_kind=similar")
    vectors = TfidfVectorizer(sublinear_tf=True, token_pattern=r"\S+").fit_transform([row["caption"] for row in rows])
    cosines = np.asarray((vectors @ vectors.T).todense())
    for index, row in enumerate(rows):
        allowed = [place for place, other in enumerate(rows) if not set(other["options"]) & set(row["options"])]
        best = sorted(cosines[index, place] for place in allowed)[-2:]
        places = [next(i for i, other in enumerate(rows) if other["images"] == shot["images"]) for shot in row["shots"]]
        assert [cosines[index, place] for place in places] == pytest.approx(best)


def test_random_examples_depend_on_the_seed_and_the_question_alone(scifibench_release: Path) -> None:
    """The same seed draws the same examples; another one others."""
    first = rows_of(scifibench_release, "cs_cap2fig", "shots=2")
    assert [row["shots"] for row in first] == [r["shots"] for r in rows_of(scifibench_release, "cs_cap2fig", "shots=2")]
    assert [row["shots"] for row in first] != [
        row["shots"] for row in rows_of(scifibench_release, "cs_cap2fig", "shots=2,seed=3")
    ]
    assert all(len(shot["images"]) == 5 for row in first for shot in row["shots"])


def test_twins_are_no_examples_of_each_other(scifibench_release: Path) -> None:
    """Questions with a caption or a figure in common are kept apart."""
    rows = {row["id"]: row for row in rows_of(scifibench_release, "cs_fig2cap", "shots=11")}
    shown = [shot["images"][0] for shot in rows["0"]["shots"]]
    assert not {rows["1"]["images"][0], rows["2"]["images"][0]} & set(shown)
    with pytest.raises(DataError, match="Use fewer shots"):
        rows_of(scifibench_release, "cs_fig2cap", "shots=12")


def question(number: int, caption: str = "") -> ChoiceQuestion:
    captions = (caption or f"caption {number}", f"distractor {number}")
    return ChoiceQuestion(
        "CS_Figure2Caption",
        str(number),
        "Which?",
        "Which?",
        ("A", "B"),
        captions,
        "A",
        "cs",
        (OptionFigure(f"digest {number}", ""),),
    )


SIMILARITIES = np.array(
    [
        [1.0, 0.2, 0.9, 0.5],
        [0.2, 1.0, 0.1, 0.3],
        [0.9, 0.1, 1.0, 0.4],
        [0.5, 0.3, 0.4, 1.0],
    ]
)


def test_the_most_similar_example_comes_last() -> None:
    """The highest similarities are taken, in rising order, so that the nearest example stands next to the question."""
    shots = similar_shots([question(number) for number in range(4)], 2, SIMILARITIES)
    assert [[shot.id for shot in shown] for shown in shots] == [["3", "2"], ["0", "3"], ["3", "0"], ["2", "0"]]


def test_a_question_with_the_same_caption_is_passed_over() -> None:
    """The nearest one that shares nothing is taken instead."""
    questions = [question(0, "same"), question(1), question(2, "same"), question(3)]
    assert [shot.id for shot in similar_shots(questions, 1, SIMILARITIES)[0]] == ["3"]
    with pytest.raises(DataError, match="found 2"):
        similar_shots(questions, 3, SIMILARITIES)


def test_caption_similarities_are_cosines() -> None:
    """Equal captions have 1, captions without a common word 0, and more words in common are nearer."""
    captions = ["loss of the model", "loss of the model", "images only", "loss of the graph"]
    found = caption_similarities([question(number, caption) for number, caption in enumerate(captions)])
    assert found.shape == (4, 4)
    assert np.diag(found) == pytest.approx(np.ones(4))
    assert found[0, 1] == pytest.approx(1.0)
    assert found[0, 2] == 0.0
    assert 0.0 < found[0, 3] < 1.0


def captioned(number: int, caption: str, figure: str = "") -> ChoiceQuestion:
    """A question about a figure, with a true caption and a false one of its own."""
    shown = OptionFigure(figure or f"digest{number}", f"{number}.png")
    options = (f"false {number}", caption)
    return ChoiceQuestion("CS_Figure2Caption", str(number), "q", "q", ("A", "B"), options, "B", "cs", (shown,))


APART = [captioned(number, f"caption {number}") for number in range(8)]


def ids(found: list[list[ChoiceQuestion]]) -> list[list[str]]:
    """The ids of examples."""
    return [[example.id for example in examples] for examples in found]


def test_random_examples_are_drawn_by_seed_and_question() -> None:
    """As Python's generator shuffles the places, seeded with these; the question itself is none."""
    for seed in (0, 5):
        expected = []
        for number in range(8):
            places = list(range(8))
            random.Random(f"shots#{seed}#CS_Figure2Caption/{number}").shuffle(places)
            expected.append([str(place) for place in places if place != number][:3])
        assert ids(random_shots(APART, 3, seed)) == expected


def test_the_nearest_examples_come_last() -> None:
    """Of those that share nothing with the question; the first of equals is taken."""
    similarities = np.array([[1.0, 0.1, 0.9, 0.5], [0.1, 1, 0.1, 0.1], [0.9, 0.1, 1, 0.2], [0.5, 0.1, 0.2, 1]])
    assert ids(similar_shots(APART[:4], 2, similarities)) == [["3", "2"], ["2", "0"], ["3", "0"], ["2", "0"]]
    alike = [
        captioned(0, "The caption ."),
        captioned(1, "the  caption"),
        captioned(2, "x", "digest0"),
        captioned(3, "y"),
    ]
    assert ids(similar_shots(alike[:2] + alike[3:], 1, similarities[:3, :3])) == [["3"], ["3"], ["0"]]
    with pytest.raises(DataError) as error:
        similar_shots(alike, 2, similarities)
    assert str(error.value) == (
        "Expected 2 examples for question 0 of CS_Figure2Caption that share no caption and no figure with it, found 1. "
        "Use fewer shots."
    )


def test_captions_are_near_by_the_words_that_they_share() -> None:
    """Cosines of TF-IDF: 1 with themselves, more with more words in common, 0 with none."""
    questions = [captioned(0, "loss of x"), captioned(1, "loss of y"), captioned(2, "a plot")]
    found = caption_similarities(questions)
    assert found.shape == (3, 3)
    assert np.diag(found) == pytest.approx(1)
    assert 0 < found[0, 1] == pytest.approx(found[1, 0])
    assert found[0, 1] < 1
    assert found[0, 2] == 0
    words = ["loss of x", "loss of y", "a plot"]
    vectors = TfidfVectorizer(sublinear_tf=True, token_pattern=r"\S+").fit_transform(words)
    assert found == pytest.approx(np.asarray((vectors @ vectors.T).todense()))


def test_pairs_are_near_by_both_embeddings(monkeypatch: pytest.MonkeyPatch) -> None:
    """The mean of the cosines of captions and of figures, by the checkpoint that is named."""

    class Encoder:
        def __init__(self, checkpoint: str) -> None:
            assert checkpoint == "a/b"

        def texts(self, texts: list[str]) -> Any:
            assert texts == ["caption 0", "caption 1"]
            return np.array([[1.0, 0.0], [0.6, 0.8]])

        def images(self, paths: list[str]) -> Any:
            assert paths == ["0.png", "1.png"]
            return np.array([[1.0, 0.0], [0.0, 1.0]])

    monkeypatch.setattr("spiqa_tasks.vision.clip_encoder.ClipEncoder", Encoder)
    assert pair_similarities(APART[:2], "a/b") == pytest.approx(np.array([[1.0, 0.3], [0.3, 1.0]]))


def test_of_many_equally_near_examples_the_first_are_taken() -> None:
    """Whatever their number; those are nearest that come first in the file."""
    questions = [captioned(number, f"caption {number}") for number in range(60)]
    nearest = ids(similar_shots(questions, 3, np.ones((60, 60))))
    assert nearest == [[str(place) for place in range(60) if place != number][:3][::-1] for number in range(60)]


def test_a_word_that_is_there_often_weighs_little_more() -> None:
    """A count of n is worth 1 + ln n, times ln((1 + 3) / (1 + m)) + 1 for a word of m of the three captions."""
    captions = ["loss loss loss graph", "loss only", "loss graph"]
    found = caption_similarities([question(number, caption) for number, caption in enumerate(captions)])
    weights = {1: 1.0, 3: 1 + math.log(3)}
    idf = {"loss": math.log(4 / 4) + 1, "graph": math.log(4 / 3) + 1}
    first = [weights[3] * idf["loss"], weights[1] * idf["graph"]]
    third = [idf["loss"], idf["graph"]]
    expected = sum(a * b for a, b in zip(first, third, strict=True)) / (math.hypot(*first) * math.hypot(*third))
    assert found[0, 2] == pytest.approx(expected)
