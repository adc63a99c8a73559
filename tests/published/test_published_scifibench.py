"""The published SciFIBench tables agree with each other, but for a named list of cells."""

from collections import defaultdict
from statistics import mean, pstdev
from typing import Any

import pytest

from spiqa_tasks.published import load

TASKS = ("figure_to_caption", "caption_to_figure")
# Questions of a category in CS figure -> caption: the only counts that make every accuracy of Table
# 5 a share.
CATEGORIES = dict.fromkeys(
    ("cs.NI", "cs.CV", "cs.DC", "cs.SY", "cs.CR", "cs.CL", "cs.RO", "cs.LG", "cs.SE"), 25
) | {
    "cs.AI": 10,
    "other cs": 132,
    "cross-list": 133,
}


def pick(table: str, *keys: str, column: str = "value", **where: str) -> dict[Any, Any]:
    """Return key columns -> one column of a table, over rows with these values of the others."""
    rows = [
        row
        for row in load("scifibench", table)
        if all(row[name] == value for name, value in where.items())
    ]
    return {tuple(row[key] for key in keys): row[column] for row in rows}


def test_overall_is_the_mean_of_both_subsets_but_for_one_cell() -> None:
    """Overall is the mean of CS and General, save Gemini 1.5 Flash on caption -> figure (66.1,
    computed 66.0).
    """
    scores = pick("table2", "model", "group", "task", "subset", negatives="adversarial")
    wrong = {}
    for (model, group, task, subset), printed in scores.items():
        if subset == "Overall":
            parts = [scores[model, group, task, name] for name in ("CS", "General")]
            computed = None if None in parts else mean(parts)
            if (computed is None) != (printed is None) or (
                computed and abs(computed - printed) > 0.05 + 1e-6
            ):
                wrong[model, task] = (printed, computed)
    assert wrong == {("Gemini 1.5 Flash", "caption_to_figure"): (66.1, pytest.approx(66.0))}


def test_printed_differences_are_random_minus_adversarial_but_for_three_cells() -> None:
    """The printed differences follow from the two scores beside them, save one model's and both
    of the humans.
    """
    scores = pick("table2", "model", "group", "subset", "task", "negatives")
    wrong = {}
    for (*key, negatives), printed in scores.items():
        if negatives == "difference" and printed is not None:
            computed = scores[(*key, "random")] - scores[(*key, "adversarial")]
            if abs(computed - printed) > 1e-6:
                wrong[key[0], key[3]] = (printed, round(computed, 1))
    assert wrong == {
        ("Claude 3 Opus", "figure_to_caption"): (27.0, 28.4),
        ("Human", "figure_to_caption"): (10.7, 13.6),
        ("Human", "caption_to_figure"): (22.7, 21.6),
    }


def test_accuracies_are_shares_of_their_questions() -> None:
    """Scores are multiples of 0.2 on 500 questions and of 4 on 25, the mean of five humans
    apart.
    """
    step = {"CS": 0.2, "General": 0.2, "CS 25": 4.0}
    for (model, subset, *_), value in pick(
        "table2", "model", "subset", "task", "negatives", "group"
    ).items():
        if value is not None and subset in step and model != "Human":
            assert value / step[subset] == pytest.approx(round(value / step[subset]))


@pytest.mark.parametrize("task", TASKS)
def test_human_row_is_mean_and_population_deviation_of_the_five_humans(task: str) -> None:
    """The human row of Table 2 and the mean row of Table 4 follow from the five humans of Table
    4.
    """
    humans = list(pick("table4", "model", task=task, group="human").values())
    assert len(humans) == 5
    key = {"model": "Human", "task": task, "negatives": "adversarial"}
    assert list(pick("table2", **key).values()) == [pytest.approx(mean(humans))]
    assert list(pick("table2", column="sd", **key).values()) == [
        pytest.approx(pstdev(humans), abs=0.005)
    ]
    assert pick("table4", task=task, group="mean") == {(): pytest.approx(mean(humans))}


def test_every_accuracy_by_category_is_a_share_of_its_questions() -> None:
    """The category sizes make 500 questions, and each accuracy of Table 5 is hits over its
    category's size.
    """
    assert sum(CATEGORIES.values()) == 500
    for (model, category), value in pick("table5", "model", "category").items():
        if category != "all" and model != "Mean":
            hits = round(value * CATEGORIES[category] / 100)
            assert 100 * hits / CATEGORIES[category] == pytest.approx(value, abs=0.05)


def test_totals_by_category_are_all_hits_over_500() -> None:
    """Every total of Table 5 is the hits of its row over 500, exactly."""
    hits: dict[str, int] = defaultdict(int)
    for (model, category), value in pick("table5", "model", "category").items():
        if category != "all":
            hits[model] += round(value * CATEGORIES[category] / 100)
    for (model,), total in pick("table5", "model", category="all").items():
        if model != "Mean":
            assert 100 * hits[model] / 500 == pytest.approx(total)


def test_ranks_of_a_judge_add_up_to_those_of_ten_captions() -> None:
    """Ten captions have ranks 1 to 10, so the mean ranks of a judge add up to 55 within
    rounding.
    """
    sums: dict[str, float] = defaultdict(float)
    for (_, judge), rank in pick("table3", "model", "judge").items():
        sums[judge] += rank
    assert sums == pytest.approx(dict.fromkeys(sums, 55.0), abs=10 * 0.005)


def test_combined_rank_is_the_mean_of_the_three_judges() -> None:
    """The combined rank is the mean of the three mean ranks within rounding."""
    ranks = pick("table3", "model", "judge")
    for (model, judge), rank in ranks.items():
        if judge == "Combined":
            assert rank == pytest.approx(
                mean(
                    ranks[model, name] for name in ("Claude 3.5 Sonnet", "GPT-4o", "Gemini 1.5 Pro")
                ),
                abs=0.01,
            )
