"""Questions and true answers of any task of the host."""

from collections.abc import Mapping
from typing import Any

from lmms_eval.api.instance import Instance
from lmms_eval.api.task import Task

from spiqa_tasks.errors import InputError


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


def letter_of(target: str, options: Mapping[str, str]) -> str:
    """Return the letter of the option that a target names by letter or text, or ''."""
    letter = target.strip("(). :").upper()
    if letter in options:
        return letter
    for option, text in options.items():
        if text.strip().casefold() == target.casefold():
            return option
    return ""
