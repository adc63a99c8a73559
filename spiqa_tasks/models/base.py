"""Base class of the baselines: the host's requests become calls with one document."""

import os
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from lmms_eval.api.instance import Instance
from lmms_eval.api.model import lmms
from tqdm import tqdm

from spiqa_tasks.hosts.lmms_eval.registration import exit_with_message

Doc = Mapping[str, Any]


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
    def answer(self, doc: Doc, docs: Sequence[Doc], key: str) -> str:
        """Return the answer to `doc` of `docs`, which are the split `key` (`task/split`).

        Raises InputError: a doc of another task.
        """

    def generate_until(self, requests: list[Instance]) -> list[str]:
        """Return one answer per request, in order."""
        answers = []
        with exit_with_message():
            for request in tqdm(requests, desc=type(self).__name__, disable=self._rank != 0):
                *_, task, split = request.args
                answers.append(
                    self.answer(self.document(request), self.documents(request), f"{task}/{split}")
                )
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

    def loglikelihood(self, requests: list[Instance]) -> list[Any]:  # noqa: ARG002
        """Raise SystemExit: baselines have no likelihoods and answer in one round."""
        raise SystemExit(
            "spiqa-tasks: Expected a task that generates text in one round for "
            f"{type(self).__name__}."
        )

    generate_until_multi_round = loglikelihood
