"""The baselines of the MMStar paper (section 5.1): a random option, and the most frequent one of a dimension."""

import random
from abc import abstractmethod
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

from lmms_eval.api.instance import Instance
from lmms_eval.api.task import Task

from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.lmms_eval.registration import one_sentence
from spiqa_tasks.models.base import Baseline, Doc
from spiqa_tasks.scoring.options import options_in, question_before


class _Choice(Baseline):
    """Answers with a letter, or with the option's text if that is the target of a task of the host."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._of_host: dict[tuple[str, str], list[Doc]] = {}

    def documents(self, request: Instance) -> Sequence[Doc]:
        """Return the documents, those of the host's tasks as choices."""
        *_, name, split = request.args
        docs = super().documents(request)
        if "benchmark" in docs[0]:
            return docs
        if (name, split) not in self._of_host:
            task = task_of(request)
            self._of_host[name, split] = [
                host_choice(task, doc, f"{name}/{split}/{place}")
                for place, doc in enumerate(task.dataset_no_image[split])
            ]
        return self._of_host[name, split]

    def answer(self, doc: Doc, docs: Sequence[Doc], key: str) -> str:
        """Return the answer in the form of the task's target; '' for an open question of a task of the host."""
        if "letters" not in doc:
            raise InputError("Expected a multiple-choice task, found documents without letters.")
        letter = self.letter(doc, docs, key) if doc["letters"] else ""
        return str(doc.get("said", {}).get(letter, letter))

    @abstractmethod
    def letter(self, doc: Doc, docs: Sequence[Doc], key: str) -> str:
        """Return the letter of the picked option; see `answer`."""

    def generate_until(self, requests: list[Instance]) -> list[str]:
        """Return one answer per request, in order. Raises SystemExit: a task has no question with options."""
        answers = super().generate_until(requests)
        names = [request.args[-2] for request in requests]
        with one_sentence():
            for name in dict.fromkeys(names):
                if not any(answer for answer, of in zip(answers, names, strict=True) if of == name):
                    raise InputError(
                        f"Expected choices, found no options (A. ..., B. ...) in the prompts of {name}."
                    )
        return answers


class RandomChoice(_Choice):
    """Answers with a random option, seeded by `seed` and the question's id alone."""

    def __init__(self, seed: int = 0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._seed = seed

    def letter(self, doc: Doc, docs: Sequence[Doc], key: str) -> str:  # noqa: ARG002 - of the common interface
        """Return a random letter."""
        letters: list[str] = doc["letters"]
        return random.Random(f"{doc['id']}#{self._seed}").choice(letters)


class FrequentChoice(_Choice):
    """Answers with the most frequent answer letter of the question's category, the first in the alphabet of equals."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._counts: dict[str, defaultdict[str, Counter[str]]] = {}

    def letter(self, doc: Doc, docs: Sequence[Doc], key: str) -> str:
        """Return the category's letter."""
        if key not in self._counts:
            self._counts[key] = defaultdict(Counter)
            for other in docs:  # all of the split, whatever --limit is
                if other["letters"] and other["answer"]:
                    self._counts[key][other["category"]][other["answer"]] += 1
        counts = self._counts[key][doc["category"]]
        if not counts:
            raise InputError(
                f"Expected the true answers of {key}, found none told. Use --model random_choice."
            )
        return min(counts, key=lambda letter: (-counts[letter], letter))


def task_of(request: Instance) -> Task:
    """Return the host's task of a request: the object that a hook among its arguments is bound to."""
    owners = (getattr(argument, "__self__", None) for argument in request.args)
    task = next((owner for owner in owners if isinstance(owner, Task)), None)
    if task is None:
        raise InputError(
            f"Expected a task of lmms-eval behind {request.task_name}, found none. Use another model."
        )
    return task


def host_choice(task: Task, doc: Doc, name: str) -> dict[str, Any]:
    """Return a question of a task of the host: `id`, `question`, `letters`, `options`, `answer`, `category`, `said`.

    `said` is letter -> answer in the form of the task's target, the letter or the option's text. `letters` is [] for a
    prompt without options, `answer` '' without a target. Raises InputError: the target is none of the options.
    """
    prompt = str(task.doc_to_text(doc))
    options = options_in(prompt)
    target = task.doc_to_target(doc) if options else ""
    if isinstance(target, list | tuple) and len(target) == 1:
        (target,) = target
    told = "" if target is None else str(target).strip()
    letter = told.strip("(). :").upper()
    by_text = {text.strip().casefold(): option for option, text in reversed(options.items())}
    is_text = letter not in options and told.casefold() in by_text
    if is_text:
        letter = by_text[told.casefold()]
    elif options and told and letter not in options:
        known = ", ".join(options)
        raise InputError(
            f"Expected the true answer of {name} to be one of {known} or its text, found {told[:60]!r}."
        )
    said = options if is_text else {letter: letter for letter in options}
    category = str(doc.get("category") or "")
    texts = {"question": question_before(prompt), "options": list(options.values())}
    return {
        "id": name,
        **texts,
        "letters": list(options),
        "said": said,
        "answer": letter,
        "category": category,
    }
