"""The questions of a host's task as choices: the options that its prompt lists by letters, and the true one."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Mapping, Sequence
from typing import Any

from lmms_eval.api.instance import Instance
from lmms_eval.api.task import Task

from spiqa_tasks.benchmarks.choice import options_in, question_before
from spiqa_tasks.errors import InputError
from spiqa_tasks.models.base import Doc


def task_of(request: Instance) -> Task:
    """Return the task of the host that a request is of, to which one of its hooks belongs.

    Raises:
        InputError: none does.
    """
    owners = (getattr(argument, "__self__", None) for argument in request.args)
    task = next((owner for owner in owners if isinstance(owner, Task)), None)
    if task is None:
        raise InputError(f"Expected a task of lmms-eval behind {request.task_name}, found none. Use another model.")
    return task


class HostChoices(Sequence[Doc]):
    """A split's questions, with `id`, `question`, `letters`, `options`, `answer`, `category`, and what is `said`.

    `said` is letter -> what the task has for it, the letter or the option's text.

    `letters` is empty for a question whose prompt lists no options, `answer` where the true one is not told.
    """

    def __init__(self, task: Task, name: str, split: str) -> None:
        self._task = task
        self._docs = task.dataset_no_image[split]
        self._name = f"{name}/{split}"

    def __len__(self) -> int:
        return len(self._docs)

    def __getitem__(self, place: Any) -> Any:
        """Return the question at a place; there are no slices.

        Raises:
            InputError: a question whose options, or whose true one, cannot be told from its prompt.
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
        letter, is_text = _true_one(target, options, name)
        said = options if is_text else {each: each for each in options}
        category = str(doc.get("category") or "")
        texts = {"question": question_before(prompt), "options": list(options.values())}
        return {"id": name, **texts, "letters": list(options), "said": said, "answer": letter, "category": category}


def _true_one(target: str, options: Mapping[str, str], name: str) -> tuple[str, bool]:
    """The letter of the true answer, and whether the task has its text in the place of the letter."""
    letter = target.strip("(). :").upper()
    if not options or not target or letter in options:
        return letter, False
    for each, text in options.items():
        if text.strip().casefold() == target.strip().casefold():
            return each, True
    raise InputError(
        f"Expected the true answer of {name} to be one of {', '.join(options)}, or the text of one; found "
        f"{target[:60]!r}. Its choices cannot be told."
    )


def _text(target: Any) -> str:
    if isinstance(target, list | tuple):
        return _text(target[0]) if len(target) == 1 else str(list(target))
    return "" if target is None else str(target)


def _count(doc: Doc) -> int:
    """How many options a document has in a column of its own, as a list or as Python prints one; 0 for none."""
    value = next((doc[name] for name in ("options", "choices") if name in doc), None)
    if isinstance(value, str) and value.startswith("["):
        with contextlib.suppress(ValueError, SyntaxError):
            value = ast.literal_eval(value)
    return len(value) if isinstance(value, list) else 0
