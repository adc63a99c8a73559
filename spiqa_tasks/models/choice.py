"""The baselines of the MMStar paper (section 5.1): a random option, a dimension's most frequent."""

import random
from abc import abstractmethod
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

from lmms_eval.api.instance import Instance
from lmms_eval.api.task import Task

from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.lmms_eval.registration import exit_with_message
from spiqa_tasks.models.base import Baseline, Doc
from spiqa_tasks.models.host_docs import letter_of, target_of, task_of
from spiqa_tasks.scoring.options import options_in, question_before


class _Choice(Baseline):
    """Answers with a letter, or with the option's text if that is the target of a host's task."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._host_choices: dict[tuple[str, str], list[Doc]] = {}

    def documents(self, request: Instance) -> Sequence[Doc]:
        """Return the documents, those of the host's tasks as choices."""
        *_, name, split = request.args
        docs = super().documents(request)
        if "benchmark" in docs[0]:
            return docs
        if (name, split) not in self._host_choices:
            self._host_choices[name, split] = _host_choices(task_of(request), name, split)
        return self._host_choices[name, split]

    def answer(self, doc: Doc, docs: Sequence[Doc], key: str) -> str:
        """Return the answer in the form of the target; '' for an open question of the host."""
        if "letters" not in doc:
            raise InputError("Expected a multiple-choice task, found documents without letters.")
        if not doc["letters"]:
            return ""
        letter = self.letter(doc, docs, key)
        return str(doc.get("answers", {}).get(letter, letter))

    @abstractmethod
    def letter(self, doc: Doc, docs: Sequence[Doc], key: str) -> str:
        """Return the letter of the picked option; see `answer`."""

    def generate_until(self, requests: list[Instance]) -> list[str]:
        """Return one answer per request, in order.

        Raises SystemExit: a task has no question with options.
        """
        answers = super().generate_until(requests)
        tasks = [request.args[-2] for request in requests]
        answered = {task for task, answer in zip(tasks, answers, strict=True) if answer}
        with exit_with_message():
            for task in tasks:
                if task not in answered:
                    raise InputError(
                        "Expected choices, found no options (A. ..., B. ...) in the prompts of "
                        f"{task}."
                    )
        return answers


class RandomChoice(_Choice):
    """Answers with a random option, seeded by `seed` and the question's id alone."""

    def __init__(self, seed: int = 0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._seed = seed

    def letter(self, doc: Doc, docs: Sequence[Doc], key: str) -> str:  # noqa: ARG002 - as above
        """Return a random letter."""
        letters: list[str] = doc["letters"]
        return random.Random(f"{doc['id']}#{self._seed}").choice(letters)


class FrequentChoice(_Choice):
    """Answers with the most frequent letter of the question's category; of equals the first."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._counts: dict[str, defaultdict[str, Counter[str]]] = {}

    def letter(self, doc: Doc, docs: Sequence[Doc], key: str) -> str:
        """Return the category's letter."""
        if key not in self._counts:
            self._counts[key] = _answer_counts(docs)  # of the whole split, whatever --limit is
        counts = self._counts[key][doc["category"]]
        if not counts:
            raise InputError(
                f"Expected the true answers of {key}, found none. Use --model random_choice."
            )
        return min(counts, key=lambda letter: (-counts[letter], letter))


def _answer_counts(docs: Sequence[Doc]) -> defaultdict[str, Counter[str]]:
    """Return category -> true letter -> number of questions."""
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for doc in docs:
        if doc["letters"] and doc["answer"]:
            counts[doc["category"]][doc["answer"]] += 1
    return counts


def _host_choices(task: Task, name: str, split: str) -> list[Doc]:
    docs = task.dataset_no_image[split]
    return [host_choice(task, doc, f"{name}/{split}/{place}") for place, doc in enumerate(docs)]


def host_choice(task: Task, doc: Doc, name: str) -> dict[str, Any]:
    """Return a question of a task of the host as a doc of ours.

    `letters` is [] for a prompt without options, `answer` '' without a target; `answers` has
    letter -> answer in the form of the target. Raises InputError: the target is no option.
    """
    prompt = str(task.doc_to_text(doc))
    options = options_in(prompt)
    target = target_of(task, doc) if options else ""
    letter = letter_of(target, options)
    if target and not letter:
        known = ", ".join(options)
        raise InputError(
            f"Expected the true answer of {name} to be one of {known} or its text, "
            f"found {target[:60]!r}."
        )

    is_text = letter != "" and options[letter].strip().casefold() == target.casefold()
    return {
        "id": name,
        "question": question_before(prompt),
        "options": list(options.values()),
        "letters": list(options),
        "answers": options if is_text else {},
        "answer": letter,
        "category": str(doc.get("category") or ""),
    }
