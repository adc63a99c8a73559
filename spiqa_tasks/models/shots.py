"""Solved questions as shots for text-only models: the 2-shot strategy of the MMStar paper (section 5.1)."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from lmms_eval.api.instance import Instance
from lmms_eval.api.task import Task

from spiqa_tasks.errors import InputError
from spiqa_tasks.models.ablation_hooks import with_last_turn, without_placeholders
from spiqa_tasks.models.choice import task_of
from spiqa_tasks.scoring.options import options_in

ANSWER = "Answer:"
"""End of a question, so that a base model without chat tuning continues with its answer."""
Solved = tuple[str, str]
"""A question of a task as text, and its true answer."""


@dataclass
class Shots:
    """`count` shots from a split of each task, drawn by `seed`; the same for every question but those among them."""

    count: int
    split: str
    seed: int
    _drawn: dict[str, list[Solved]] = field(default_factory=dict)

    def text(self, request: Instance) -> str:
        """Return the text before a request's question. Raises InputError: no such split, or too few answers in it."""
        *_, place, name, asked_split = request.args
        task = task_of(request)
        if name not in self._drawn:
            self._drawn[name] = self._draw(task, name)
        asked = _question(task, task.dataset_no_image[asked_split][place])
        others = [(question, answer) for question, answer in self._drawn[name] if question != asked]
        if len(others) < self.count:
            of = f"{name} with an answer in the split {self.split}"
            raise InputError(
                f"Expected {self.count} other questions of {of}, found {len(others)}. Use fewer shots."
            )
        return "".join(
            f"{ended(question)} {answer}\n\n" for question, answer in others[: self.count]
        )

    def own_answer(self, response: str, request: Instance) -> str:
        """Return the response without the questions that a base model continues with.

        That is its first paragraph, if another `Answer:` follows or if it is as short as the shown answers.
        """
        first, _, rest = response.strip().partition("\n\n")
        longest = max(len(answer) for _, answer in self._drawn[request.args[-2]])
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
        drawn: dict[str, str] = {}
        for place in order:
            question, answer = _solved(task, docs[place])
            if answer:
                drawn.setdefault(question, answer)
            if len(drawn) > self.count:
                break
        return list(drawn.items())


def true_answer(request: Instance) -> str:
    """Return the true answer to a request's question, the letter of an option if it is one; '' without one."""
    *_, place, _, split = request.args
    task = task_of(request)
    return _solved(task, task.dataset_no_image[split][place])[1]


def ended(question: str) -> str:
    """Return a question that ends with `ANSWER`."""
    return question if question.rstrip().endswith(ANSWER) else f"{question.rstrip()}\n{ANSWER}"


def with_shots(hook: Callable[..., Any], before: str) -> Callable[..., Any]:
    """Wrap a chat model's `doc_to_messages`: a text before the last user turn, and `ANSWER` after it."""

    def shown(texts: list[str]) -> list[str]:
        texts[-1] = ended(texts[-1])
        return [before + texts[0], *texts[1:]]

    return with_last_turn(hook, shown)


def _question(task: Task, doc: Any) -> str:
    text = task.doc_to_text(doc)
    return without_placeholders(text).strip() if isinstance(text, str) else ""


def _solved(task: Task, doc: Any) -> Solved:
    """Return a question with its answer, '' without one that can be shown."""
    question, target = _question(task, doc), task.doc_to_target(doc)
    if isinstance(target, list | tuple):
        target = target[0] if target else None
    if isinstance(target, int) and task.config.doc_to_choice is not None:
        target = task.doc_to_choice(doc)[target]
    answer = "" if target is None or isinstance(target, bool | dict) else str(target).strip()
    texts = {text.strip(): letter for letter, text in options_in(question).items()}
    answer = texts.get(answer, answer)
    return question, answer if question and any(sign.isalnum() for sign in answer) else ""
