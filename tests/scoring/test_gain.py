"""Gain and leakage: the authors' numbers, and intervals."""

from typing import Any

import pytest

from spiqa_tasks.published import load
from spiqa_tasks.scoring.gain import (
    Gain,
    gain,
    gain_of_totals,
)
from spiqa_tasks.scoring.intervals import Estimate, paired

HALF = 0.05 + 1e-9


def test_case_of_the_authors_guide() -> None:
    """S_v 52.1, S_wv 22.7 and S_t 20.3 give MG 29.4 and ML 2.4."""
    result = gain_of_totals(1500, 52.1, 22.7, 20.3)
    assert result.ml is not None
    assert (round(result.mg.value, 1), round(result.ml.value, 1)) == (29.4, 2.4)


@pytest.mark.parametrize("table", ["table3", "table7"])
def test_published_scores_give_the_published_table_6(table: str) -> None:
    """MG and ML of Tables 3 and 7 are those of Table 6 in every cell of the six older
    benchmarks.
    """
    scores = {
        (row["model"], row["params"], row["benchmark"], row["strategy"]): row["value"]
        for row in load("mmstar", table)
    }
    compared = 0
    for row in load("mmstar", "table6"):
        key = (row["model"], row["params"], row["benchmark"])
        if (*key, "LVLM") not in scores or row["benchmark"] == "all":
            continue
        result = gain_of_totals(
            0, *(float(scores[(*key, name)] or 0) for name in ("LVLM", "LVLM-text", "LLM"))
        )
        assert result.ml is not None
        computed = result.mg.value if row["metric"] == "mg" else result.ml.value
        assert computed == pytest.approx(row["value"], abs=HALF), (key, row["metric"])
        compared += 1
    assert compared == (10 if table == "table3" else 16) * 6 * 2


def test_the_cut_makes_leakage_of_the_papers_own_scores() -> None:
    """docs/mmstar.md: of 15 LVLMs whose base is in Table 4, 8 are below it without images, 2
    above chance (24.6).
    """
    base = {
        row["model"]: row["value"] for row in load("mmstar", "table4") if row["category"] == "all"
    }
    scores: dict[Any, dict[Any, Any]] = {}
    for row in load("mmstar", "table5"):
        if row["category"] == "all" and row["llm"] in base:
            scores.setdefault((row["model"], row["params"]), {"t": base[row["llm"]]})[
                row["metric"]
            ] = row["value"]
    found = [
        gain_of_totals(0, each["accuracy"], each["accuracy"] - each["mg"], each["t"])
        for each in scores.values()
    ]
    signed = [each.ml_signed.value for each in found if each.ml_signed is not None]
    cut = [each.ml.value for each in found if each.ml is not None]
    assert (
        len(found),
        sum(value < 0 for value in signed),
        sum(each.s_wv > 24.6 for each in found),
    ) == (15, 8, 2)
    assert (round(min(signed), 1), round(sum(cut) / 15, 1), round(sum(signed) / 15, 1)) == (
        -5.4,
        2.8,
        0.9,
    )


V, WV, T = [1, 1, 0, 1, 0, 1, 1], [1, 0, 1, 0, 0, 1, 1], [0, 0, 1, 0, 0, 0, 1]
PAPERS = ["a", "a", "b", None, "b", "c", "c"]


def test_without_an_llm_base_there_is_no_leakage() -> None:
    """Scores, number of questions and gain are there, and the interval is that of the paired
    differences.
    """
    test = paired(WV, V)
    expected = Gain(
        7,
        pytest.approx(5 / 7),
        pytest.approx(4 / 7),
        None,
        Estimate(pytest.approx(1 / 7), test.low, test.high),
        None,
    )
    assert gain(V, WV) == expected


@pytest.mark.parametrize("clusters", [None, PAPERS], ids=["questions", "papers"])
def test_both_intervals_are_those_of_the_paired_differences(
    clusters: list[str | None] | None,
) -> None:
    """Leakage compares the model without images with its base, and its interval is cut at 0 as
    it is.
    """
    image, leaked = paired(WV, V, clusters), paired(T, WV, clusters)
    found = gain(V, WV, T, clusters)
    assert (leaked.low or 0) < 0 < (leaked.high or 0)
    assert found.mg == Estimate(pytest.approx(1 / 7), image.low, image.high)
    assert found.ml == Estimate(pytest.approx(2 / 7), 0.0, leaked.high)
    assert found.ml_signed == Estimate(pytest.approx(2 / 7), leaked.low, leaked.high)


def test_totals_have_no_intervals() -> None:
    """Of overall scores the values alone are known, and no leakage without an LLM base."""
    assert repr(gain_of_totals(1500, 0.5, 0.25)) == repr(
        Gain(1500, 0.5, 0.25, None, Estimate(0.25), None)
    )
    estimates = Estimate(0.25), Estimate(0.125), Estimate(0.125)
    assert repr(gain_of_totals(1500, 0.5, 0.25, 0.125)) == repr(
        Gain(1500, 0.5, 0.25, 0.125, *estimates)
    )
    below = gain_of_totals(1500, 0.5, 0.25, 0.375)
    assert repr((below.ml, below.ml_signed)) == repr((Estimate(0.0), Estimate(-0.125)))


def test_different_numbers_of_questions_are_refused() -> None:
    """Scores must be of the same questions."""
    with pytest.raises(ValueError, match="expected scores of the same questions"):
        gain([1, 0], [1])
    with pytest.raises(ValueError, match="expected scores of the same questions"):
        gain([1, 0], [1, 0], [1])
