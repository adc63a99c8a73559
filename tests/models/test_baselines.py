"""The baselines of the MMStar paper (section 5.1)."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from spiqa_tasks.benchmarks.mmstar.release import read_options
from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.errors import InputError


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
