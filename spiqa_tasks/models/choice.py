"""The baselines of the MMStar paper (section 5.1): a random option, and the most frequent one of a dimension."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

from spiqa_tasks.errors import InputError
from spiqa_tasks.models.base import Baseline, Doc


class _Choice(Baseline):
    """Answers with a letter."""

    def check(self, doc: Doc) -> None:
        """
        Raises:
            InputError: no multiple-choice task of ours.
        """
        if "letters" not in doc:
            raise InputError("Expected a multiple-choice task of this package, found documents without letters.")


class RandomChoice(_Choice):
    """Answers every question with one of its options; the draw depends on `seed` and the question's id alone."""

    def __init__(self, seed: int = 0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._seed = seed

    def answer(self, doc: Doc, docs: Sequence[Doc], key: str) -> str:  # noqa: ARG002 - of the common interface
        """Return a letter; nothing for an open question among choices."""
        letters: list[str] = doc["letters"]
        return random.Random(f"{doc['id']}#{self._seed}").choice(letters) if letters else ""


class FrequentChoice(_Choice):
    """Answers with the most frequent answer letter of the question's category, ties by the alphabet."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._letters: dict[str, dict[str, str]] = {}

    def answer(self, doc: Doc, docs: Sequence[Doc], key: str) -> str:
        """Return a letter; nothing for an open question among choices."""
        if not doc["letters"]:
            return ""
        if key not in self._letters:
            self._letters[key] = _most_frequent(docs)
        return self._letters[key][doc["category"]]


def _most_frequent(docs: Sequence[Doc]) -> dict[str, str]:
    """Category -> letter, over all of a task's documents, whatever `--limit` says."""
    counts: dict[str, Counter[str]] = {}
    for doc in (doc for doc in docs if doc["letters"]):
        counts.setdefault(doc["category"], Counter())[doc["answer"]] += 1
    return {
        category: min(counter, key=lambda letter: (-counter[letter], letter)) for category, counter in counts.items()
    }
