"""What all baselines do with the host's requests."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from spiqa_tasks.errors import InputError
from spiqa_tasks.models.base import Baseline, Doc


class Echo(Baseline):
    """Answers with what it is given."""

    def answer(self, doc: Doc, docs: Sequence[Doc], key: str) -> str:
        """The document's text, how many there are, and the key."""
        return f"{doc['text']} of {len(docs)} in {key}"


def request(place: int, task: str, split: str) -> Any:
    """A request of the host to generate a text."""
    return SimpleNamespace(args=("context", {}, None, place, task, split))


def test_every_request_has_its_answer_in_order() -> None:
    """Whatever tasks and splits they are of; a baseline sees the document and all of its split."""
    model = Echo(batch_size=4, max_batch_size=8, device="cuda")
    model.task_dict = {
        "t": {"test": [{"text": "zero"}, {"text": "one"}], "val": [{"text": "other"}]},
        "u": {"test": [{"text": "last"}]},
    }
    requests = [request(1, "t", "test"), request(0, "u", "test"), request(0, "t", "val"), request(0, "t", "test")]
    assert model.generate_until(requests) == [
        *("one of 2 in t/test", "last of 1 in u/test", "other of 1 in t/val", "zero of 2 in t/test")
    ]
    assert model.generate_until([]) == []


def test_a_task_that_cannot_be_answered_ends_the_run_when_it_is_handed_over() -> None:
    """Before the host builds a single prompt, in one sentence."""

    class Picky(Echo):
        def check(self, doc: Doc) -> None:
            raise InputError(f"Expected another task, found {doc['text']}.")

    unread = {"benchmark": "mmstar"}
    Picky().task_dict["t"] = {"val": [unread]}
    with pytest.raises(SystemExit, match=r"^spiqa-tasks: Expected another task, found one\.$"):
        Picky().task_dict["t"] = {"val": [unread], "test": [{"text": "one"}]}


def test_arguments_that_it_does_not_know_are_refused() -> None:
    """All of them are named; what the host always passes is known."""
    with pytest.raises(InputError, match=r"model_args of Echo that it knows; found pretrained, seed\."):
        Echo(seed=1, pretrained="x", batch_size=1)


@pytest.mark.parametrize(
    ("method", "told"),
    [("loglikelihood", "generates text; Echo"), ("generate_until_multi_round", "single round; Echo")],
)
def test_other_kinds_of_requests_are_refused(method: str, told: str) -> None:
    """One sentence that says which task would do."""
    with pytest.raises(InputError, match=f"Expected a task .*{told}"):
        getattr(Echo(), method)([])
