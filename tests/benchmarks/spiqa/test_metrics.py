"""SPIQA's metrics of records."""

from __future__ import annotations

import math
from typing import Any

import pytest

from spiqa_tasks.benchmarks.aggregation import Metric, Value
from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.benchmarks.registry import BENCHMARKS
from spiqa_tasks.benchmarks.spiqa.metrics import metrics, table, text_metric
from spiqa_tasks.benchmarks.spiqa.settings import SpiqaSettings
from spiqa_tasks.metrics.text_scores import METRICS, text_scores


def metric(name: str, settings: str = "") -> Metric:
    spiqa = BENCHMARKS["spiqa"]
    return spiqa.metric(name, spiqa.parse(settings))


def value(name: str, records: list[Record], settings: str = "") -> Value:
    return metric(name, settings).compute(records)


def record(number: int, prediction: str | None = "a cat", **fields: Any) -> Record:
    return Record(str(number), prediction, "a cat sat", **fields)


def test_rates_tell_apart_what_went_wrong() -> None:
    """Unformatted and empty answers, truncated ones, failed requests and failed judgements each have a share."""
    records = [
        record(0, rule="ok"),
        record(1, rule="unformatted"),
        record(2, "", rule="empty"),
        record(3, rule="truncated"),
        record(4, None, status="request_failed"),
        record(5, rule="ok", status="judge_failed", verdicts=({"metric": "l3score", "reason": "x"},)),
        record(6, rule="ok", verdicts=({"metric": "l3score", "score": 0.0},)),
        record(7, rule="ok"),
    ]
    expected = {
        "unformatted_rate": 2 / 8,
        "truncated_rate": 1 / 8,
        "request_failed_rate": 1 / 8,
        "judge_failed_rate": 1 / 8,
    }
    assert {name: value(name, records).value for name in expected} == expected
    assert not any(metric(name).higher_is_better for name in expected)


@pytest.mark.parametrize("toolkit", ["bleu_1", "rouge_l", "cider"])
def test_a_text_metric_is_the_toolkits_over_the_predictions(toolkit: str) -> None:
    """Failed requests have no part in it; answers get scores of their own where the metric has them."""
    texts = ["a cat sat", "a dog", "the cat sat there"] * 40
    records = [record(number, text) for number, text in enumerate(texts)] + [record(999, None, status="request_failed")]
    expected = text_scores([(text, "a cat sat") for text in texts], [toolkit])
    found = value(toolkit, records)
    assert found.value == pytest.approx(expected.values[toolkit])
    assert found.n == 120
    assert list(found.scores.values()) == pytest.approx(list(expected.per_item.get(toolkit, ())))


def test_a_text_metric_is_withheld_where_answers_are_missing() -> None:
    """One of ten is more than 1%."""
    found = value("rouge_l", [record(number) for number in range(9)] + [record(9, None)])
    assert math.isnan(found.value)
    assert "9 of 10" in (found.reason or "")


def test_a_program_that_fails_withholds_its_metric(monkeypatch: pytest.MonkeyPatch) -> None:
    """The reason is the program's."""
    monkeypatch.setattr("spiqa_tasks.metrics.coco_java.has_java", lambda: False)
    found = text_metric("meteor", "meteor", lambda r: [r.prediction or ""]).compute([record(0)])
    assert math.isnan(found.value)
    assert "Java" in (found.reason or "")


def test_the_released_reading_has_its_own_predictions() -> None:
    """Names that end in _released score what the released parser read."""
    records = [record(0, "a cat sat", details={"released": {"prediction": "nothing"}})]
    assert value("rouge_l", records, "protocol=both").value == pytest.approx(1.0)
    assert value("rouge_l_released", records, "protocol=both").value == 0.0


@pytest.mark.parametrize("setting", ["direct", "cot", "perfigure"])
def test_each_protocol_has_its_metrics(setting: Any) -> None:
    """The headline is L3Score of the protocol; retrieval belongs to chains of thought, in each reading."""
    for protocol, suffixes in (("corrected", ("",)), ("released", ("_released",)), ("both", ("", "_released"))):
        settings = SpiqaSettings(setting=setting, protocol=protocol)  # type: ignore[arg-type]
        names = [entry.name for entry in metrics(settings)]
        assert names[0] == f"l3score{suffixes[0]}"
        assert {name for name in names if name.startswith("l3score")} == {f"l3score{s}" for s in suffixes}
        assert {name for name in names if name.removesuffix("_released") in METRICS} == {
            f"{name}{s}" for name in METRICS for s in suffixes
        }
        retrieval = {f"retrieval_accuracy{s}" for s in suffixes} if setting == "cot" else set()
        assert {name for name in names if name.startswith("retrieval")} == retrieval
        assert ("incomplete_rate" in names) == ("unhelpful_rate" in names) == (setting == "perfigure")


def test_only_cider_depends_on_the_other_answers() -> None:
    """Its document frequencies are those of the corpus; only requests and formats are told of documents."""
    found = metrics(SpiqaSettings(setting="perfigure", protocol="both"))
    assert {entry.name for entry in found if entry.of_corpus} == {"cider", "cider_released"}
    assert {entry.name for entry in found if entry.of_documents} == {"unformatted_rate", "request_failed_rate"}


def test_the_table_leaves_out_what_breakdown_has() -> None:
    """BLEU beyond 1 is not there; with both protocols neither are the figure types."""
    assert "bleu_2" not in table(SpiqaSettings())
    assert "bleu_1" in table(SpiqaSettings())
    assert not any("/" in row or row.startswith("bleu") for row in table(SpiqaSettings(protocol="both")))


def test_released_questions_that_were_judged_in_part_are_withheld() -> None:
    """The released mean of single figures needs 99% of the answers judged, and of the questions answered."""
    settings = "setting=perfigure,protocol=released"
    good = {"metric": "l3score_released", "score": 1.0}
    failed = {"metric": "l3score_released", "reason": "x"}
    judged = record(0, verdicts=(good, good))
    assert value("l3score_released", [judged], settings).value == pytest.approx(2 / 3)
    half = value("l3score_released", [record(0, verdicts=(good, failed))], settings)
    assert math.isnan(half.value)
    assert half.reason == "1 of 2 answers were judged"
    missing = value("l3score_released", [judged, record(1, None)], settings)
    assert math.isnan(missing.value)
    assert "1 of 2 answers have a score" in (missing.reason or "")
