"""Records and metrics of MMStar."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

from spiqa_tasks.benchmarks.choice import slug
from spiqa_tasks.benchmarks.metric import RecordSet
from spiqa_tasks.benchmarks.mmstar.definition import LMMS_EVAL, MMSTAR, record
from spiqa_tasks.benchmarks.mmstar.release import MMStarSettings, read_options
from spiqa_tasks.benchmarks.record import Record, Response
from spiqa_tasks.benchmarks.registry import load_rows

READINGS = ("accuracy", "accuracy_released", "accuracy_vlmevalkit", "accuracy_vlmevalkit_2026_06")


def demo(settings: str) -> dict[str, Any]:
    return load_rows("mmstar", "demo", settings)[0]


def test_an_option_that_vlmevalkit_loses_is_none_of_its_options() -> None:
    """It reads `None` as a missing value, and so the only other option that the answer names."""
    row = {
        **demo("ablation=text"),
        "letters": ["A", "B"],
        "options": ["None", "a black cat"],
        "answer": "B",
    }
    found = record(row, Response("None, a black cat"), None)
    assert found.scores["accuracy_vlmevalkit"] == 1.0
    found = record({**row, "options": ["none", "a black cat"]}, Response("None, a black cat"), None)
    assert found.scores["accuracy_vlmevalkit"] == 0.0


def submission(real_data: Path) -> list[dict[str, Any]]:
    """The authors' submission of LLaVA-Next-34B; skips the test if it is not on this machine."""
    lines = (real_data / "mmstar/llava_next_34b_sample.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def record_of(answered: dict[str, Any]) -> Record:
    """The record of a line of the submission."""
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
    return record(row, Response(answered["prediction"]), None)


def test_released_rules_on_a_real_submission(real_data: Path) -> None:
    """On LLaVA-Next-34B's answers the four released rules, written once more here, give the same
    hits.
    """
    hits = expected = 0
    for answered in submission(real_data):
        scores = record_of(answered).scores
        hits += int(scores["accuracy_released"])
        text, letter = answered["prediction"].lower().strip(), answered["answer"].lower()
        leads = [
            text,
            *(
                text.partition(lead)[2]
                for lead in ("(", "option ", "the answer is ")
                if lead in text
            ),
        ]
        expected += any(lead.startswith(letter) for lead in leads)
        if len(answered["prediction"].strip()) == 1:
            assert scores["accuracy"] == scores["accuracy_released"]
    assert hits == expected > 100


def test_the_mean_of_axes_is_lmms_evals(host: None, real_data: Path) -> None:  # noqa: ARG001
    """Overall and of each capability, what the host's own functions make of the same answers."""
    from lmms_eval.tasks.mmstar.utils import mmstar_aggregate_results, mmstar_process_results

    answers = submission(real_data)
    records = [record_of(answered) for answered in answers]
    theirs: dict[str, list[Any]] = {}
    for answered in answers:
        for name, entry in mmstar_process_results(answered, [answered["prediction"]]).items():
            theirs.setdefault(name, []).append(entry)
    assert len(theirs) == 7
    for name, entries in theirs.items():
        group = None if name == "average" else slug(name)
        assert RecordSet(records, records).value(LMMS_EVAL, group).value == pytest.approx(
            mmstar_aggregate_results(entries), abs=1e-12
        )
    hits = [r.details["letter_lmms_eval"] == r.reference for r in records]
    assert (
        abs(LMMS_EVAL.compute(records).value - sum(hits) / len(hits)) > 0.01
    )  # not the share of the answers


def test_without_sub_axes_there_is_no_mean_of_them() -> None:
    """A table of answers need not name them; a mean over one nameless axis would be another
    number.
    """
    rows = load_rows("mmstar", "demo", "ablation=text")
    nameless = [record({**row, "subcategory": ""}, Response("A"), None) for row in rows]
    value = LMMS_EVAL.compute(nameless)
    assert (math.isnan(value.value), value.n, value.reason) == (True, 0, None)
    mixed = [*nameless[1:], record(rows[0], Response("A"), None)]
    assert "1 of 24 answers have a score" in str(LMMS_EVAL.compute(mixed).reason)


def axis(place: int, name: str, right: bool) -> Record:
    """A record whose letter lmms-eval reads."""
    details = {"letter_lmms_eval": "A" if right else ""}
    return Record(str(place), reference="A", groups={"subcategory": name}, details=details)


ROW = {
    **{
        "id": "7",
        "question": "Which?",
        "letters": ["A", "B"],
        "options": ["red", "blue"],
        "answer": "B",
    },
    **{
        "category": "science & technology",
        "subcategory": "a b",
        "source": "SEED",
        "benchmark": "mmstar",
    },
    **{"split": "val", "prompt": "letter", "settings": "shots=0", "data": "d"},
}


def test_the_whole_record_of_an_answer() -> None:
    """By each of the rules; the letter that lmms-eval reads is empty where it reads none."""
    found = record(ROW, Response("B. blue", truncated=True), None)
    assert (found.id, found.prediction, found.reference, found.status) == ("7", "B", "B", "ok")
    assert found.groups == {"category": "science_technology", "subcategory": "a_b"}
    assert found.details == {"options": 2, "source": "SEED", "letter_lmms_eval": "B"}
    assert found.scores == dict.fromkeys(READINGS, 1.0)
    assert MMSTAR.wording(ROW) == (
        "\nAnswer with the option's letter from the given choices directly."
    )
    empty = record({**ROW, "source": ""}, Response("no idea"), None)
    assert empty.details == {"options": 2, "letter_lmms_eval": ""}
    assert empty.scores == dict.fromkeys(READINGS, 0.0)


@pytest.mark.parametrize("prompt", ["bare", "vlmevalkit"])
def test_a_reported_prompt_has_the_hosts_numbers_in_the_table(prompt: Any) -> None:
    """In the place of the capabilities; our own prompts have none of them."""
    rates = ["refusal_rate", "unparsed_rate", "request_failed_rate"]
    assert [*MMSTAR.rows_of_table(MMStarSettings(prompt))] == [
        *("accuracy", "accuracy_released", *rates, "accuracy_vlmevalkit"),
        *("accuracy_vlmevalkit_2026_06", "accuracy_lmms_eval"),
    ]
