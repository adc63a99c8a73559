"""What all baselines do with the host's requests."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from spiqa_tasks.errors import InputError


def request(place: int, task: str, split: str) -> Any:
    """A request of the host to generate a text."""
    return SimpleNamespace(args=("context", {}, None, place, task, split))


def test_every_request_has_its_answer_in_order() -> None:
    """Whatever tasks and splits they are of; a baseline sees the document and all of its split."""
    from echo import Echo

    model = Echo(batch_size=4, max_batch_size=8, device="cuda")
    model.task_dict = {
        "t": {"test": [{"text": "zero"}, {"text": "one"}], "val": [{"text": "other"}]},
        "u": {"test": [{"text": "last"}]},
    }
    requests = [
        request(1, "t", "test"),
        request(0, "u", "test"),
        request(0, "t", "val"),
        request(0, "t", "test"),
    ]
    assert model.generate_until(requests) == [
        *("one of 2 in t/test", "last of 1 in u/test", "other of 1 in t/val", "zero of 2 in t/test")
    ]
    assert model.generate_until([]) == []


def test_a_task_that_cannot_be_answered_ends_the_run() -> None:
    """In one sentence."""
    from echo import Echo

    class Picky(Echo):
        def answer(self, doc: dict[str, Any], *_: object) -> str:
            raise InputError(f"Expected another task, found {doc['text']}.")

    model = Picky()
    model.task_dict = {"t": {"test": [{"text": "one"}]}}
    with pytest.raises(SystemExit, match=r"^spiqa-tasks: Expected another task, found one\.$"):
        model.generate_until([request(0, "t", "test")])


def test_arguments_that_it_does_not_know_are_refused() -> None:
    """What the host always passes is known."""
    from echo import Echo

    with pytest.raises(TypeError, match="pretrained"):
        Echo(pretrained="x", batch_size=1)  # type: ignore[call-arg]


@pytest.mark.parametrize("method", ["loglikelihood", "generate_until_multi_round"])
def test_other_kinds_of_requests_are_refused(method: str) -> None:
    """One sentence that says which task would do."""
    from echo import Echo

    with pytest.raises(SystemExit, match="generates text in one round for Echo"):
        getattr(Echo(), method)([])


@pytest.mark.parametrize(
    ("name", "arguments", "fault"),
    [
        ("FrequentChoice", "colour=red", r"unexpected keyword argument 'colour'\."),
        ("ClipChoice", "", r"argument: 'pretrained'\."),
    ],
)
def test_wrong_model_args_are_refused_in_one_sentence(
    name: str, arguments: str, fault: str
) -> None:
    """The host would end with a traceback and status 0."""
    from spiqa_tasks.models import baselines, similarity

    model = getattr(similarity, name, None) or getattr(baselines, name)
    with pytest.raises(SystemExit, match=rf"^spiqa-tasks: .*{fault} Correct --model_args\.$"):
        model.create_from_arg_string(arguments, {"batch_size": 1})


def test_a_checkpoint_that_is_none_is_refused_in_one_sentence(tmp_path: Path) -> None:
    """Before any question is asked."""
    from spiqa_tasks.models.similarity import ClipChoice

    with pytest.raises(SystemExit, match=r"^spiqa-tasks: Expected '.*' to be a CLIP or SigLIP"):
        ClipChoice.create_from_arg_string(f"pretrained={tmp_path}", None)
