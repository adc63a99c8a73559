"""SciFIBench's side experiments: random negatives, orders of the options, marked captions, examples (few-shot).

A draw depends on the seed, the release file's name and the question's ID alone, so it is the same in every process,
with any `--limit` and whatever the order of evaluation. The paper takes its examples from a noisy set that is not
published; ours are other questions of the same file (section 4.4, Figure 6).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from spiqa_tasks.benchmarks.scifibench.questions import ChoiceQuestion, plain
from spiqa_tasks.errors import DataError
from spiqa_tasks.extras import require


def with_random_negatives(questions: Sequence[ChoiceQuestion], seed: int) -> list[ChoiceQuestion]:
    """Return the questions with false options replaced by true ones of other questions (section 4.3, Table 2).

    The answer keeps its letter. No two options are equal, and no false one is true as well: captions that also occur
    with the true figure are excluded, and figures that also occur with the true caption.

    Raises:
        DataError: the file has too few different pairs.
    """
    captions: dict[str, set[str]] = {}
    digests: dict[str, set[str]] = {}
    for question in questions:
        captions.setdefault(question.figure.digest, set()).add(plain(question.caption))
        digests.setdefault(plain(question.caption), set()).add(question.figure.digest)
    return [
        _randomised(question, questions, captions[question.figure.digest], digests[plain(question.caption)], seed)
        for question in questions
    ]


def shuffled(question: ChoiceQuestion, seed: int) -> ChoiceQuestion:
    """Return the question with its options reordered by the seed (section 4.2); 0 keeps the released order."""
    if seed == 0:
        return question
    order = list(range(len(question.letters)))
    question.generator("shuffle", seed).shuffle(order)
    return replace(
        question,
        options=tuple(question.options[index] for index in order),
        answer=question.letters[order.index(question.position)],
        figures=tuple(question.figures[index] for index in order) if question.to_figure else question.figures,
    )


def marked_letter(question: ChoiceQuestion, mark: str, seed: int) -> str:
    """Return the letter of the caption to mark (section 4.7): the correct one, a random incorrect one, or ""."""
    if mark == "none":
        return ""
    if mark == "correct":
        return question.answer
    wrong = [letter for letter in question.letters if letter != question.answer]
    return question.generator("mark", seed).choice(wrong)


def _randomised(
    question: ChoiceQuestion,
    questions: Sequence[ChoiceQuestion],
    true_captions: set[str],
    true_digests: set[str],
    seed: int,
) -> ChoiceQuestion:
    captions, digests = set(true_captions), set(true_digests)
    pool = list(questions)
    pairs: list[ChoiceQuestion] = []
    question.generator("negatives", seed).shuffle(pool)
    while pool and len(pairs) < len(question.letters) - 1:
        other = pool.pop()
        if plain(other.caption) not in captions and other.figure.digest not in digests:
            pairs.append(other)
            captions.add(plain(other.caption))
            digests.add(other.figure.digest)
    if len(pairs) < len(question.letters) - 1:
        raise DataError(
            f"Expected {question.file} to have {len(question.letters)} different figure-caption pairs to draw the "
            f"options of question {question.id} from, found {len(captions)}. Fetch the released file."
        )
    pairs.insert(question.position, question)
    if question.to_figure:
        return replace(question, figures=tuple(pair.figure for pair in pairs))
    return replace(question, options=tuple(pair.caption for pair in pairs))


if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Similarities = NDArray[np.float64]


def random_shots(questions: Sequence[ChoiceQuestion], count: int, seed: int) -> list[list[ChoiceQuestion]]:
    """Return `count` other questions for each, drawn by the seed and the question's identity."""

    def order(index: int) -> list[int]:
        places = list(range(len(questions)))
        questions[index].generator("shots", seed).shuffle(places)
        return places

    return _pick(questions, count, order)


def similar_shots(
    questions: Sequence[ChoiceQuestion], count: int, similarities: Similarities
) -> list[list[ChoiceQuestion]]:
    """Return the `count` most similar other questions for each, the most similar last, next to the question.

    Args:
        similarities: shape (questions, questions); higher is more similar.
    """
    import numpy as np

    picked = _pick(questions, count, lambda index: np.argsort(-similarities[index], kind="stable").tolist())
    return [examples[::-1] for examples in picked]


def caption_similarities(questions: Sequence[ChoiceQuestion]) -> Similarities:
    """Return cosines of the true captions' TF-IDF vectors, shape (questions, questions)."""
    require("shots", "Choosing the most similar examples (shot_kind=similar)")
    import numpy as np
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectors = TfidfVectorizer(sublinear_tf=True, token_pattern=r"\S+").fit_transform([q.caption for q in questions])
    return np.asarray((vectors @ vectors.T).toarray(), dtype=np.float64)


def pair_similarities(questions: Sequence[ChoiceQuestion], checkpoint: str) -> Similarities:
    """Return cosines of the true pairs' concatenated unit embeddings of image and caption (section 3.2, step 2)."""
    import numpy as np

    from spiqa_tasks.vision.clip_encoder import ClipEncoder

    encoder = ClipEncoder(checkpoint)
    texts = encoder.texts([question.caption for question in questions])
    images = encoder.images([question.figure.path for question in questions])
    joined = np.concatenate([texts, images], axis=1)
    similarities: Similarities = joined @ joined.T / 2
    return similarities


def _pick(
    questions: Sequence[ChoiceQuestion], count: int, order: Callable[[int], list[int]]
) -> list[list[ChoiceQuestion]]:
    content = [question.content() for question in questions]
    picked = []
    for index, question in enumerate(questions):
        others = (place for place in order(index) if place != index and not content[place] & content[index])
        examples = [questions[place] for place, _ in zip(others, range(count), strict=False)]
        if len(examples) < count:
            raise DataError(
                f"Expected {count} examples for question {question.id} of {question.file} that share no caption and "
                f"no figure with it, found {len(examples)}. Use fewer shots."
            )
        picked.append(examples)
    return picked
