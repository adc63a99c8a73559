"""Examples for few-shot prompts (SciFIBench section 4.4, Figure 6): random ones, or the most similar ones.

The paper takes its examples from a noisy set that is not published; ours are other questions of the same file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from spiqa_tasks.benchmarks.scifibench.questions import ChoiceQuestion
from spiqa_tasks.errors import DataError
from spiqa_tasks.extras import require

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Similarities = NDArray[np.float64]


def random_shots(questions: Sequence[ChoiceQuestion], count: int, seed: int) -> list[list[ChoiceQuestion]]:
    """For each question `count` others, drawn by the seed and the question's identity."""

    def order(index: int) -> list[int]:
        places = list(range(len(questions)))
        questions[index].generator("shots", seed).shuffle(places)
        return places

    return _pick(questions, count, order)


def similar_shots(
    questions: Sequence[ChoiceQuestion], count: int, similarities: Similarities
) -> list[list[ChoiceQuestion]]:
    """For each question the `count` most similar others, the most similar one last, next to the question.

    Args:
        similarities: shape (questions, questions), higher is more similar.
    """
    import numpy as np

    picked = _pick(questions, count, lambda index: np.argsort(-similarities[index], kind="stable").tolist())
    return [examples[::-1] for examples in picked]


def caption_similarities(questions: Sequence[ChoiceQuestion]) -> Similarities:
    """Cosines of the true captions' TF-IDF vectors, shape (questions, questions)."""
    require("shots", "Choosing the most similar examples (shot_kind=similar)")
    import numpy as np
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectors = TfidfVectorizer(sublinear_tf=True, token_pattern=r"\S+").fit_transform([q.caption for q in questions])
    return np.asarray((vectors @ vectors.T).toarray(), dtype=np.float64)


def pair_similarities(questions: Sequence[ChoiceQuestion], checkpoint: str) -> Similarities:
    """Cosines of the true pairs' joint embeddings: image and caption, normalised and joined (section 3.2, step 2)."""
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
