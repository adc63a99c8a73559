"""What the paper's side experiments change in SciFIBench's questions; every draw is seeded by the question's identity.

A draw depends on the seed, the release file's name and the question's ID alone, so it is the same in every process,
with any `--limit` and whatever the order of evaluation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from spiqa_tasks.benchmarks.scifibench.questions import ChoiceQuestion, plain
from spiqa_tasks.errors import DataError


def with_random_negatives(questions: Sequence[ChoiceQuestion], seed: int) -> list[ChoiceQuestion]:
    """The questions with the false options replaced by the true ones of other questions (section 4.3, Table 2).

    The answer keeps its letter. No two options are alike, and none of the false ones is true as well: pairs with a
    caption that some pair has together with the true figure are left out, and figures likewise.

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
    """The question with its options in another order (section 4.2); 0 keeps the order of the release."""
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
    """The letter of the caption to mark (section 4.7): `correct`, a random `incorrect` one, or "" for `none`."""
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
