"""The baselines of the MMStar paper (section 5.1)."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from choice_task import lettered, write_task

from spiqa_tasks.benchmarks.mmstar.release import read_options
from spiqa_tasks.errors import InputError


def real_rows(real_data: Path) -> list[dict[str, Any]]:
    """The released questions that are here, as our rows have them."""
    lines = (real_data / "mmstar" / "llava_next_34b_sample.jsonl").read_text().splitlines()
    rows = [json.loads(line) for line in lines]
    return [
        {**row, "id": str(row["index"]), "letters": list(read_options(row["question"]))}
        for row in rows
    ]


def test_random_choice_is_uniform_over_a_questions_own_options(real_data: Path) -> None:
    """Over 200 seeds the accuracy on real questions is the mean of one over the number of
    options, near 25%.
    """
    from spiqa_tasks.models.choice import RandomChoice

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
    from spiqa_tasks.models.choice import FrequentChoice

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
    from spiqa_tasks.models.choice import RandomChoice

    with pytest.raises(InputError, match="multiple-choice"):
        RandomChoice().answer({"id": "1", "benchmark": "spiqa"}, [], "t")


Run = Callable[..., list[tuple[dict[str, Any], str]]]


@pytest.fixture
def answer(evaluate: Callable[..., dict[str, Any]], tmp_path: Path) -> Run:
    """Runs a baseline on rows: (model, rows, model_args, **options) -> the rows with their
    answers.
    """
    from numbers_task import manager

    def run(
        model: str, rows: list[dict[str, Any]], args: str = "", **options: Any
    ) -> list[tuple[dict[str, Any], str]]:
        folder = write_task(tmp_path / f"task{len(list(tmp_path.iterdir()))}", rows)
        results = evaluate(model, ["host_choice"], args, task_manager=manager(folder), **options)
        samples = sorted(results["samples"]["host_choice"], key=lambda sample: sample["doc_id"])
        return [(rows[sample["doc_id"]], sample["filtered_resps"][0]) for sample in samples]

    return run


def test_random_choice_draws_each_questions_own_options(answer: Run) -> None:
    """Over 300 questions each letter of four or two comes up about as often; seed and question
    alone decide.
    """
    rows = [lettered(n, "A", 4 if n % 2 else 2) for n in range(300)]
    found = answer("random_choice", rows)
    four, two = (
        Counter(said for row, said in found if len(row["options"]) == count) for count in (4, 2)
    )
    assert set(four) == set("ABCD")
    assert set(two) == set("AB")
    assert all(abs(count - 37.5) < 20 for count in four.values())
    assert all(abs(count - 75) < 25 for count in two.values())
    assert answer("random_choice", rows, limit=10) == found[:10]
    assert answer("random_choice", rows, "seed=1") != found


def test_frequent_choice_is_the_most_frequent_letter_of_a_category_whatever_the_limit(
    answer: Run,
) -> None:
    """Of categories by the column of that name; of the whole split where there is none."""
    letters = "ABBBCCDBBA"
    rows = [lettered(n, letter, category="x" if n < 6 else "y") for n, letter in enumerate(letters)]
    said = [letter for _, letter in answer("frequent_choice", rows)]
    assert said == ["B"] * 10
    rows = [lettered(n, letter, category="xy"[n // 5]) for n, letter in enumerate("AAABBCCDDD")]
    assert [letter for _, letter in answer("frequent_choice", rows)] == ["A"] * 5 + ["D"] * 5
    rows = [lettered(n, letter) for n, letter in enumerate("AADDD")]
    assert [letter for _, letter in answer("frequent_choice", rows, limit=2)] == ["D", "D"]


def test_options_by_their_texts_are_answered_so(answer: Run) -> None:
    """Where the true answer is an option's text, the host compares texts."""
    rows = [lettered(n, f"thing {n}2") for n in range(6)]
    assert [said for _, said in answer("frequent_choice", rows)] == [
        f"thing {n}2" for n in range(6)
    ]
    assert all(said in row["options"] for row, said in answer("random_choice", rows))


def test_open_questions_among_choices_have_no_answer(answer: Run) -> None:
    """They count as the task counts an empty answer."""
    rows = [
        lettered(0, "A"),
        {"question": "How many?", "answer": "4", "options": []},
        lettered(2, "B"),
    ]
    assert [bool(said) for _, said in answer("random_choice", rows)] == [True, False, True]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (
            {"question": "How many?", "answer": "4", "options": []},
            "Expected choices, found no options",
        ),
        (
            {"question": "Red or blue?", "answer": "red", "options": ["red", "blue"]},
            "Expected choices, found no options",
        ),
    ],
    ids=["open", "without letters"],
)
def test_options_that_cannot_be_told_are_refused(
    answer: Run, row: dict[str, Any], message: str
) -> None:
    """In one sentence, rather than a number near zero."""
    for model in ("random_choice", "frequent_choice"):
        with pytest.raises(SystemExit, match=message):
            answer(model, [row])


def test_the_most_frequent_letter_needs_true_answers(answer: Run) -> None:
    """A split whose answers are not told has random choices only."""
    rows = [lettered(n, "") for n in range(3)]
    with pytest.raises(SystemExit, match="Use --model random_choice"):
        answer("frequent_choice", rows)
    assert all(said in set("ABCD") for _, said in answer("random_choice", rows))


def test_a_question_of_spiqa_is_refused_by_name() -> None:
    """A guess needs options; the sentence says which benchmark of a suite has none."""
    from spiqa_tasks.models.choice import RandomChoice

    with pytest.raises(InputError, match="found one of spiqa, whose questions are open"):
        RandomChoice().answer({"benchmark": "spiqa", "id": "1"}, [], "spiqa/test")
