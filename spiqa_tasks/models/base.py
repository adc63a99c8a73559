"""Base class of the baselines, and the questions and true answers of any task of the host."""

import os
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import torch
from lmms_eval.api.instance import Instance
from lmms_eval.api.model import lmms
from lmms_eval.api.task import Task
from tqdm import tqdm

from spiqa_tasks.benchmarks.benchmark import Row
from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.lmms_eval.registration import exit_with_message
from spiqa_tasks.scoring.options import answer_label


class Baseline(lmms):  # type: ignore[misc]
    """A model that answers from the document."""

    def __init__(
        self,
        batch_size: Any = 1,  # noqa: ARG002 - the host gives these to every model
        max_batch_size: Any = None,  # noqa: ARG002
        device: Any = None,  # noqa: ARG002
    ) -> None:
        super().__init__()
        self._rank = int(os.environ.get("RANK", 0))
        self._world_size = int(os.environ.get("WORLD_SIZE", 1))
        self.device = torch.device("cpu")

    @abstractmethod
    def answer(self, doc: Row, docs: Sequence[Row], key: str) -> str:
        """Return the answer to `doc` of `docs`, which are the split `key` (`task/split`).

        Raises InputError: a doc of another task.
        """

    def generate_until(self, requests: list[Instance]) -> list[str]:
        """Return one answer per request, in order."""
        answers = []
        with exit_with_message():
            for request in tqdm(requests, desc=type(self).__name__, disable=self._rank != 0):
                *_, position, task, split = request.args
                docs = self.documents(request)
                answers.append(self.answer(docs[position], docs, f"{task}/{split}"))
        return answers

    def documents(self, request: Instance) -> Sequence[Row]:
        """Return all documents of a request's task and split."""
        *_, task, split = request.args
        docs: Sequence[Row] = self.task_dict[task][split]
        return docs

    def document(self, request: Instance) -> Row:
        """Return the document of a request."""
        doc: Row = self.documents(request)[request.args[-3]]
        return doc

    def loglikelihood(self, requests: list[Instance]) -> list[Any]:  # noqa: ARG002
        """Raise SystemExit: baselines have no likelihoods and answer in one round."""
        raise SystemExit(
            "spiqa-tasks: Expected a task that generates text in one round for "
            f"{type(self).__name__}."
        )

    generate_until_multi_round = loglikelihood


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
    with suppress(ValueError):
        return answer_label(target, options)
    return ""
