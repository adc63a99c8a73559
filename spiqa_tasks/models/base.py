"""What the baselines share: the host's calling conventions, turned into one answer per document."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from lmms_eval.api.instance import Instance
from lmms_eval.api.model import lmms
from tqdm import tqdm

from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.lmms_eval.guard import one_sentence

Doc = Mapping[str, Any]


STUB = {"benchmark"}
"""The columns of a split whose documents the host has not asked for."""


class _Tasks(dict[str, Mapping[str, Sequence[Doc]]]):
    """The documents by task and split; a task that cannot be answered ends the run when the host hands it over."""

    def __init__(self, check: Callable[[Doc], None]) -> None:
        super().__init__()
        self._check = check

    def __setitem__(self, task: str, splits: Mapping[str, Sequence[Doc]]) -> None:
        with one_sentence():
            for docs in splits.values():
                if set(docs[0]) != STUB:
                    self._check(docs[0])
        super().__setitem__(task, splits)


class Baseline(lmms):  # type: ignore[misc]
    """A model without weights: answers from the document alone."""

    def __init__(self, **kwargs: Any) -> None:
        """Raise InputError for an argument that the baseline does not know."""
        super().__init__()
        self.task_dict = _Tasks(self.check)
        known = {"batch_size", "max_batch_size", "device"}
        unknown = sorted(set(kwargs) - known)
        if unknown:
            raise InputError(f"Expected model_args of {type(self).__name__} that it knows; found {', '.join(unknown)}.")
        self._rank = int(os.environ.get("RANK", 0))
        self._world_size = int(os.environ.get("WORLD_SIZE", 1))
        self.device = torch.device("cpu")

    def check(self, doc: Doc) -> None:
        """Raise InputError for a task that the baseline cannot answer."""

    @abstractmethod
    def answer(self, doc: Doc, docs: Sequence[Doc], key: str) -> str:
        """Return the answer to `doc`; `docs` are all documents of its task, `key` names the task and split."""

    def generate_until(self, requests: list[Instance]) -> list[str]:
        """Return one answer per request, in order."""
        answers = []
        with one_sentence():
            for request in tqdm(requests, desc=type(self).__name__, disable=self._rank != 0):
                *_, task, split = request.args
                answers.append(self.answer(self.document(request), self.documents(request), f"{task}/{split}"))
        return answers

    def documents(self, request: Instance) -> Sequence[Doc]:
        """Return all documents of a request's task and split."""
        *_, task, split = request.args
        docs: Sequence[Doc] = self.task_dict[task][split]
        return docs

    def document(self, request: Instance) -> Doc:
        """Return the document that a request asks."""
        found: Doc = self.documents(request)[request.args[-3]]
        return found

    def loglikelihood(self, requests: list[Instance]) -> list[tuple[float, bool]]:  # noqa: ARG002
        """Raise InputError: baselines have no likelihoods."""
        raise InputError(f"Expected a task that generates text; {type(self).__name__} has no likelihoods.")

    def generate_until_multi_round(self, requests: list[Instance]) -> list[str]:  # noqa: ARG002
        """Raise InputError: baselines answer in one round."""
        raise InputError(f"Expected a task of a single round; {type(self).__name__} answers at once.")
