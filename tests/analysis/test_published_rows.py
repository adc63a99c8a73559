"""The paper's rows beside a run: the same split, setting and metric, or none."""

from typing import Any

import pytest
from report_runs import run_of

from spiqa_tasks.analysis.breakdown import ValueRecord
from spiqa_tasks.analysis.published_rows import published_values


def values(benchmark: str, split: str, settings: str) -> dict[tuple[Any, ...], float]:
    """Return (model, metric, group, judge) -> published value for a run of this split and these
    settings.
    """
    found = published_values(
        run_of([], signature=f"data:{benchmark}/{split}@d|settings:{settings}")
    )
    return {
        (value["model"], value["metric"], value["group"], value["judge"]): value["value"]
        for value in found
    }


@pytest.mark.parametrize(
    ("benchmark", "split", "settings", "key", "printed"),
    [
        ("spiqa", "testA", "", ("Gemini Pro Vision", "meteor", "all", ""), 0.229),
        ("spiqa", "testB", "", ("Gemini Pro Vision", "l3score", "all", "GPT-4o"), 0.3184),
        ("spiqa", "testA", "", ("Gemini Pro Vision", "l3score", "table", "GPT-4o"), 0.3995),
        ("spiqa", "testA", "", ("Gemini Pro Vision", "bleu_4", "all", ""), 0.188),
        (
            "spiqa",
            "testA",
            "setting=cot",
            ("Gemini 1.5 Flash", "retrieval_accuracy", "all", ""),
            0.8618,
        ),
        (
            "spiqa",
            "testC",
            "setting=perfigure,max_figures=0,resolution=224px",
            ("CogVLM", "bleu_4", "all", ""),
            0.042,
        ),
        ("mmstar", "val", "", ("Random Choice", "accuracy", "coarse_perception", ""), 0.237),
        ("scifibench", "cs_fig2cap", "", ("GPT-4V", "accuracy", "all", ""), 0.694),
        ("scifibench", "cs_fig2cap", "", ("GPT-4V", "accuracy", "cs.NI", ""), 0.72),
        ("scifibench", "cs_fig2cap", "negatives=random", ("GPT-4V", "accuracy", "all", ""), 0.992),
    ],
)
def test_a_run_gets_the_printed_number_of_its_own_setting(
    benchmark: str, split: str, settings: str, key: tuple[Any, ...], printed: float
) -> None:
    """As read in the papers."""
    assert values(benchmark, split, settings)[key] == pytest.approx(printed)


@pytest.mark.parametrize(
    ("benchmark", "split", "settings"),
    [
        ("spiqa", "demo", ""),
        ("spiqa", "val", ""),
        ("spiqa", "testA", "setting=nocaption"),
        ("spiqa", "testA", "max_figures=4"),
        ("spiqa", "testA", "ablation=grey"),
        ("mmstar", "val", "ablation=grey"),
        ("mmstar", "demo", ""),
        ("scifibench", "cs_fig2cap", "shots=2"),
        ("scifibench", "cs_fig2cap", "mark=correct"),
        ("scifibench", "demo", ""),
    ],
)
def test_what_the_papers_did_not_measure_has_no_row(
    benchmark: str, split: str, settings: str
) -> None:
    """Another split or setting is never put beside a printed number."""
    assert values(benchmark, split, settings) == {}


def test_text_readers_stand_beside_text_readers() -> None:
    """SciFIBench's OCR rows are beside runs that show text in the place of pictures, and nowhere
    else.
    """
    with_text = {key[0] for key in values("scifibench", "cs_fig2cap", "ocr=yes")}
    without = {key[0] for key in values("scifibench", "cs_fig2cap", "")}
    assert with_text
    assert len(without) > len(with_text)


def test_a_value_names_its_table_and_judge() -> None:
    """Those of appendices by their letter; MMStar's stand beside both ways to match, by both
    protocols SPIQA's.
    """

    def printed(data: str, settings: str = "") -> list[ValueRecord]:
        return published_values(run_of([], signature=f"data:{data}@d|settings:{settings}"))

    assert {value["source"] for value in printed("spiqa/testB")} == {
        "published, Table 3",
        "published, Table E.1",
    }
    both = {(value["metric"], value["judge"]) for value in printed("spiqa/testA", "protocol=both")}
    assert {
        ("l3score", "GPT-4o"),
        ("l3score_released", "GPT-4o"),
        ("meteor", ""),
        ("meteor_released", ""),
    } <= both
    assert {value["group"] for value in printed("spiqa/testA")} >= {"all", "nonplot", "table"}
    assert "other" not in {value["group"] for value in printed("spiqa/testA")}
    assert {value["source"] for value in printed("scifibench/cs_fig2cap")} == {
        "published, Table 2",
        "published, Table 5",
    }
    for settings, table in (("", "Table 5"), ("ablation=text,shots=2", "Table 4")):
        found = printed("mmstar/val", settings)
        assert {value["source"] for value in found} == {f"published, {table}"}
        assert {value["metric"] for value in found} == {"accuracy", "accuracy_released"}
        keys = [(value["model"], value["metric"], value["group"]) for value in found]
        assert len(set(keys)) == len(keys)  # the table's gain and leakage are no accuracies
    assert printed("mmstar/val", "ablation=text") == []
    assert not {"difference", "mean"} & {
        value["model"].lower() for value in printed("scifibench/cs_fig2cap")
    }


def test_a_table_that_is_named_is_read_whole() -> None:
    """Table B.1 has L3Scores by other judges than the main tables."""
    run = run_of([], signature="data:spiqa/testB@d|settings:")
    found = {
        (value["model"], value["judge"]): value["value"]
        for value in published_values(run, "Table B.1")
    }
    assert found["Gemini Pro Vision", "GPT-3.5 Turbo"] == pytest.approx(0.2814)
    assert {judge for _, judge in found} == {"Gemini Pro", "GPT-3.5 Turbo", "GPT-4o"}
