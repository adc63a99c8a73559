"""The baselines of the MMStar paper (section 5.1)."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from spiqa_tasks.benchmarks.mmstar.release import read_options
from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.errors import InputError
from spiqa_tasks.models.choice import FrequentChoice, RandomChoice


def real_rows(real_data: Path) -> list[dict[str, Any]]:
    """The released questions that are here, as our rows have them."""
    lines = (real_data / "mmstar" / "llava_next_34b_sample.jsonl").read_text().splitlines()
    rows = [json.loads(line) for line in lines]
    return [{**row, "id": str(row["index"]), "letters": list(read_options(row["question"]))} for row in rows]


def test_random_choice_is_uniform_over_a_questions_own_options(real_data: Path) -> None:
    """Over 200 seeds the accuracy on real questions is the mean of one over the number of options, near 25%."""
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


def test_random_choice_depends_on_seed_and_question_alone() -> None:
    """The order and number of questions change nothing, the seed does."""
    rows = load_rows("mmstar", "demo", "ablation=text")
    answers = [RandomChoice().answer(row, rows, "t") for row in rows]
    assert [RandomChoice().answer(row, [], "u") for row in reversed(rows)] == answers[::-1]
    assert [RandomChoice(seed=1).answer(row, rows, "t") for row in rows] != answers


def test_frequent_choice_is_the_best_constant_letter_of_a_capability(real_data: Path) -> None:
    """In every core capability its accuracy is the share of the most frequent letter, and no constant is better."""
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
    with pytest.raises(InputError, match="multiple-choice"):
        RandomChoice().check({"id": "1", "benchmark": "spiqa"})
