"""SciFIBench's questions, as released and in its side experiments: random negatives, orders of the
options, marked captions, examples (few-shot).

A draw depends on the seed, the release file's name and the question's ID alone, so it is the same
in every process, with any `--limit` and whatever the order of evaluation. The paper takes its
examples from a noisy set that is not published; ours are other questions of the same file (section
4.4, Figure 6).
"""

from __future__ import annotations

import hashlib
import random
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from spiqa_tasks.benchmarks.choice import check_answer, check_unique
from spiqa_tasks.errors import DataError
from spiqa_tasks.extras import require
from spiqa_tasks.files.pictures import check_pictures, encoded, write_pictures
from spiqa_tasks.files.records import read_rows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Columns of a release file.
COLUMNS = ("ID", "Question", "Options", "Answer", "Category", "Images")


class OptionFigure(NamedTuple):
    """A figure: sha256 of its encoded bytes, and its file or "" if it is not shown."""

    digest: str
    path: str


@dataclass(frozen=True)
class ChoiceQuestion:
    """A question with its options in the order shown.

    Attributes:
        file: name of the release file, such as `CS_Figure2Caption`; unique together with `id`.
        asked, text: the released question; of it the question (figure -> caption) or the caption
            (caption -> figure).
        options: parallel to `letters`: captions, or "" if the options are figures.
        figures: one, or one per letter.
    """

    file: str
    id: str
    asked: str
    text: str
    letters: tuple[str, ...]
    options: tuple[str, ...]
    answer: str
    category: str
    figures: tuple[OptionFigure, ...]

    @property
    def to_figure(self) -> bool:
        """Whether the options are figures."""
        return self.file.endswith("Caption2Figure")

    @property
    def position(self) -> int:
        """The index of the answer among the options, from 0."""
        return self.letters.index(self.answer)

    @property
    def caption(self) -> str:
        """The true caption."""
        return self.text if self.to_figure else self.options[self.position]

    @property
    def figure(self) -> OptionFigure:
        """The true figure."""
        return self.figures[self.position if self.to_figure else 0]

    def generator(self, purpose: str, seed: int) -> random.Random:
        """Return a generator seeded by the question's identity, so that draws do not depend on
        other questions.
        """
        return random.Random(f"{purpose}#{seed}#{self.file}/{self.id}")

    def content(self) -> set[str]:
        """Return the normalised captions and figure digests of the question, to compare
        questions by.
        """
        captions = {self.text} if self.to_figure else set(self.options)
        return {normalised(caption) for caption in captions} | {
            figure.digest for figure in self.figures
        }


def normalised(caption: str) -> str:
    """Return a caption without case, spacing and final full stop: near-duplicates compare equal."""
    return " ".join(caption.casefold().split()).rstrip(" .")


def read_questions(
    paths: Sequence[Path], file: str, data: str, with_files: bool
) -> list[ChoiceQuestion]:
    """Return the questions of a release file, in order.

    `with_files`: figures are written to the cache and checked.

    Raises DataError: a file that cannot be read, a row that is not complete, a picture that cannot
    be decoded.
    """
    questions = []
    for record in read_rows(paths, COLUMNS):
        named = [
            (f"{record['ID']}-{position}", encoded(cell, f"row {record['ID']} of {file}"))
            for position, cell in enumerate(record["Images"] or [])
        ]
        stored = [""] * len(named)
        if with_files:
            stored = write_pictures(f"scifibench-{file}-{data}", named)
        figures = tuple(
            OptionFigure(hashlib.sha256(content).hexdigest(), path)
            for (_, content), path in zip(named, stored, strict=True)
        )
        questions.append(_question(file, record, figures))

    check_unique([question.id for question in questions], file)
    if with_files:
        check_pictures(figure.path for question in questions for figure in question.figures)
    return questions


def _question(
    file: str, record: dict[str, Any], figures: tuple[OptionFigure, ...]
) -> ChoiceQuestion:
    """Return the question of a line of the release, with its pictures.

    Raises DataError: it lacks a text, options or a picture.
    """
    row_id = str(record["ID"])
    asked = record["Question"]
    to_figure = file.endswith("Caption2Figure")
    options = _options(record["Options"] or [])
    needed = len(options) if to_figure else 1
    if not asked or len(options) < 2 or len(figures) != needed:
        raise DataError(
            f"Expected question {row_id} of {file} to have a text, options like 'A) text' and"
            f" pictures; found {asked!r}, {record['Options']} and {len(figures)} pictures."
            " Fetch it again."
        )
    return ChoiceQuestion(
        file=file,
        id=row_id,
        asked=asked,
        text=_caption(asked) if to_figure else asked,
        letters=tuple(options),
        options=("",) * len(options) if to_figure else tuple(options.values()),
        answer=check_answer(row_id, record["Answer"], list(options)),
        category=record["Category"],
        figures=figures,
    )


def _options(released: Sequence[str]) -> dict[str, str]:
    """Return letter -> text of options such as `A) text`.

    {} if one has no letter, or two the same.
    """
    options = {}
    for option in released:
        labelled = re.fullmatch(r"([A-Z])\)?\s*(.*)", option, flags=re.DOTALL)
        if labelled is None:
            return {}
        options[labelled[1]] = labelled[2]
    return options if len(options) == len(released) else {}


