"""Solved questions as shots for text-only models: the 2-shot strategy of the MMStar paper (section 5.1)."""

import functools
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from lmms_eval.api.instance import GenerationResult, Instance
from lmms_eval.api.task import Task

from spiqa_tasks.benchmarks.choice import options_in
from spiqa_tasks.errors import InputError
from spiqa_tasks.models.ablation_hooks import without_placeholders
from spiqa_tasks.models.choice import task_of

ANSWER = "Answer:"
"""End of a question, so that a base model without chat tuning continues with its answer."""
EXAMPLE = "shots=2,shots_split=validation"


@dataclass(frozen=True)
class Solved:
    """A question of a task as text, and its true answer."""

    place: int
    question: str
    answer: str


@dataclass
class Shots:
    """Shots of tasks, the same for every question except one that is among them.

    Attributes:
        count: number of shots.
        split: split of the host's data set that they are drawn from.
        seed: seed of the draw, together with the names of task and split.
    """

    count: int
    split: str
    seed: int
    _drawn: dict[str, list[Solved]] = field(default_factory=dict)

    def text(self, request: Instance) -> str:
        """Return the text before a request's question.

        Raises InputError: the task has no such split, or too few questions in it with an answer that can be shown.
        """
        *_, place, name, asked_split = request.args
        task = task_of(request)
        if name not in self._drawn:
            self._drawn[name] = self._draw(task, name)
        asked = _question(task, task.dataset_no_image[asked_split][place])
        others = [
            solved
            for solved in self._drawn[name]
            if solved.question != asked and (solved.place, self.split) != (place, asked_split)
        ]
        if len(others) < self.count:
            raise InputError(
                f"Expected {self.count} other questions of {name} with an answer that can be shown in the split "
                f"{self.split}, found {len(others)}. Name another shots_split, or fewer shots."
            )
        return "".join(f"{ended(solved.question)} {solved.answer}\n\n" for solved in others[: self.count])

    def own_answer(self, response: Any, request: Instance) -> Any:
        """Return the response without the questions that a base model continues with.

        That is its first paragraph, if another `Answer:` follows or if it is as short as the shown answers.
        """
        if isinstance(response, GenerationResult):
            return replace(response, text=self.own_answer(response.text, request))
        if not isinstance(response, str):
            return response
        first, _, rest = response.strip().partition("\n\n")
        longest = max(len(solved.answer) for solved in self._drawn[request.args[-2]])
        return first if f"\n{ANSWER}" in rest or len(first) <= longest + len("().") else response

    def _draw(self, task: Task, name: str) -> list[Solved]:
        """Return `count` + 1 distinct solved questions in seeded order: one may be the question asked."""
        splits = dict(task.dataset_no_image)
        if self.split not in splits:
            raise InputError(
                f"Expected shots_split to be a split of {name}, one of {', '.join(splits)}; found {self.split!r}."
            )
        docs = splits[self.split]
        order = list(range(len(docs)))
        random.Random(f"{self.seed}/{name}/{self.split}").shuffle(order)
        drawn: dict[str, Solved] = {}
        for place in order:
            solved = _solved(task, docs[place], place, f"{name}/{self.split}/{place}")
            if solved is not None:
                drawn.setdefault(solved.question, solved)
            if len(drawn) > self.count:
                break
        return list(drawn.values())


def true_answer(request: Instance) -> str:
    """Return the true answer to a request's question, the letter of an option if it is one; '' without one."""
    *_, place, name, split = request.args
    task = task_of(request)
    solved = _solved(task, task.dataset_no_image[split][place], place, f"{name}/{split}/{place}")
    return "" if solved is None else solved.answer


def ended(question: str) -> str:
    """Return a question that ends with `ANSWER`."""
    return question if question.rstrip().endswith(ANSWER) else f"{question.rstrip()}\n{ANSWER}"


def with_shots(hook: Callable[..., Any], before: str) -> Callable[..., Any]:
    """Wrap a chat model's `doc_to_messages`: a text before the last user turn, and `ANSWER` after it."""

    @functools.wraps(hook)
    def shown(*args: Any, **kwargs: Any) -> list[dict[str, Any]]:
        messages = [dict(message) for message in hook(*args, **kwargs)]
        last = max((place for place, each in enumerate(messages) if each["role"] == "user"), default=None)
        if last is None:
            raise InputError("Expected a turn of the user, found none. Shots stand before it.")
        messages[last]["content"] = _between(messages[last]["content"], before)
        return messages

    return shown


def _between(content: str | Sequence[Mapping[str, Any]], before: str) -> Any:
    """Return a turn's content with `before` at its first text, and `ANSWER` at its last."""
    if isinstance(content, str):
        return before + ended(content)
    parts = [dict(part) for part in content]
    texts = [part for part in parts if part["type"] == "text"]
    if texts:
        texts[-1]["text"] = ended(texts[-1]["text"])
        texts[0]["text"] = before + texts[0]["text"]
    return parts


def _question(task: Task, doc: Any) -> str:
    text = task.doc_to_text(doc)
    return without_placeholders(text).strip() if isinstance(text, str) else ""


def _solved(task: Task, doc: Any, place: int, name: str) -> Solved | None:
    """Return a question with its answer, or None without an answer that can be shown.

    Raises InputError: the task's hooks fail on the document, as it is of another split than theirs.
    """
    try:
        question, target = _question(task, doc), task.doc_to_target(doc)
    except Exception as error:  # hooks raise anything for a document of another split
        raise InputError(
            f"Expected {name} to be a question that the task can ask, found {type(error).__name__} {error}. Name "
            "another shots_split."
        ) from error
    if isinstance(target, list | tuple):
        target = target[0] if target else None
    if isinstance(target, int) and task.config.doc_to_choice is not None:
        target = task.doc_to_choice(doc)[target]
    answer = "" if target is None or isinstance(target, bool | dict) else str(target).strip()
    texts = {text.strip(): letter for letter, text in options_in(question).items()}
    answer = texts.get(answer, answer)
    return Solved(place, question, answer) if question and any(sign.isalnum() for sign in answer) else None
