"""Answers to open questions from other questions and from captions."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from spiqa_tasks.analysis.shortcut_tasks import guesses, nearest
from spiqa_tasks.analysis.shortcuts import Learning
from spiqa_tasks.errors import InputError


def row(key: str, question: str, answer: str, captions: tuple[str, ...] = (), paper: str | None = None) -> Any:
    """An open question."""
    figures = [{"caption": caption} for caption in captions]
    return {"id": key, "question": question, "answer": answer, "figures": figures, "paper_id": paper}


def test_each_rule_answers_every_question_in_order() -> None:
    """The nearest question's answer, the most frequent one to such questions, a sentence of the captions, any."""
    asked = []
    for paper in range(6):
        captions = (f"An overview. The loss falls in run {paper}.", "A table. Its rows are models.")
        asked.append(row(f"{paper}/0", "What is the loss of the run?", "It falls.", captions, f"p{paper}"))
        asked.append(row(f"{paper}/1", "How many models are rows?", f"{paper % 2} models.", (), f"p{paper}"))
    found = guesses([*asked, asked[0], {"id": "choice", "letters": ["A"]}], Learning(folds=3))
    assert list(found) == ["drawn", "frequent", "nearest", "caption"]
    assert all(list(answers) == [each["id"] for each in asked] for answers in found.values())
    assert Counter(found["nearest"][f"{paper}/0"] for paper in range(6)) == {"It falls.": 6}
    assert Counter(found["frequent"][f"{paper}/0"] for paper in range(6)) == {"It falls.": 6}
    assert found["frequent"]["0/1"].endswith("models.")
    assert found["caption"]["2/0"] == "The loss falls in run 2."
    assert found["caption"]["2/1"] == ""
    assert set(found["drawn"].values()) <= {each["answer"] for each in asked}
    drawn = [guesses(asked, Learning(folds=3, seed=seed))["drawn"]["0/0"] for seed in range(6)]
    assert len(set(drawn)) > 1


def test_papers_are_never_learned_from() -> None:
    """An answer that only the own paper has is found by no rule but the captions."""
    asked = [
        row(f"{paper}/{place}", f"word{paper} word{paper}?", f"answer{paper}", paper=f"p{paper}")
        for paper in range(5)
        for place in range(2)
    ]
    found = guesses(asked, Learning(folds=5))
    assert "caption" not in found
    assert not any(answers[each["id"]] == each["answer"] for answers in found.values() for each in asked)
    with pytest.raises(InputError, match="at least 6"):
        guesses(asked, Learning(folds=6))


def test_nearest_is_by_rare_words() -> None:
    """Words that all have say little; without any common word it is the first."""
    assert nearest(["the red fish", "zebra"], ["the the cat", "the red dog", "the red fish"]) == [2, 0]


def test_the_most_frequent_answer_is_of_questions_that_begin_alike() -> None:
    """However they are written, the first wording stands; a beginning that none has is answered by the most of all."""
    texts = [("How many a?", "Two."), ("How many b?", "one"), ("How many c?", "two"), ("Who is it?", "one")]
    texts += [("Who is he?", "One"), ("Why so?", "x")]
    known = [row(str(place), *each) for place, each in enumerate(texts)]
    splits = [
        guesses([*known, row("asked", question, "never")], Learning(folds=7))["frequent"]["asked"]
        for question in ("How many d?", "Who is she?", "What?")
    ]
    assert splits == ["Two.", "one", "one"]