def _caption(asked: str) -> str:
    """Return `TEXT` of the question `Caption: TEXT Which figure best matches the caption?`."""
    closing = r"\s*Which (?:image|figure) best matches the caption\?\s*$"
    return re.sub(closing, "", asked).removeprefix("Caption:").strip()


def with_random_negatives(questions: Sequence[ChoiceQuestion], seed: int) -> list[ChoiceQuestion]:
    """Return the questions with false options replaced by true ones of other questions (section
    4.3, Table 2).

    The answer keeps its letter. No two options are equal, and no false one is true as well:
    captions that also occur with the true figure are excluded, and figures that also occur with the
    true caption.

    Raises DataError: the file has too few different pairs.
    """
    captions = defaultdict(set)
    digests = defaultdict(set)
    for question in questions:
        captions[question.figure.digest].add(normalised(question.caption))
        digests[normalised(question.caption)].add(question.figure.digest)

    randomised = []
    for question in questions:
        pool = list(questions)
        question.generator("negatives", seed).shuffle(pool)
        true = captions[question.figure.digest] | digests[normalised(question.caption)]
        pairs = _take_false_pairs(question, pool, true)
        pairs.insert(question.position, question)
        if question.to_figure:
            randomised.append(replace(question, figures=tuple(pair.figure for pair in pairs)))
        else:
            randomised.append(replace(question, options=tuple(pair.caption for pair in pairs)))
    return randomised


def _take_false_pairs(
    question: ChoiceQuestion, pool: list[ChoiceQuestion], true: set[str]
) -> list[ChoiceQuestion]:
    """Take questions from the end of the pool, whose true pairs are the false options of one.

    None has a caption or figure of `true`, or of another. Raises DataError: too few.
    """
    needed = len(question.letters) - 1
    taken = set(true)
    pairs: list[ChoiceQuestion] = []
    while pool and len(pairs) < needed:
        pair = pool.pop()
        content = {normalised(pair.caption), pair.figure.digest}
        if not taken & content:
            pairs.append(pair)
            taken |= content

    if len(pairs) < needed:
        raise DataError(
            f"Expected more pairs for the false options of question {question.id} of"
            f" {question.file}, found {len(pairs)}. Fetch it again."
        )
    return pairs


def shuffled(question: ChoiceQuestion, seed: int) -> ChoiceQuestion:
    """Return the question with its options reordered by the seed (section 4.2).

    0 keeps the released order.
    """
    if seed == 0:
        return question
    order = list(range(len(question.letters)))
    question.generator("shuffle", seed).shuffle(order)
    figures = question.figures
    if question.to_figure:
        figures = tuple(figures[index] for index in order)
    return replace(
        question,
        options=tuple(question.options[index] for index in order),
        answer=question.letters[order.index(question.position)],
        figures=figures,
    )


def marked_letter(question: ChoiceQuestion, mark: str, seed: int) -> str:
    """Return the letter of the caption to mark (section 4.7): the correct one, a random
    incorrect one, or "".
    """
    if mark != "incorrect":
        return question.answer if mark == "correct" else ""
    wrong = [letter for letter in question.letters if letter != question.answer]
    return question.generator("mark", seed).choice(wrong)


def examples(
    questions: Sequence[ChoiceQuestion],
    count: int,
    seed: int,
    similarities: NDArray[np.float64] | None = None,
) -> list[list[ChoiceQuestion]]:
    """Return `count` other questions for each that share no caption and no figure with it, drawn by
    the seed.

    With `similarities`, shape (questions, questions), the most similar ones, the nearest last.
    Raises DataError: the file has too few such questions.
    """
    content = [question.content() for question in questions]
    picked = []
    for index, question in enumerate(questions):
        if similarities is None:
            order = list(range(len(questions)))
            question.generator("shots", seed).shuffle(order)
        else:
            order = (-similarities[index]).argsort(kind="stable").tolist()

        # The question itself shares all with itself.
        unlike = (other for other in order if not content[other] & content[index])
        shots = [questions[other] for other in islice(unlike, count)]
        if len(shots) < count:
            raise DataError(
                f"Expected {count} examples unlike question {question.id} of {question.file},"
                f" found {len(shots)}. Use fewer shots."
            )
        # The nearest stands last, next to the question.
        picked.append(shots if similarities is None else shots[::-1])
    return picked


def similarities_of(questions: Sequence[ChoiceQuestion]) -> NDArray[np.float64]:
    """Return cosines of TF-IDF vectors of the true captions, shape (questions, questions)."""
    require("shots", "Choosing the most similar examples (shot_kind=similar)")
    import numpy as np
    from sklearn.feature_extraction.text import TfidfVectorizer

    captions = [question.caption for question in questions]
    vectors = TfidfVectorizer(sublinear_tf=True, token_pattern=r"\S+").fit_transform(captions)
    return np.asarray((vectors @ vectors.T).toarray(), dtype=np.float64)
