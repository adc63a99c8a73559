"""The published MMStar tables agree with each other, but for a named list of cells."""

from collections import defaultdict
from statistics import mean
from typing import Any

import pytest

from spiqa_tasks.published import load

HALF = 0.05 + 1e-6  # a mean printed to one decimal is off by half a unit at most
BENCHMARKS = ("MMMU", "MMB", "ScienceQA", "AI2D", "SEED", "MathVista")

# (model, params, metric) -> (printed in the table, computed): gain and leakage that disagree with
# the tables they
# follow from. Those on the six older benchmarks (Table 6 against Table 7) all agree.
DISAGREE_WITH_TABLE_5 = {("Monkey-Chat", "10B", "ml"): (11.1, 17.6)}
DISAGREE_WITH_TABLE_7: dict[tuple[str, ...], tuple[float, float]] = {}


def pick(table: str, *keys: str, **where: str) -> dict[Any, Any]:
    """Return key columns -> value of a table, over rows with these values of the other columns."""
    rows = [
        row
        for row in load("mmstar", table)
        if all(row[name] == value for name, value in where.items())
    ]
    return {tuple(row[key] for key in keys): row["value"] for row in rows}


@pytest.mark.parametrize(
    ("table", "column", "wrong"),
    [
        ("table1", "benchmark", {}),
        ("table2", "benchmark", {}),
        ("table3", "benchmark", {}),
        ("table4", "category", {}),
        ("table5", "category", {}),
        ("table7", "benchmark", {("LLaVA-Next", "34B", "LLM"): 40.0}),
    ],
)
def test_averages_are_the_means_of_their_rows(
    table: str, column: str, wrong: dict[tuple[str, ...], float]
) -> None:
    """Every printed average is the mean of its row, save one LLM row of Table 7 (37.2 printed)."""
    rows: dict[Any, dict[str, float]] = defaultdict(dict)
    for (*key, name), value in pick(
        table, "model", "params", "strategy", column, metric="accuracy"
    ).items():
        rows[tuple(key)][name] = value
    means = {
        key: mean(value for name, value in row.items() if name != "all")
        for key, row in rows.items()
    }
    assert {
        key: round(means[key], 1)
        for key, row in rows.items()
        if abs(means[key] - row["all"]) > HALF
    } == wrong


def test_short_table_of_lvlms_repeats_the_long_one_but_for_random_choice_on_mmbench() -> None:
    """Table 3 is part of Table 7, save random choice on MMBench (13.5 and 23.5) and so its
    average (21.0 and 22.6).
    """
    keys = ("model", "params", "llm", "strategy", "benchmark")
    short, long = pick("table3", *keys), pick("table7", *keys)
    assert {
        (key[0], key[-1]): (value, long[key]) for key, value in short.items() if long[key] != value
    } == {
        ("Random Choice", "MMB"): (13.5, 23.5),
        ("Random Choice", "all"): (21.0, 22.6),
    }


def test_gain_and_leakage_on_six_benchmarks_follow_from_the_accuracies() -> None:
    """MG = LVLM - LVLM-text and ML = max(0, LVLM-text - LLM) of Table 7 give every cell of Table
    6.
    """
    scores = pick("table7", "model", "params", "strategy", "benchmark")
    wrong = {}
    for (model, params, benchmark, metric), printed in pick(
        "table6", "model", "params", "benchmark", "metric"
    ).items():
        if model == "Mean" or benchmark not in BENCHMARKS:
            continue
        with_images, without, llm = (
            scores[model, params, s, benchmark] for s in ("LVLM", "LVLM-text", "LLM")
        )
        computed = with_images - without if metric == "mg" else max(0.0, without - llm)
        if abs(computed - printed) > HALF:
            wrong[model, params, benchmark, metric] = (printed, round(computed, 1))
    assert wrong == DISAGREE_WITH_TABLE_7


def test_gain_and_leakage_on_mmstar_are_the_same_in_both_tables() -> None:
    """The MMStar columns of Table 6 repeat Table 5 (GPT4V at low resolution), save one model."""
    table5 = pick("table5", "model", "params", "metric", category="all") | {
        ("GPT4V", None, metric): value
        for (metric,), value in pick(
            "table5", "metric", model="GPT4V (low)", category="all"
        ).items()
    }
    table6 = pick("table6", "model", "params", "metric", benchmark="MMStar")
    wrong = {
        key: (printed, table5[key])
        for key, printed in table6.items()
        if key[0] != "Mean" and table5[key] != printed
    }
    assert wrong == DISAGREE_WITH_TABLE_5


def test_average_gain_and_leakage_of_a_model() -> None:
    """The last columns of Table 6 are the means over its seven benchmarks, in every row."""
    rows = pick("table6", "model", "params", "metric", "benchmark")
    for (model, params, metric, benchmark), printed in rows.items():
        if benchmark == "all" and model != "Mean":
            values = [rows[model, params, metric, name] for name in (*BENCHMARKS, "MMStar")]
            assert mean(values) == pytest.approx(printed, abs=HALF)
