"""What the released scripts read out of an answer, the groups of a question, and advice about images."""

from __future__ import annotations

from typing import Any

import pytest

from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.benchmarks.spiqa.groups import groups_of
from spiqa_tasks.benchmarks.spiqa.image_limits import image_limit_advice
from spiqa_tasks.benchmarks.spiqa.records import answer_records


def row(settings: str) -> dict[str, Any]:
    return load_rows("spiqa", "demo", f"{settings},ablation=text")[0]


@pytest.mark.parametrize(
    ("protocol", "names"),
    [
        ("corrected", {"rouge_l": "blue"}),
        ("released", {"rouge_l_released": "'blue'"}),
        ("both", {"rouge_l": "blue", "rouge_l_released": "'blue'"}),
    ],
)
def test_each_protocol_has_its_own_names_and_reading(protocol: str, names: dict[str, str]) -> None:
    """Corrected reads the answer, released keeps its quotes; neither is there without being asked for."""
    records = answer_records(row(f"protocol={protocol}"), "{'Answer': 'blue'}", ["rouge_l"], None)
    found = {name: record["prediction"] for name, record in records.items() if name in ("rouge_l", "rouge_l_released")}
    assert found == names


def test_released_retrieval_takes_the_first_image_of_the_rationale() -> None:
    """Where the rationale names another image before, corrected and released retrieval differ."""
    shown = row("setting=cot,protocol=both")
    right = shown["referred"][0]
    wrong = (right + 1) % 8
    response = f"{{'Image': {right}, 'Rationale': 'unlike Image {wrong}, it has the numbers'}} The answer is : blue"
    records = answer_records(shown, response, [], None)
    assert records["retrieval_accuracy"]["score"] == 1.0
    assert records["retrieval_accuracy_released"]["score"] == 0.0
    assert f"retrieval_accuracy/{shown['group']}" in records


def test_groups_tell_both_readings_and_the_number_of_figures() -> None:
    """A capitalised Schematic is a schematic, counted as other in Table 4, and no plot."""
    question = {"group": "schematic", "group_released": "other"}
    assert groups_of("cider", question, 8) == ["schematic", "released_other", "nonplot"]
    assert groups_of("l3score", question, 8)[-1] == "figures_8"
    assert groups_of("l3score", question, 12)[-1] == "figures_9+"
    assert groups_of("rouge_l", question, 3) == ["schematic"]
    assert "nonplot" not in groups_of("cider", {"group": "table", "group_released": "table"}, 1)


@pytest.mark.parametrize(
    ("reason", "advised"),
    [
        ("Error code: 400 - At most 1 image(s) may be provided in one request.", True),
        ("Too many images in request. Max is 50.", True),
        ("This model supports only a single image", True),
        ("Connection error.", False),
        ("Rate limit exceeded", False),
    ],
)
def test_advice_is_given_for_refused_images_alone(reason: str, advised: bool) -> None:
    """The advice names the task variant; other failures get none."""
    records = [{"id": "a", "score": 1.0, "reason": reason, "split": "testB"}, {"id": "b", "score": 0.0}]
    advice = image_limit_advice(records)
    assert (advice is not None) == advised
    assert advice is None or "spiqa_testB_perfigure" in advice
