"""Answers to open questions without the picture: from other questions, or from the captions."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from spiqa_tasks.analysis.shortcuts import Learning, split_apart
from spiqa_tasks.scoring.open_answers import normalized
from spiqa_tasks.scoring.option_features import beginning

_SENTENCE = re.compile(r"(?<=[.!?])\s+")


@dataclass(frozen=True)
class OpenQuestion:
    """A question with its reference, the captions shown with it, and its cluster key (the paper)."""

    id: str
    question: str
    answer: str
    captions: tuple[str, ...] = ()
    cluster: str | None = None


def open_questions(rows: Sequence[Mapping[str, Any]]) -> list[OpenQuestion]:
    """Return the open questions among rows, each once."""
    found = {}
    for row in rows:
        if not row.get("letters"):
            captions = tuple(figure["caption"] for figure in row.get("figures") or ())
            cluster = row.get("paper_id") or row.get("cluster")
            found[row["id"]] = OpenQuestion(row["id"], row["question"], row["answer"], captions, cluster)
    return list(found.values())


def guesses(questions: Sequence[OpenQuestion], learning: Learning) -> dict[str, dict[str, str]]:
    """Return rule -> question -> an answer made without its picture and without having seen its true answer.

    `drawn` is the answer to another question, whichever; `frequent` the most frequent answer to questions that begin
    with the same two words; `nearest` the answer to the nearest question by TF-IDF; `caption` the sentence of the
    captions that is nearest to the question. The first three know the questions of the other folds alone.

    Raises InputError for fewer clusters than folds.
    """
    found: dict[str, dict[str, str]] = {name: {} for name in ("drawn", "frequent", "nearest")}
    for train, test in split_apart([question.cluster for question in questions], learning):
        known, asked = [questions[place] for place in train], [questions[place] for place in test]
        answers = [question.answer for question in known]
        for question in asked:
            found["drawn"][question.id] = random.Random(f"{question.id}#{learning.seed}").choice(answers)
        found["frequent"] |= _frequent(known, asked)
        texts = [question.question for question in known]
        places = nearest([question.question for question in asked], texts)
        found["nearest"] |= {each.id: answers[place] for each, place in zip(asked, places, strict=True)}
    if any(question.captions for question in questions):
        found["caption"] = {question.id: _from_captions(question) for question in questions}
    return {name: {each.id: answers[each.id] for each in questions} for name, answers in found.items()}


def nearest(texts: Sequence[str], known: Sequence[str]) -> list[int]:
    """Return the place of the known text that is nearest to each text by the cosine of TF-IDF, the first of equals."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectors = TfidfVectorizer(sublinear_tf=True, token_pattern=r"\w+")
    there = vectors.fit_transform(known)
    found: list[int] = (vectors.transform(texts) @ there.T).toarray().argmax(axis=1).tolist()
    return found


def _frequent(known: Sequence[OpenQuestion], asked: Sequence[OpenQuestion]) -> dict[str, str]:
    """The most frequent answer to questions of the same beginning, of any where there are none; the first of equals."""
    wordings: dict[str, str] = {}
    counts: dict[str, Counter[str]] = {"": Counter()}
    for question in known:
        plain = normalized(question.answer)
        wordings.setdefault(plain, question.answer)
        for kind in ("", beginning(question.question)):
            counts.setdefault(kind, Counter())[plain] += 1
    most = {kind: wordings[counter.most_common(1)[0][0]] for kind, counter in counts.items()}
    return {question.id: most.get(beginning(question.question), most[""]) for question in asked}


def _from_captions(question: OpenQuestion) -> str:
    sentences = [text for caption in question.captions for text in _SENTENCE.split(caption.strip()) if text]
    has_words = any(re.search(r"\w", text) for text in sentences)
    return sentences[nearest([question.question], sentences)[0]] if has_words else ""
