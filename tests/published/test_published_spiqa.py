"""The published SPIQA tables agree with each other and with the released questions, but for a named list of cells."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from spiqa_tasks.published import load

QUESTIONS = {"test-A": 666, "test-B": 228, "test-C": 493}
EPS = 1e-6


def pick(table: str, *keys: str, **where: str) -> dict[Any, Any]:
    """The values of a table by the given key columns, over the rows where the other columns are as given."""
    rows = [row for row in load("spiqa", table) if all(row[name] == value for name, value in where.items())]
    return {tuple(row[key] for key in keys): row["value"] for row in rows}


@pytest.mark.parametrize(
    ("table", "wrong"), [("table3", {("LLaVA-1.5-7B", "test-B", "rouge_l")}), ("tableE1", set[tuple[str, ...]]())]
)
def test_printed_differences_are_fine_tuned_minus_zero_shot(table: str, wrong: set[tuple[str, ...]]) -> None:
    """The printed improvements follow from the two rows above them, save one cell (3.1 printed, 2.9 computed)."""
    keys = ("model", "split", "metric")
    zero_shot, tuned = pick(table, *keys, group="open"), pick(table, *keys, group="fine-tuned")
    printed = pick(table, *keys, group="difference")
    assert {key for key, value in printed.items() if abs(tuned[key] - zero_shot[key] - value) > EPS} == wrong


@pytest.mark.parametrize(("copy", "original"), [("table5", "table3"), ("tableE2", "tableE1")])
def test_direct_rows_are_repeated_from_the_main_table(copy: str, original: str) -> None:
    """The direct QA rows of Tables 5 and E.2 are those of Tables 3 and E.1."""
    main = pick(original, "model", "split", "metric", group="closed")
    direct = pick(copy, "model", "split", "metric", setting="direct")
    assert {key: value for key, value in direct.items() if key[2] != "retrieval_accuracy"}.items() <= main.items()


def test_both_tables_of_chain_of_thought_print_the_same_retrieval_accuracy() -> None:
    """Retrieval accuracy is the same in Tables 5 and E.2."""
    keys = ("model", "split", "setting")
    assert pick("table5", *keys, metric="retrieval_accuracy") == pick("tableE2", *keys, metric="retrieval_accuracy")


def test_retrieval_accuracy_is_a_share_of_the_questions_but_for_three_cells() -> None:
    """All but three retrieval accuracies are hits over the size of the split, cut or rounded to two decimals."""
    printed = pick("table5", "model", "split", metric="retrieval_accuracy", setting="cot")
    odd = {
        (model, split)
        for (model, split), value in printed.items()
        if not any(abs(100 * hits / QUESTIONS[split] - value) < 0.01 for hits in range(QUESTIONS[split] + 1))
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
    """Table B.1's GPT-4o column repeats Table 3 on test-B, save Gemini Pro Vision (33.10 against 31.84)."""
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
    """The figure types of Table 2 add up to its figures, and the A, val and train papers of the text to its papers."""
    total = {key[0]: value for key, value in pick("table2", "statistic").items()}
    assert sum(total[kind] for kind in ("schematic", "plot", "visualization", "other")) == total["figure"]
    papers = pick("table4", "split", statistic="papers")
    assert papers["train",] + papers["val",] + 200 == total["papers"]


def test_gains_in_the_text_follow_from_the_tables_but_for_one() -> None:
    """The gains of section 5.2 are differences in Table 5, save Gemini 1.5 Pro on test-B (2.24, computed 4.24)."""
    scores = pick("table5", "model", "split", "setting", metric="l3score")
    settings = {"full paper": "full_paper", "CoT": "cot"}
    wrong = {}
    for row in load("spiqa", "text"):
        subject = str(row["subject"])
        for name, setting in settings.items():
            if subject.endswith(f" {name} minus direct"):
                model, split = subject.removesuffix(f" {name} minus direct"), row["split"]
                gain = scores[model, split, setting] - scores[model, split, "direct"]
                if abs(gain - float(row["value"] or 0)) > EPS:
                    wrong[model, split] = round(gain, 2)
    assert wrong == {("Gemini 1.5 Pro", "test-B"): 4.24}


