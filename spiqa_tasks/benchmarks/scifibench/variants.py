"""SciFIBench's side experiments: random negatives, orders of the options, marked captions, examples
(few-shot).

A draw depends on the seed, the release file's name and the question's ID alone, so it is the same
in every process, with any `--limit` and whatever the order of evaluation. The paper takes its
examples from a noisy set that is not published; ours are other questions of the same file (section
4.4, Figure 6).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from spiqa_tasks.benchmarks.scifibench.questions import ChoiceQuestion, plain
from spiqa_tasks.errors import DataError
from spiqa_tasks.extras import require

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def with_random_negatives(questions: Sequence[ChoiceQuestion], seed: int) -> list[ChoiceQuestion]:
    """Return the questions with false options replaced by true ones of other questions (section
    4.3, Table 2).

    The answer keeps its letter. No two options are equal, and no false one is true as well:
    captions that also occur with the true figure are excluded, and figures that also occur with the
    true caption.

    Raises DataError: the file has too few different pairs.
    """
    captions: defaultdict[str, set[str]] = defaultdict(set)
    digests: defaultdict[str, set[str]] = defaultdict(set)
    for question in questions:
        captions[question.figure.digest].add(plain(question.caption))
        digests[plain(question.caption)].add(question.figure.digest)
    randomised = []
    for question in questions:
        taken = captions[question.figure.digest] | digests[plain(question.caption)]
        pool = list(questions)
        question.generator("negatives", seed).shuffle(pool)
        pairs: list[ChoiceQuestion] = []
        while pool and len(pairs) < len(question.letters) - 1:
            pair = pool.pop()
            if not taken & {plain(pair.caption), pair.figure.digest}:
                pairs.append(pair)
                taken |= {plain(pair.caption), pair.figure.digest}
        if len(pairs) < len(question.letters) - 1:
            of = f"question {question.id} of {question.file}"
            raise DataError(
                f"Expected more pairs for the false options of {of}, found {len(pairs)}. Fetch it"
                " again."
            )
        pairs.insert(question.position, question)
        if question.to_figure:
            randomised.append(replace(question, figures=tuple(pair.figure for pair in pairs)))
        else:
            randomised.append(replace(question, options=tuple(pair.caption for pair in pairs)))
    return randomised


def shuffled(question: ChoiceQuestion, seed: int) -> ChoiceQuestion:
    """Return the question with its options reordered by the seed (section 4.2).

    0 keeps the released order.
    """
    if seed == 0:
        return question
    order = list(range(len(question.letters)))
    question.generator("shuffle", seed).shuffle(order)
    return replace(
        question,
        options=tuple(question.options[index] for index in order),
        answer=question.letters[order.index(question.position)],
        figures=(
            tuple(question.figures[index] for index in order)
            if question.to_figure
            else question.figures
        ),
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
        others = (
            place for place in order if place != index and not content[place] & content[index]
        )
        shots = [questions[place] for place in islice(others, count)]
        if len(shots) < count:
            of = f"{question.id} of {question.file}"
            raise DataError(
                f"Expected {count} examples unlike question {of}, found {len(shots)}. Use fewer"
                " shots."
            )
        picked.append(shots if similarities is None else shots[::-1])
    return picked


def similarities_of(
    questions: Sequence[ChoiceQuestion], checkpoint: str = ""
) -> NDArray[np.float64]:
    """Return cosines between the questions' true pairs, shape (questions, questions).

    Of TF-IDF vectors of the captions, or of a CLIP checkpoint's concatenated unit embeddings of
    image and caption (section 3.2, step 2).
    """
    import numpy as np

    captions = [question.caption for question in questions]
    if not checkpoint:
        require("shots", "Choosing the most similar examples (shot_kind=similar)")
        from sklearn.feature_extraction.text import TfidfVectorizer

        vectors = TfidfVectorizer(sublinear_tf=True, token_pattern=r"\S+").fit_transform(captions)
        return np.asarray((vectors @ vectors.T).toarray(), dtype=np.float64)
    from spiqa_tasks.vision import ClipEncoder

    encoder = ClipEncoder(checkpoint)
    images = encoder.images([question.figure.path for question in questions])
    joined = np.concatenate([encoder.texts(captions), images], axis=1)
    return np.asarray(joined @ joined.T / 2, dtype=np.float64)
