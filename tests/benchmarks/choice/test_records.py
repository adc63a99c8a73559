"""Records and aggregations: what counts, what does not, and what is withheld."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from spiqa_tasks.benchmarks.aggregation import mean
from spiqa_tasks.benchmarks.choice.records import choice_records
from spiqa_tasks.benchmarks.mmstar.release import read_options
from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.benchmarks.spiqa.records import answer_records, corpus_score

FAILED = "[LMMS_EVAL_REQUEST_FAILED after 5 retries] boom"


@pytest.fixture(scope="module")
def mmstar_row() -> dict[str, Any]:
    return load_rows("mmstar", "demo", "ablation=text")[0]


@pytest.fixture(scope="module")
def spiqa_row() -> dict[str, Any]:
    return load_rows("spiqa", "demo", "ablation=text")[0]


def test_hit_counts_overall_and_in_its_groups(mmstar_row: dict[str, Any]) -> None:
    """A right answer scores 1 in accuracy, in its category and in its sub-axis."""
    records = choice_records(mmstar_row, mmstar_row["answer"])
    names = [name for name in records if name.startswith("accuracy")]
    assert len(names) == 5
    assert {records[name]["score"] for name in names} == {1.0}
    assert records["accuracy"]["id"] == mmstar_row["id"]
    assert "data:mmstar/demo@" in records["accuracy"]["signature"]


def test_refusal_and_no_letter_count_as_misses_and_are_told_apart(mmstar_row: dict[str, Any]) -> None:
    """A refusal is in refusal_rate, an answer without a letter in unparsed_rate, both with accuracy 0."""
    refusal = choice_records(mmstar_row, "Sorry, I cannot see any image. Could you provide it?")
    vague = choice_records(mmstar_row, "A chart shows growth")
    assert (refusal["refusal_rate"]["score"], refusal["unparsed_rate"]["score"], refusal["accuracy"]["score"]) == (
        1,
        0,
        0,
    )
    assert (vague["refusal_rate"]["score"], vague["unparsed_rate"]["score"], vague["accuracy"]["score"]) == (0, 1, 0)


def test_failed_request_is_no_answer(mmstar_row: dict[str, Any], spiqa_row: dict[str, Any]) -> None:
    """The host's failure marker has no accuracy and no text metric; it is counted in a rate of its own."""
    choice = choice_records(mmstar_row, FAILED)
    assert "score" not in choice["accuracy"]
    assert choice["request_failed_rate"]["score"] == 1.0
    free = answer_records(spiqa_row, FAILED, ["rouge_l"], judge=None)
    assert "prediction" not in free["rouge_l"]
    assert free["request_failed_rate"]["score"] == 1.0


@pytest.mark.parametrize(("missing", "withheld"), [(0, False), (1, False), (2, True), (100, True)])
def test_mean_is_withheld_below_99_percent(missing: int, withheld: bool) -> None:
    """Of 100 records, one without a score is tolerated and left out of the mean; two withhold it."""
    records = [{"score": 0.5}] * (100 - missing) + [{"status": "judge_failed"}] * missing
    value = mean(records)
    assert math.isnan(value) if withheld else value == 0.5
    assert math.isnan(mean([]))


def test_spiqa_records_name_figures_group_and_signature(spiqa_row: dict[str, Any]) -> None:
    """The detail record holds what is needed to check a score by hand; each metric is there overall and per type."""
    records = answer_records(spiqa_row, "{'Answer': 'blue'}", ["rouge_l", "cider"], judge=None)
    details = records["unformatted_rate"]
    assert (details["prediction"], details["score"], details["status"]) == ("blue", 0.0, "ok")
    assert details["figures"] == [figure["file"] for figure in spiqa_row["figures"]]
    assert {"rouge_l", f"rouge_l/{spiqa_row['group']}", "cider"} <= set(records)
    assert not any(name.startswith("l3score") for name in records)
    assert "prompt:" in details["signature"]
    json.dumps(records)


def test_corpus_score_gives_records_their_own_scores() -> None:
    """ROUGE-L of the corpus is the mean of the scores that the records then carry."""
    texts = [("a b c", "a b c"), ("a x c", "a b c"), ("nothing", "a b c")]
    records: list[dict[str, Any]] = [{"metric": "rouge_l", "prediction": p, "reference": r} for p, r in texts]
    value = corpus_score(records)
    scores = [record["score"] for record in records]
    assert scores[0] == pytest.approx(1.0)
    assert scores[2] == 0.0
    assert value == pytest.approx(sum(scores) / 3)


def test_released_rules_on_a_real_submission(real_data: Path) -> None:
    """On LLaVA-Next-34B's answers the four released rules, written once more here, give the same hits."""
    hits = expected = 0
    for line in (real_data / "mmstar/llava_next_34b_sample.jsonl").read_text().splitlines():
        record = json.loads(line)
        options = read_options(record["question"])
        row = {
            **dict.fromkeys(("split", "data", "settings"), ""),
            "id": str(record["index"]),
            "letters": list(options),
            "options": list(options.values()),
            "answer": record["answer"],
            "category": record["category"],
            "subcategory": record["l2_category"],
            "benchmark": "mmstar",
            "prompt": "letter",
        }
        records = choice_records(row, record["prediction"])
        hits += int(records["accuracy_released"]["score"])
        text, letter = record["prediction"].lower().strip(), record["answer"].lower()
        leads = [text, *(text.partition(lead)[2] for lead in ("(", "option ", "the answer is ") if lead in text)]
        expected += any(lead.startswith(letter) for lead in leads)
        if len(record["prediction"].strip()) == 1:
            assert records["accuracy"]["score"] == records["accuracy_released"]["score"]
    assert hits == expected > 100
