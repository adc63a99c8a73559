"""The baselines of choices, which answer with a random or the most frequent letter, and the base
class of all baselines.
"""

import os
import random
from abc import abstractmethod
from collections import Counter
from collections.abc import Sequence
from typing import Any

import torch
from lmms_eval.api.instance import Instance
from lmms_eval.api.model import lmms

from spiqa_tasks.benchmarks.benchmark import Row
from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.lmms_eval.registration import exit_with_message


class Baseline(lmms):  # type: ignore[misc]
    """A model that answers from the document."""

    def __init__(
        self,
        batch_size: Any = 1,  # noqa: ARG002 - the host gives these to every model
        max_batch_size: Any = None,  # noqa: ARG002
        device: Any = None,  # noqa: ARG002
    ) -> None:
        super().__init__()
        self._rank = int(os.environ.get("RANK", 0))
        self._world_size = int(os.environ.get("WORLD_SIZE", 1))
        self.device = torch.device("cpu")

    @classmethod
    @exit_with_message()
    def create_from_arg_string(cls, *args: Any) -> Any:
        """Return the model of `--model_args`. Raises SystemExit: unusable ones."""
        try:
            return super().create_from_arg_string(*args)
        except TypeError as error:
            raise InputError(f"{error}. Correct --model_args.") from error

    @abstractmethod
    def answer(self, doc: Row, docs: Sequence[Row], key: str) -> str:
        """Return the answer to `doc` of `docs`, which are the split `key` (`task/split`).

        Raises InputError: a doc of another task.
        """

    def generate_until(self, requests: list[Instance]) -> list[str]:
        """Return one answer per request, in order."""
        answers = []
        with exit_with_message():
            for request in requests:
                *_, position, task, split = request.args
                docs = self.documents(request)
                answers.append(self.answer(docs[position], docs, f"{task}/{split}"))
        return answers

    def documents(self, request: Instance) -> Sequence[Row]:
        """Return all documents of a request's task and split."""
        *_, task, split = request.args
        docs: Sequence[Row] = self.task_dict[task][split]
        return docs

    def document(self, request: Instance) -> Row:
        """Return the document of a request."""
        doc: Row = self.documents(request)[request.args[-3]]
        return doc

    def loglikelihood(self, requests: list[Instance]) -> list[Any]:  # noqa: ARG002
        """Raise SystemExit: baselines have no likelihoods and answer in one round."""
        raise SystemExit(
            "spiqa-tasks: Expected a task that generates text in one round for "
            f"{type(self).__name__}."
        )

    generate_until_multi_round = loglikelihood


class _Choice(Baseline):
    """Answers with a letter (MMStar paper, section 5.1)."""

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
