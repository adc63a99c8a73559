"""Questions of a host's task as choices: options listed by letters in the prompt, and the true letter."""

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
    """Return the host's task of a request: the object that a hook among its arguments is bound to.

    Raises:
        InputError: no hook is bound to a task.
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

        Raises:
            InputError: options or true answer cannot be read from the prompt.
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
    value = next((doc[name] for name in ("options", "choices") if name in doc), None)
    if isinstance(value, str) and value.startswith("["):
        with contextlib.suppress(ValueError, SyntaxError):
            value = ast.literal_eval(value)
    return len(value) if isinstance(value, list) else 0
