"""What all baselines do with the host's requests, and those of the MMStar paper (section 5.1)."""

import json
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from spiqa_tasks.benchmarks.mmstar.release import read_options
from spiqa_tasks.benchmarks.registry import load_rows
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


def real_rows(real_data: Path) -> list[dict[str, Any]]:
    """The released questions that are here, as our rows have them."""
    lines = (real_data / "mmstar" / "llava_next_34b_sample.jsonl").read_text().splitlines()
    rows = [json.loads(line) for line in lines]
    return [
        {
            **row,
            "benchmark": "mmstar",
            "id": str(row["index"]),
            "letters": list(read_options(row["question"])),
        }
        for row in rows
    ]


def test_random_choice_is_uniform_over_a_questions_own_options(real_data: Path) -> None:
    """Over 200 seeds the accuracy on real questions is the mean of one over the number of
    options, near 25%.
    """
    from spiqa_tasks.models.baselines import RandomChoice

    rows = real_rows(real_data)
    expected = sum(1 / len(row["letters"]) for row in rows) / len(rows)
    hits = 0
    for seed in range(200):
        model = RandomChoice(seed=seed)
        answers = [model.answer(row, rows, "t") for row in rows]
        assert all(answer in row["letters"] for answer, row in zip(answers, rows, strict=True))
        hits += sum(answer == row["answer"] for answer, row in zip(answers, rows, strict=True))
    assert hits / (200 * len(rows)) == pytest.approx(expected, abs=0.01)
    assert expected == pytest.approx(0.25, abs=0.02)


def test_frequent_choice_is_the_best_constant_letter_of_a_capability(real_data: Path) -> None:
    """In every core capability its accuracy is the share of the most frequent letter, and no
    constant is better.
    """
    from spiqa_tasks.models.baselines import FrequentChoice

    rows = real_rows(real_data)
    model = FrequentChoice()
    for category in {row["category"] for row in rows}:
        members = [row for row in rows if row["category"] == category]
        answers = {model.answer(row, rows, "t") for row in members}
        assert len(answers) == 1
        most = Counter(row["answer"] for row in members).most_common(1)[0][1]
        assert sum(row["answer"] in answers for row in members) == most


def test_baselines_refuse_free_form_tasks() -> None:
    """A document of ours without letters is no multiple-choice question."""
    from spiqa_tasks.models.baselines import RandomChoice

    with pytest.raises(InputError, match="multiple-choice"):
        RandomChoice().answer({"id": "1", "benchmark": "spiqa"}, [], "t")


@pytest.mark.parametrize("name", ["RandomChoice", "FrequentChoice"])
def test_a_task_of_the_host_is_refused(name: str) -> None:
    """Its options are nowhere but in its prompt."""
    from spiqa_tasks.models import baselines

    doc = {"question": "Red or blue?\nA. red\nB. blue", "answer": "A"}
    with pytest.raises(InputError, match="answer tasks of this package only"):
        getattr(baselines, name)().answer(doc, [doc], "mmmu/val")


def test_seed_and_question_alone_decide_a_random_choice() -> None:
    """Whatever other questions there are."""
    from spiqa_tasks.models.baselines import RandomChoice

    rows = load_rows("mmstar", "demo", "ablation=text")
    letters = [RandomChoice().answer(row, rows, "t") for row in rows]
    assert [RandomChoice().answer(row, rows[:1], "u") for row in reversed(rows)] == letters[::-1]
    assert [RandomChoice(seed=1).answer(row, rows, "t") for row in rows] != letters


def test_a_question_of_spiqa_is_refused_by_name() -> None:
    """A guess needs options; the sentence says which benchmark of a suite has none."""
    from spiqa_tasks.models.baselines import RandomChoice

    with pytest.raises(InputError, match="found one of spiqa, whose questions are open"):
        RandomChoice().answer({"benchmark": "spiqa", "id": "1"}, [], "spiqa/test")
