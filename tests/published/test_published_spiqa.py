"""The published SPIQA tables agree with each other, but for a named list of cells."""

from typing import Any

import pytest

from spiqa_tasks.published import load

QUESTIONS = {"test-A": 666, "test-B": 228, "test-C": 493}
EPS = 1e-6


def pick(table: str, *keys: str, **where: str) -> dict[Any, Any]:
    """Return key columns -> value of a table, over rows with these values of the other columns."""
    rows = [
        row
        for row in load("spiqa", table)
        if all(row[name] == value for name, value in where.items())
    ]
    return {tuple(row[key] for key in keys): row["value"] for row in rows}


@pytest.mark.parametrize(
    ("table", "wrong"),
    [("table3", {("LLaVA-1.5-7B", "test-B", "rouge_l")}), ("tableE1", set[tuple[str, ...]]())],
)
def test_printed_differences_are_fine_tuned_minus_zero_shot(
    table: str, wrong: set[tuple[str, ...]]
) -> None:
    """The printed improvements follow from the two rows above them, save one cell (3.1 printed,
    2.9 computed).
    """
    keys = ("model", "split", "metric")
    zero_shot, tuned = pick(table, *keys, group="open"), pick(table, *keys, group="fine-tuned")
    printed = pick(table, *keys, group="difference")
    assert {
        key for key, value in printed.items() if abs(tuned[key] - zero_shot[key] - value) > EPS
    } == wrong


@pytest.mark.parametrize(("copy", "original"), [("table5", "table3"), ("tableE2", "tableE1")])
def test_direct_rows_are_repeated_from_the_main_table(copy: str, original: str) -> None:
    """The direct QA rows of Tables 5 and E.2 are those of Tables 3 and E.1."""
    main = pick(original, "model", "split", "metric", group="closed")
    direct = pick(copy, "model", "split", "metric", setting="direct")
    assert {
        key: value for key, value in direct.items() if key[2] != "retrieval_accuracy"
    }.items() <= main.items()


def test_retrieval_accuracy_is_a_share_of_the_questions_but_for_three_cells() -> None:
    """All but three retrieval accuracies are hits over the size of the split, cut or rounded to
    two decimals.
    """
    printed = pick("table5", "model", "split", metric="retrieval_accuracy", setting="cot")
    odd = {
        (model, split)
        for (model, split), value in printed.items()
        if not any(
            abs(100 * hits / QUESTIONS[split] - value) < 0.01
            for hits in range(QUESTIONS[split] + 1)
        )
    }
    assert odd == {("GPT-4 Vision", "test-A"), ("GPT-4 Vision", "test-B"), ("GPT-4o", "test-B")}


def test_overall_columns_by_figure_type_are_those_of_the_main_table() -> None:
    """The overall columns of Table 6 repeat test-A of Table 3."""
    main = {
        key[:2]: value
        for key, value in pick("table3", "model", "metric", "group", split="test-A").items()
        if key[2] in ("closed", "open")
    }
    assert pick("table6", "model", "metric", category="all").items() <= main.items()


def test_the_gpt4o_judge_column_is_the_main_table_but_for_one_row() -> None:
    """Table B.1's GPT-4o column repeats Table 3 on test-B, save Gemini Pro Vision (33.10 against
    31.84).
    """
    main = pick("table3", "model", "group", split="test-B", metric="l3score")
    judged = pick("tableB1", "model", "group", judge="GPT-4o")
    assert {key[0] for key, value in judged.items() if main[key] != value} == {"Gemini Pro Vision"}


def test_fine_tuning_rows_are_those_of_the_main_table() -> None:
    """The zero-shot and supervised rows of Table B.2 repeat Table 3."""
    main = pick("table3", "group", "metric", split="test-A", model="LLaVA-1.5-7B")
    for training, group in (("zero-shot", "open"), ("supervised", "fine-tuned")):
        rows = pick("tableB2", "metric", training=training)
        assert all(main[group, metric] == value for (metric,), value in rows.items())


def test_totals_of_the_statistics_add_up() -> None:
    """The figure types of Table 2 add up to its figures, and the A, val and train papers of the
    text to its papers.
    """
    total = {key[0]: value for key, value in pick("table2", "statistic").items()}
    assert (
        sum(total[kind] for kind in ("schematic", "plot", "visualization", "other"))
        == total["figure"]
    )
    papers = pick("table4", "split", statistic="papers")
    assert papers["train",] + papers["val",] + 200 == total["papers"]
