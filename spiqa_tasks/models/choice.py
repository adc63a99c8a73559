"""The baselines of the MMStar paper (section 5.1): a random option, and the most frequent one of a dimension."""

import random
from abc import abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from lmms_eval.api.instance import Instance
from lmms_eval.api.task import Task

from spiqa_tasks.benchmarks.choice import options_in, question_before
from spiqa_tasks.errors import InputError
from spiqa_tasks.files.json_text import as_value
from spiqa_tasks.hosts.lmms_eval.registration import ending_the_run
from spiqa_tasks.models.base import Baseline, Doc
from spiqa_tasks.printable import say


class _Choice(Baseline):
    """Answers with a letter, or with the option's text if that is the target of a task of the host."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._of_host: dict[tuple[str, str], HostChoices] = {}

    def check(self, doc: Doc) -> None:
        """Raise InputError for a task of ours without choices; those of the host are checked by their prompts."""
        if "benchmark" in doc and "letters" not in doc:
            raise InputError("Expected a multiple-choice task, found documents without letters.")

    def documents(self, request: Instance) -> Sequence[Doc]:
        """Return the documents, those of the host's tasks as choices."""
        *_, name, split = request.args
        if (name, split) not in self._of_host:
            docs = super().documents(request)
            if "letters" in docs[0]:
                return docs
            self._of_host[name, split] = HostChoices(task_of(request), name, split)
        return self._of_host[name, split]

    def answer(self, doc: Doc, docs: Sequence[Doc], key: str) -> str:
        """Return the answer in the form of the task's target; '' for an open question."""
        letter = self.letter(doc, docs, key) if doc["letters"] else ""
        return str(doc.get("said", {}).get(letter, letter))

    @abstractmethod
    def letter(self, doc: Doc, docs: Sequence[Doc], key: str) -> str:
        """Return the letter of the picked option; see `answer`."""

    def generate_until(self, requests: list[Instance]) -> list[str]:
        """Return one answer per request, in order, and report the number of questions without options.

        Raises SystemExit: a task has no question with options.
        """
        answers = super().generate_until(requests)
        counts: dict[tuple[str, str], Counter[bool]] = {key: Counter() for key in self._of_host}
        for request, answer in zip(requests, answers, strict=True):
            *_, name, split = request.args
            if (name, split) in counts:
                counts[name, split][bool(answer)] += 1
        with ending_the_run():
            for (name, _), found in counts.items():
                if not found[True]:
                    raise InputError(
                        "Expected a multiple-choice task, found no options listed by letters (A. ..., B. ...) in the "
                        f"prompts of {name}."
                    )
                if found[False]:
                    say(f"{name}: {found[False]} of {found.total()} questions have no options: no answer.")
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
        self._letters: dict[str, dict[str, str]] = {}

    def letter(self, doc: Doc, docs: Sequence[Doc], key: str) -> str:
        """Return the category's letter."""
        if key not in self._letters:
            self._letters[key] = _most_frequent(docs)
        letter = self._letters[key].get(doc["category"])
        if letter is None:
            raise InputError(f"Expected the true answers of {key}, found none told. Use --model random_choice.")
        return letter


def _most_frequent(docs: Sequence[Doc]) -> dict[str, str]:
    """Return category -> letter over all documents of a task, whatever `--limit` is."""
    counts: dict[str, Counter[str]] = {}
    for doc in (doc for doc in docs if doc["letters"] and doc["answer"]):
        counts.setdefault(doc["category"], Counter())[doc["answer"]] += 1
    return {
        category: min(counter, key=lambda letter: (-counter[letter], letter)) for category, counter in counts.items()
    }


def task_of(request: Instance) -> Task:
    """Return the host's task of a request: the object that a hook among its arguments is bound to.

    Raises InputError: no hook is bound to a task.
    """
    owners = (getattr(argument, "__self__", None) for argument in request.args)
    task = next((owner for owner in owners if isinstance(owner, Task)), None)
    if task is None:
        raise InputError(f"Expected a task of lmms-eval behind {request.task_name}, found none. Use another model.")
    return task


class HostChoices(Sequence[Doc]):
    """A split's questions with `id`, `question`, `letters`, `options`, `answer`, `category` and `said`.

    `said` is letter -> answer in the form of the task's target, the letter or the option's text. `letters` is [] for a
    prompt without options, `answer` '' without a target.
    """

    def __init__(self, task: Task, name: str, split: str) -> None:
        self._task = task
        self._docs = task.dataset_no_image[split]
        self._name = f"{name}/{split}"

    def __len__(self) -> int:
        return len(self._docs)

    def __getitem__(self, place: Any) -> Any:
        """Return the question at an index.

        Raises InputError: options or true answer cannot be read from the prompt.
        """
        doc = self._docs[place]
        name = f"{self._name}/{place}"
        prompt = str(self._task.doc_to_text(doc))
        options = options_in(prompt)
        count = _count(doc)
        if count not in (0, len(options)):
            raise InputError(
                f"Expected the prompt of {name} to list its {count} options by letters (A. ..., B. ...), found "
                f"{len(options)}. Its choices cannot be told."
            )
        target = _text(self._task.doc_to_target(doc)) if options else ""
        letter, is_text = _true_letter(target, options, name)
        said = options if is_text else {letter: letter for letter in options}
        category = str(doc.get("category") or "")
        texts = {"question": question_before(prompt), "options": list(options.values())}
        return {"id": name, **texts, "letters": list(options), "said": said, "answer": letter, "category": category}


def _true_letter(target: str, options: Mapping[str, str], name: str) -> tuple[str, bool]:
    """Return the letter of the true answer, and whether the target is the option's text."""
    letter = target.strip("(). :").upper()
    if not options or not target or letter in options:
        return letter, False
    for option, text in options.items():
        if text.strip().casefold() == target.strip().casefold():
            return option, True
    raise InputError(
        f"Expected the true answer of {name} to be one of {', '.join(options)}, or the text of one; found "
        f"{target[:60]!r}. Its choices cannot be told."
    )


def _text(target: Any) -> str:
    if isinstance(target, list | tuple):
        return _text(target[0]) if len(target) == 1 else str(list(target))
    return "" if target is None else str(target)


def _count(doc: Doc) -> int:
    """Return the number of options in a document's column, a list or its `repr`; 0 without such a column."""
    value = as_value(next((doc[name] for name in ("options", "choices") if name in doc), None))
    return len(value) if isinstance(value, list) else 0
