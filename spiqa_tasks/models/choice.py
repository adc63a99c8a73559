"""The baselines of the MMStar paper (section 5.1): a random option, a dimension's most frequent."""

import random
from abc import abstractmethod
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

from lmms_eval.api.instance import Instance
from lmms_eval.api.task import Task

from spiqa_tasks.benchmarks.benchmark import Row
from spiqa_tasks.errors import InputError
from spiqa_tasks.models.base import Baseline, letter_of, target_of, task_of
from spiqa_tasks.scoring.options import options_in


class _Choice(Baseline):
    """Answers with a letter, or with the option's text if that is the target of a host's task."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._host_choices: dict[str, list[Row]] = {}

    def documents(self, request: Instance) -> Sequence[Row]:
        """Return the documents, those of the host's tasks as choices.

        Raises InputError: none of them has options.
        """
        *_, name, split = request.args
        docs = super().documents(request)
        if "benchmark" in docs[0]:
            return docs

        key = f"{name}/{split}"
        if key not in self._host_choices:
            task = task_of(request)
            choices: list[Row] = [
                _as_choice(task, doc, f"{key}/{place}")
                for place, doc in enumerate(task.dataset_no_image[split])
            ]
            if not any(choice["letters"] for choice in choices):
                raise InputError(
                    f"Expected choices, found no options (A. ..., B. ...) in the prompts of {name}."
                )
            self._host_choices[key] = choices
        return self._host_choices[key]

    def answer(self, doc: Row, docs: Sequence[Row], key: str) -> str:
        """Return the answer in the form of the target; '' for an open question of the host."""
        if "letters" not in doc:
            raise InputError(
                f"Expected multiple-choice tasks alone, found one of {doc['benchmark']}, whose"
                " questions are open. Run it by itself, such as with caption_retrieval."
            )
        if not doc["letters"]:
            return ""
        letter = self.letter(doc, docs, key)
        return str(doc.get("answers", {}).get(letter, letter))

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
        letters: list[str] = doc["letters"]
        return random.Random(f"{doc['id']}#{self._seed}").choice(letters)


class FrequentChoice(_Choice):
    """Answers with the most frequent letter of the question's category; of equals the first."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._counts: dict[str, dict[str, Counter[str]]] = {}

    def letter(self, doc: Row, docs: Sequence[Row], key: str) -> str:
        """Return the category's letter."""
        if key not in self._counts:
            counts: dict[str, Counter[str]] = defaultdict(Counter)
            for other in docs:  # of the whole split, whatever --limit is
                if other["letters"] and other["answer"]:
                    counts[other["category"]][other["answer"]] += 1
            self._counts[key] = counts

        of_category = self._counts[key].get(doc["category"])
        if not of_category:
            raise InputError(
                f"Expected the true answers of {key}, found none. Use --model random_choice."
            )
        return min(of_category, key=lambda letter: (-of_category[letter], letter))


def _as_choice(task: Task, doc: Row, name: str) -> dict[str, Any]:
    """Return a question of a task of the host as a doc of ours.

    `letters` is [] for a prompt without options, `answer` '' if the target is no option; `answers`
    has letter -> answer in the form of the target.
    """
    options = options_in(str(task.doc_to_text(doc)))
    target = target_of(task, doc)
    letter = letter_of(target, options)
    is_text = letter != "" and options[letter].strip().casefold() == target.casefold()
    return {
        "id": name,
        "letters": list(options),
        "answers": options if is_text else {},
        "answer": letter,
        "category": str(doc.get("category") or ""),
    }
