"""What the baselines share: the host's calling conventions, turned into one answer per document."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from lmms_eval.api.instance import Instance
from lmms_eval.api.model import lmms
from tqdm import tqdm

from spiqa_tasks.errors import InputError

Doc = Mapping[str, Any]


class Baseline(lmms):  # type: ignore[misc]
    """A model without weights: answers from the document alone."""

    def __init__(self, **kwargs: Any) -> None:
        """
        Raises:
            InputError: an argument the baseline does not know.
        """
        super().__init__()
        known = {"batch_size", "max_batch_size", "device"}
        unknown = sorted(set(kwargs) - known)
        if unknown:
            raise InputError(f"Expected model_args of {type(self).__name__} that it knows; found {', '.join(unknown)}.")
        self._rank = int(os.environ.get("RANK", 0))
        self._world_size = int(os.environ.get("WORLD_SIZE", 1))
        self.device = torch.device("cpu")

    @abstractmethod
    def answer(self, doc: Doc, docs: Sequence[Doc], key: str) -> str:
        """Return the answer to `doc`; `docs` are all documents of its task, `key` names the task and split."""

    def generate_until(self, requests: list[Instance]) -> list[str]:
        """Return one answer per request, in order."""
        answers = []
        for request in tqdm(requests, desc=type(self).__name__, disable=self._rank != 0):
            _, _, _, doc_id, task, split = request.args
            docs = self.task_dict[task][split]
            answers.append(self.answer(docs[doc_id], docs, f"{task}/{split}"))
        return answers

    def loglikelihood(self, requests: list[Instance]) -> list[tuple[float, bool]]:  # noqa: ARG002
        """Baselines have no likelihoods.

        Raises:
            InputError: always.
        """
        raise InputError(f"Expected a task that generates text; {type(self).__name__} has no likelihoods.")

    def generate_until_multi_round(self, requests: list[Instance]) -> list[str]:  # noqa: ARG002
        """Baselines answer in one round.

        Raises:
            InputError: always.
        """
        raise InputError(f"Expected a task of a single round; {type(self).__name__} answers at once.")
