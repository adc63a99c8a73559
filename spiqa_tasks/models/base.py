"""Base class of the baselines: the host's requests become calls with one document."""

import os
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from lmms_eval.api.instance import Instance
from lmms_eval.api.model import lmms
from tqdm import tqdm

from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.lmms_eval.registration import one_sentence

Doc = Mapping[str, Any]


STUB = {"benchmark"}
"""Columns of a split that the host does not evaluate: our hook replaces the rows of the evaluated one only."""


class _Tasks(dict[str, Mapping[str, Sequence[Doc]]]):
    """Documents by task and split; refuses a task that cannot be answered when the host adds it."""

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
    """A model that answers from the document."""

    def __init__(self, **kwargs: Any) -> None:
        """Raise InputError for an unknown argument."""
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
        """Return the answer to `doc`; `docs` are all documents of the split, `key` is `task/split`."""

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
        """Return the document of a request."""
        doc: Doc = self.documents(request)[request.args[-3]]
        return doc

    def loglikelihood(self, requests: list[Instance]) -> list[tuple[float, bool]]:  # noqa: ARG002
        """Raise InputError: baselines have no likelihoods."""
        raise InputError(f"Expected a task that generates text; {type(self).__name__} has no likelihoods.")

    def generate_until_multi_round(self, requests: list[Instance]) -> list[str]:  # noqa: ARG002
        """Raise InputError: baselines answer in one round."""
        raise InputError(f"Expected a task of a single round; {type(self).__name__} answers at once.")
