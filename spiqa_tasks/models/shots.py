"""Solved questions as shots for text-only models: the 2-shot strategy of the MMStar paper (5.1)."""

import random
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from lmms_eval.api.instance import Instance
from lmms_eval.api.task import Task

from spiqa_tasks.errors import InputError
from spiqa_tasks.models.ablation import Messages, with_last_turn, without_placeholders
from spiqa_tasks.scoring.options import answer_label, options_in

# End of a question, so that a base model without chat tuning continues with its answer.
ANSWER = "Answer:"
# What a short answer may have around a letter.
_SIGNS = "()."
# A question of a task as text, and its true answer.
Solved = tuple[str, str]


@dataclass
class Shots:
    """`count` shots from a split of each task, drawn by `seed`.

    They are the same for every question, except that a question is never its own shot.
    """

    count: int
    split: str
    seed: int
    _drawn: dict[str, list[Solved]] = field(default_factory=dict)

    def text(self, request: Instance) -> str:
        """Return the text before a request's question.

        Raises InputError: no such split, or too few answers in it.
        """
        *_, position, name, asked_split = request.args
        task = task_of(request)
        if name not in self._drawn:
            self._drawn[name] = self._draw(task, name)

        asked = _question(task, task.dataset_no_image[asked_split][position])
        others = [solved for solved in self._drawn[name] if solved[0] != asked]
        if len(others) < self.count:
            raise InputError(
                f"Expected {self.count} other questions of {name} with an answer in the split "
                f"{self.split}, found {len(others)}. Use fewer shots."
            )
        return "".join(
            f"{ended(question)} {answer}\n\n" for question, answer in others[: self.count]
        )

    def mapped_back(self, response: str, request: Instance) -> str:
        """Return a response without the questions that a base model continues with.

        That is its first paragraph, if another `Answer:` follows or if it is as short as the
        answers of the shots.
        """
        first, _, rest = response.strip().partition("\n\n")
        *_, name, _ = request.args
        longest = max(len(answer) for _, answer in self._drawn[name])
        is_short = len(first) <= longest + len(_SIGNS)
        return first if is_short or f"\n{ANSWER}" in rest else response

    def _draw(self, task: Task, name: str) -> list[Solved]:
        """Return `count` + 1 distinct solved questions in seeded order: one may be the asked."""
        splits = dict(task.dataset_no_image)
        if self.split not in splits:
            raise InputError(
                f"Expected shots_split to be a split of {name}, one of {', '.join(splits)}; "
                f"found {self.split!r}."
            )
        docs = splits[self.split]
        order = list(range(len(docs)))
        random.Random(f"{self.seed}/{name}/{self.split}").shuffle(order)

        drawn: dict[str, str] = {}
        for position in order:
            question, answer = solved(task, docs[position])
            # a split without answers may have "?" or "-1" there
            if question and any(sign.isalnum() for sign in answer):
                drawn.setdefault(question, answer)
            if len(drawn) > self.count:
                break
        return list(drawn.items())


def solved(task: Task, doc: Any) -> Solved:
    """Return a question and its true answer, the letter of an option if it is one."""
    question = _question(task, doc)
    target = target_of(task, doc)
    with suppress(ValueError):
        return question, answer_label(target, options_in(question))
    return question, target


def true_answer(request: Instance) -> str:
    """Return the true answer to a request's question; '' without one."""
    *_, position, _, split = request.args
    task = task_of(request)
    return solved(task, task.dataset_no_image[split][position])[1]


def task_of(request: Instance) -> Task:
    """Return the host's task of a request: a hook among its arguments is bound to it."""
    for argument in request.args:
        owner = getattr(argument, "__self__", None)
        if isinstance(owner, Task):
            return owner
    raise InputError(
        f"Expected a task of lmms-eval behind {request.task_name}, found none. Use another model."
    )


def target_of(task: Task, doc: Any) -> str:
    """Return a doc's true answer, or '' without one that is a text or number."""
    target = task.doc_to_target(doc)
    if isinstance(target, list | tuple):
        target = target[0] if target else None
    if target is None or isinstance(target, bool | dict):
        return ""
    if isinstance(target, int) and task.config.doc_to_choice is not None:
        target = task.doc_to_choice(doc)[target]
    return str(target).strip()


def ended(question: str) -> str:
    """Return a question that ends with `ANSWER`."""
    if question.rstrip().endswith(ANSWER):
        return question
    return f"{question.rstrip()}\n{ANSWER}"


def with_shots(messages: Messages, before: str) -> Messages:
    """Return messages with shots before the last user turn, and `ANSWER` after it."""

    def shown(texts: list[str]) -> list[str]:
        texts[-1] = ended(texts[-1])
        return [before + texts[0], *texts[1:]]

    return with_last_turn(messages, shown)


def _question(task: Task, doc: Any) -> str:
    """Return the text that a task asks of a doc, without marks for pictures; '' if it is none."""
    text = task.doc_to_text(doc)
    return without_placeholders(text).strip() if isinstance(text, str) else ""