def figure_type(figure: Mapping[str, str], ignore_case: bool) -> str:
    """Table by content type, else the first of the three names that the label contains, else other."""
    label = figure["figure_type"].lower() if ignore_case else figure["figure_type"]
    if figure["content_type"] == "table":
        return "table"
    return next(
        (
            group
            for word, group in (("schematic", "schematic"), ("plot", "plot"), ("photograph", "visualization"))
            if word in label
        ),
        "other",
    )


def referred_types(real_data: Path, ignore_case: bool) -> Counter[str]:
    """How many test-A questions refer to a figure of each type."""
    papers = json.loads((real_data / "spiqa/test-A/SPIQA_testA.json").read_text(encoding="utf-8")).values()
    return Counter(
        figure_type(paper["all_figures"][qa["reference"]], ignore_case) for paper in papers for qa in paper["qa"]
    )


def residuals(metric: str, counts: Mapping[str, int], types: Sequence[str]) -> dict[str, float]:
    """Weighted mean of Table 6's columns minus its overall column, by model."""
    values = pick("table6", "model", "category", metric=metric)
    total = sum(counts[kind] for kind in types)
    return {
        model: sum(counts[kind] * values[model, kind] for kind in types) / total - values[model, "all"]
        for model in dict.fromkeys(model for model, _ in values)
    }


def pooled(counts: Mapping[str, int]) -> dict[str, int]:
    """Question counts where `other` holds every figure that is not a plot, schematics and visualizations included."""
    return {
        "table": counts["table"],
        "plot": counts["plot"],
        "other": counts["schematic"] + counts["visualization"] + counts["other"],
    }


def test_questions_by_type_of_the_referred_figure(real_data: Path) -> None:
    """Reading the labels with or without case moves 37 questions between test-A's figure types."""
    released, corrected = referred_types(real_data, ignore_case=False), referred_types(real_data, ignore_case=True)
    assert released == {"table": 269, "schematic": 92, "plot": 178, "visualization": 68, "other": 59}
    assert corrected == {"table": 269, "schematic": 122, "plot": 185, "visualization": 68, "other": 22}


@pytest.mark.parametrize("ignore_case", [False, True])
def test_five_separate_types_do_not_reproduce_the_overall_column(real_data: Path, ignore_case: bool) -> None:
    """As a partition into five types, Table 6 contradicts its overall BERTScore in all but one row."""
    gaps = residuals(
        "bertscore_f1", referred_types(real_data, ignore_case), ("table", "schematic", "plot", "visualization", "other")
    )
    assert sum(abs(gap) <= 0.01 for gap in gaps.values()) == 1


def test_other_figures_are_all_figures_but_plots_read_without_case(real_data: Path) -> None:
    """Tables, plots read without case and all other figures together give the overall BERTScore in eight of ten rows.

    Rounding allows 0.01: 0.005 of the columns and 0.005 of the overall. Read with case, three rows remain.
    """
    types = ("table", "plot", "other")
    corrected = residuals("bertscore_f1", pooled(referred_types(real_data, ignore_case=True)), types)
    assert {model for model, gap in corrected.items() if abs(gap) > 0.01} == {"GPT-4o", "LLaVA-1.5-7B"}
    released = residuals("bertscore_f1", pooled(referred_types(real_data, ignore_case=False)), types)
    assert {model for model, gap in released.items() if abs(gap) <= 0.01} == {"GPT-4 Vision", "LLaVA-1.5-7B", "XGen-MM"}


def test_cider_by_figure_type_is_not_a_mean_over_pooled_document_frequencies(real_data: Path) -> None:
    """With the counts that give BERTScore, CIDEr misses its overall in all ten rows, always from below.

    Rounding allows 0.1. A mean of per-question scores with one document frequency would hold as BERTScore does.
    """
    gaps = residuals("cider", pooled(referred_types(real_data, ignore_case=True)), ("table", "plot", "other"))
    assert all(-1.2 < gap < -0.1 for gap in gaps.values())


def test_l3score_by_figure_type_does_not_give_its_overall(real_data: Path) -> None:
    """With the counts that give BERTScore, L3Score misses its overall in all ten rows, by up to 0.55 in either way."""
    gaps = residuals("l3score", pooled(referred_types(real_data, ignore_case=True)), ("table", "plot", "other"))
    assert all(0.01 < abs(gap) < 0.55 for gap in gaps.values())
    assert min(gaps.values()) < 0 < max(gaps.values())
