"""Records of MMStar: groups, and the authors' own rules."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from spiqa_tasks.benchmarks.context import Context
from spiqa_tasks.benchmarks.mmstar.records import CATEGORIES, metrics, record, table
from spiqa_tasks.benchmarks.mmstar.release import read_options
from spiqa_tasks.benchmarks.mmstar.settings import MMStarSettings
from spiqa_tasks.benchmarks.record import Response
from spiqa_tasks.benchmarks.registry import load_rows

HERE = Context("offline")


def demo(settings: str) -> dict[str, Any]:
    return load_rows("mmstar", "demo", settings)[0]


def test_an_answer_is_in_the_groups_of_its_capability_and_its_axis() -> None:
    """Every row's core capability is one of the six; the axis is another group; all three rules score."""
    for row in load_rows("mmstar", "demo", "ablation=text"):
        found = record(row, Response(row["answer"]), HERE)
        assert found.groups["category"] in CATEGORIES
        assert set(found.groups) == {"category", "subcategory"}
        assert found.scores == dict.fromkeys(("accuracy", "accuracy_released", "accuracy_vlmevalkit"), 1.0)
        assert "data:mmstar/demo@" in found.signature


def test_metrics_are_accuracy_then_the_authors_then_the_failures() -> None:
    """The headline is our matcher's; all rates mean worse when higher."""
    found = metrics(MMStarSettings())
    assert [metric.name for metric in found][:2] == ["accuracy", "accuracy_released"]
    assert [metric.higher_is_better for metric in found] == [True, True, False, False, False, True, False]


def test_an_option_that_vlmevalkit_loses_is_none_of_its_options() -> None:
    """It reads `None` as a missing value, and so the only other option that the answer names."""
    row = {**demo("ablation=text"), "letters": ["A", "B"], "options": ["None", "a black cat"], "answer": "B"}
    found = record(row, Response("None, a black cat"), HERE)
    assert found.scores["accuracy_vlmevalkit"] == 1.0
    found = record({**row, "options": ["none", "a black cat"]}, Response("None, a black cat"), HERE)
    assert found.scores["accuracy_vlmevalkit"] == 0.0


def test_a_failed_request_has_no_score_by_either_rule() -> None:
    """The authors' rules would call an empty text wrong."""
    for settings in ("ablation=text", "ablation=text,shots=2"):
        failed = record(demo(settings), Response("", "boom"), HERE)
        assert (failed.status, failed.reason, failed.scores) == ("request_failed", "boom", {})


def test_the_table_has_the_six_capabilities_after_the_headline() -> None:
    """Twelve rows at most: accuracy, the capabilities, the authors' rules, the failures."""
    capabilities = [f"accuracy/{category}" for category in CATEGORIES]
    rates = ["refusal_rate", "unparsed_rate", "request_failed_rate"]
    assert table(MMStarSettings()) == ["accuracy", *capabilities, "accuracy_released", *rates]


@pytest.mark.parametrize(
    ("response", "letter"),
    [
        ("B\n\nWhich of these is blue?\nOptions: A: sky, B: grass, C: sun, D: coal\nAnswer: A\n\n", "B"),
        ("B", "B"),
        ("The picture is missing, but it should be so.\n\nThe answer is C.", "C"),
        ("\n\nWhich of these?\nOptions: A: 1, B: 2, C: 3, D: 4\nAnswer: D", "D"),
    ],
)
def test_questions_that_a_base_model_goes_on_to_write_are_not_its_answer(response: str, letter: str) -> None:
    """Where no stop string ends a base model's answer, its first letter counts, not those of its own questions."""
    assert record(demo("ablation=text,shots=2"), Response(response), HERE).prediction == letter


def test_released_rules_on_a_real_submission(real_data: Path) -> None:
    """On LLaVA-Next-34B's answers the four released rules, written once more here, give the same hits."""
    hits = expected = 0
    for line in (real_data / "mmstar/llava_next_34b_sample.jsonl").read_text().splitlines():
        answered = json.loads(line)
        options = read_options(answered["question"])
        row = {
            **dict.fromkeys(("split", "data", "settings"), ""),
            "id": str(answered["index"]),
            "letters": list(options),
            "options": list(options.values()),
            "answer": answered["answer"],
            "category": answered["category"],
            "subcategory": answered["l2_category"],
            "benchmark": "mmstar",
            "prompt": "letter",
        }
        scores = record(row, Response(answered["prediction"]), HERE).scores
        hits += int(scores["accuracy_released"])
        text, letter = answered["prediction"].lower().strip(), answered["answer"].lower()
        leads = [text, *(text.partition(lead)[2] for lead in ("(", "option ", "the answer is ") if lead in text)]
        expected += any(lead.startswith(letter) for lead in leads)
        if len(answered["prediction"].strip()) == 1:
            assert scores["accuracy"] == scores["accuracy_released"]
    assert hits == expected > 100
