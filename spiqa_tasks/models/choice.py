"""The baselines of the MMStar paper (section 5.1): a random option, a dimension's most frequent."""

import random
from abc import abstractmethod
from collections import Counter
from collections.abc import Sequence
from typing import Any

from spiqa_tasks.benchmarks.benchmark import Row
from spiqa_tasks.errors import InputError
from spiqa_tasks.models.base import Baseline


class _Choice(Baseline):
    """Answers with a letter."""

    def answer(self, doc: Row, docs: Sequence[Row], key: str) -> str:
        """Return the letter. Raises InputError: a task of the host, or one without options."""
        if "benchmark" not in doc:
            raise InputError(
                "random_choice and frequent_choice answer tasks of this package only. Use another"
                " model."
            )
        if "letters" not in doc:
            raise InputError(
                f"Expected multiple-choice tasks alone, found one of {doc['benchmark']}, whose"
                " questions are open. Run it by itself, such as with caption_retrieval."
            )
        return self.letter(doc, docs, key)

    @abstractmethod
    def letter(self, doc: Row, docs: Sequence[Row], key: str) -> str:
        """Return the letter of the picked option; see `answer`."""


class RandomChoice(_Choice):
    """Answers with a random option, seeded by `seed` and the question's id alone."""

    def __init__(self, seed: int = 0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._seed = seed

    def letter(self, doc: Row, docs: Sequence[Row], key: str) -> str:  # noqa: ARG002 - as above
        """Return a random letter."""
        return str(random.Random(f"{doc['id']}#{self._seed}").choice(doc["letters"]))


class FrequentChoice(_Choice):
    """Answers with the most frequent letter of the question's category; of equals the first."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        # (split, category) -> how often each letter is right
        self._counts: dict[tuple[str, str], Counter[str]] = {}

    def letter(self, doc: Row, docs: Sequence[Row], key: str) -> str:
        """Return the letter that is right most often in the category; of equals the first."""
        category = doc["category"]
        if (key, category) not in self._counts:
            # of the whole split, whatever --limit is
            same = [other["answer"] for other in docs if other["category"] == category]
            self._counts[key, category] = Counter(same)

        counts = self._counts[key, category]
        return min(counts, key=lambda letter: (-counts[letter], letter))
