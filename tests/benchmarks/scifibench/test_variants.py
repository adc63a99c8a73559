"""Random negatives, orders, marks and examples of SciFIBench."""

import hashlib
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from release_rows import rows_in

from spiqa_tasks.benchmarks.scifibench.questions import (
    ChoiceQuestion,
    OptionFigure,
    examples,
    marked_letter,
    shuffled,
    similarities_of,
    with_random_negatives,
)
from spiqa_tasks.errors import DataError
from spiqa_tasks.files.source import LocalSource


def rows_of(folder: Path, split: str, settings: str = "") -> list[dict[str, Any]]:
    return rows_in("scifibench", split, settings, LocalSource(folder))


def digest(path: str) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def options(row: dict[str, Any]) -> list[str]:
    """Return the captions, or the digests of the pictures, that are a row's options."""
    return (
        row["options"]
        if row["subcategory"] == "fig2cap"
        else [digest(path) for path in row["images"]]
    )


def pair(
    number: int, caption: str = "", figure: str = "", file: str = "CS_Figure2Caption"
) -> ChoiceQuestion:
    """Return a question with three options; the right one is at the position `number` modulo 3."""
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
        file,
        str(number),
        "q",
        caption if to_figure else "q",
        tuple("ABC"),
        tuple(options),
        "ABC"[answer],
        "c",
        figures,
    )


def drawn(purpose: str, seed: int, question: ChoiceQuestion) -> random.Random:
    """Return the random generator that the package uses for a question: reported numbers depend on
    it.
    """
    return random.Random(f"{purpose}#{seed}#{question.file}/{question.id}")


@pytest.mark.parametrize("file", ["CS_Figure2Caption", "CS_Caption2Figure"])
def test_an_order_is_drawn_by_seed_and_question(file: str) -> None:
    """0 is the release's; the answer keeps its option, and figures move where they are the
    options.
    """
    question = pair(4, file=file)
    assert shuffled(question, 0) is question
    for seed in (1, 2, 3):
        order = [0, 1, 2]
        drawn("shuffle", seed, question).shuffle(order)
        found = shuffled(question, seed)
        assert found.options == tuple(question.options[place] for place in order)
        assert (found.caption, found.figure, found.letters) == (
            question.caption,
            question.figure,
            question.letters,
        )
        places = order if question.to_figure else [0]
        assert found.figures == tuple(question.figures[place] for place in places)


def test_a_mark_is_the_answers_or_drawn_among_the_others() -> None:
    """By seed and question; none is none."""
    question = pair(4)
    assert [marked_letter(question, mark, 0) for mark in ("none", "correct")] == ["", "B"]
    for seed in range(4):
        assert marked_letter(question, "incorrect", seed) == drawn("mark", seed, question).choice(
            ["A", "C"]
        )


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
    """A caption that another pair has with the true figure, a figure with the true caption, and
    what is alike.
    """
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
        assert sorted(
            each.casefold().strip(".") for each in found.options if each != "caption 0"
        ) == ["y", "z"]


@pytest.mark.parametrize("kind", ["random", "similar"])
def test_examples_share_nothing_with_the_question(real_data: Path, kind: str) -> None:
    """Five different examples with pictures of their own; no caption or figure of theirs is in
    the question.
    """
    for row in rows_of(real_data, "cs_fig2cap", f"shots=5,shot_kind={kind}"):
        assert len(row["shots"]) == 5
        assert len({shot["images"][0] for shot in row["shots"]}) == 5
        for shot in row["shots"]:
            assert not set(shot["options"]) & set(row["options"])
            assert digest(shot["images"][0]) != digest(row["images"][0])


def captioned(number: int, caption: str, figure: str = "") -> ChoiceQuestion:
    """Return a question about a figure, with its true caption and a false one."""
    shown = OptionFigure(figure or f"digest{number}", f"{number}.png")
    options = (f"false {number}", caption)
    return ChoiceQuestion(
        "CS_Figure2Caption", str(number), "q", "q", ("A", "B"), options, "B", "cs", (shown,)
    )


APART = [captioned(number, f"caption {number}") for number in range(8)]


def ids(found: list[list[ChoiceQuestion]]) -> list[list[str]]:
    """The ids of examples."""
    return [[example.id for example in each] for each in found]


def test_random_examples_are_drawn_by_seed_and_question() -> None:
    """As Python's generator shuffles the places, seeded with these; the question itself is none."""
    for seed in (0, 5):
        expected = []
        for number in range(8):
            places = list(range(8))
            random.Random(f"shots#{seed}#CS_Figure2Caption/{number}").shuffle(places)
            expected.append([str(place) for place in places if place != number][:3])
        assert ids(examples(APART, 3, seed)) == expected


def test_the_nearest_examples_come_last() -> None:
    """Of those that share nothing with the question; the first of equals is taken."""
    similarities = np.array(
        [[1.0, 0.1, 0.9, 0.5], [0.1, 1, 0.1, 0.1], [0.9, 0.1, 1, 0.2], [0.5, 0.1, 0.2, 1]]
    )
    assert ids(examples(APART[:4], 2, 0, similarities)) == [
        ["3", "2"],
        ["2", "0"],
        ["3", "0"],
        ["2", "0"],
    ]
    alike = [
        captioned(0, "The caption ."),
        captioned(1, "the  caption"),
        captioned(2, "x", "digest0"),
        captioned(3, "y"),
    ]
    assert ids(examples(alike[:2] + alike[3:], 1, 0, similarities[:3, :3])) == [["3"], ["3"], ["0"]]
    with pytest.raises(DataError) as error:
        examples(alike, 2, 0, similarities)
    assert (
        str(error.value)
        == "Expected 2 examples unlike question 0 of CS_Figure2Caption, found 1. Use fewer shots."
    )


def test_captions_are_near_by_the_words_that_they_share() -> None:
    """Cosines of TF-IDF: 1 with themselves, more with more words in common, 0 with none."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    questions = [captioned(0, "loss of x"), captioned(1, "loss of y"), captioned(2, "a plot")]
    found = similarities_of(questions)
    assert found.shape == (3, 3)
    assert np.diag(found) == pytest.approx(1)
    assert 0 < found[0, 1] == pytest.approx(found[1, 0])
    assert found[0, 1] < 1
    assert found[0, 2] == 0
    words = ["loss of x", "loss of y", "a plot"]
    vectors = TfidfVectorizer(sublinear_tf=True, token_pattern=r"\S+").fit_transform(words)
    assert found == pytest.approx(np.asarray((vectors @ vectors.T).todense()))
