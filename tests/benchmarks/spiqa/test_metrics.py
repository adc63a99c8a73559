"""SPIQA's metrics as functions of records, without a host and without a judge."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pytest

from spiqa_tasks.benchmarks.aggregation import Metric, Value
from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.benchmarks.spiqa.metrics import metrics, table
from spiqa_tasks.benchmarks.spiqa.settings import parsed
from spiqa_tasks.metrics import coco_java
from spiqa_tasks.metrics.text_scores import METRICS
from spiqa_tasks.scoring.text_metrics import bleu, cider, rouge_l

RATES = ["unformatted_rate", "truncated_rate", "judge_failed_rate", "request_failed_rate"]
PERFIGURE_RATES = ["unformatted_rate", "incomplete_rate", "unhelpful_rate", "judge_failed_rate", "request_failed_rate"]
TEXTS = list(METRICS)


@pytest.fixture(autouse=True)
def without_java(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tokenizer that needs no Java, whatever the machine has."""
    monkeypatch.setattr(coco_java, "has_java", lambda: False)


def released(names: Sequence[str]) -> list[str]:
    return [f"{name}_released" for name in names]


def metric(name: str, settings: str = "") -> Metric:
    [found] = [entry for entry in metrics(parsed(settings)) if entry.name == name]
    return found


def value(name: str, settings: str, records: Sequence[Record]) -> Value:
    return metric(name, settings).compute(records)


@pytest.mark.parametrize(
    ("settings", "names"),
    [
        ("setting=direct", ["l3score", *TEXTS, *RATES]),
        ("setting=cot", ["l3score", "retrieval_accuracy", *TEXTS, *RATES]),
        ("protocol=released", [*released(["l3score", *TEXTS]), *RATES]),
        ("setting=cot,protocol=released", [*released(["l3score", "retrieval_accuracy", *TEXTS]), *RATES]),
        ("protocol=both", ["l3score", *TEXTS, *released(["l3score", *TEXTS]), *RATES]),
        ("setting=perfigure", ["l3score", *TEXTS, *PERFIGURE_RATES]),
        (
            "setting=perfigure,protocol=released",
            [*released(["l3score", *TEXTS]), *(name for name in PERFIGURE_RATES if name != "judge_failed_rate")],
        ),
    ],
)
def test_each_setting_has_its_metrics_in_order(settings: str, names: list[str]) -> None:
    """The headline comes first, then the setting's own metrics, the texts, the released reading, what went wrong."""
    found = [entry.name for entry in metrics(parsed(settings))]
    if settings.startswith("setting=perfigure"):
        rates = len(PERFIGURE_RATES) if "released" not in settings else len(PERFIGURE_RATES) - 1
        assert found[:-rates] == names[:-rates]
        assert sorted(found[-rates:]) == sorted(names[-rates:])
    else:
        assert found == names


def test_the_table_shows_the_headline_its_types_and_one_of_each_text_metric() -> None:
    """The released reading leaves figure types to breakdown, both readings at once BLEU as well."""
    types = [f"l3score/{group}" for group in ("schematic", "plot", "visualization", "other", "table")]
    shown = ["bleu_1", "rouge_l", "cider", "meteor", "bertscore_f1"]
    direct = table(parsed("setting=direct"))
    assert direct[0] == "l3score"
    assert sorted(direct[1:6]) == sorted(types)
    assert direct[6:] == [*shown, *RATES]
    assert table(parsed("protocol=released")) == [*released(["l3score", *shown]), *RATES]
    assert table(parsed("protocol=both")) == ["l3score", *shown[1:], *released(["l3score", *shown[1:]]), *RATES]


@pytest.mark.parametrize("settings", ["protocol=both", "setting=cot,protocol=both", "setting=perfigure,protocol=both"])
def test_metrics_say_what_they_need_and_which_way_is_better(settings: str) -> None:
    """L3Score and failed judgements need a judge, texts their programs; rates are better when lower."""
    for entry in metrics(parsed(settings)):
        judged = entry.name.startswith(("l3score", "judge_failed"))
        texts = entry.name.removesuffix("_released") in METRICS
        assert entry.needs == ("judge" if judged else "text programs" if texts else "nothing"), entry.name
        assert entry.higher_is_better == (not entry.name.endswith("_rate")), entry.name
        assert entry.of_corpus == entry.name.startswith("cider"), entry.name
        documents = settings.startswith("setting=perfigure") and entry.name in (
            "unformatted_rate",
            "request_failed_rate",
        )
        assert entry.of_documents == documents, entry.name


PREDICTIONS = ["the model attends to the words", "blue line", "forty two"]
REFERENCES = ["the model attends to words", "the blue line", "a table of numbers"]
ANSWERS = [
    Record(str(number), prediction, reference, details={"released": {"prediction": f"{prediction} x"}})
    for number, (prediction, reference) in enumerate(zip(PREDICTIONS, REFERENCES, strict=True))
]


def test_text_metrics_are_those_of_the_predictions() -> None:
    """Corpus value and each answer's own are what the toolkit gives for the same texts; BLEU has none per answer."""
    expected = rouge_l(PREDICTIONS, REFERENCES)
    per_answer = {str(number): pytest.approx(score) for number, score in enumerate(expected.per_item)}
    assert value("rouge_l", "", ANSWERS) == Value(pytest.approx(expected.value), 3, per_answer)
    assert value("bleu_1", "", ANSWERS) == Value(pytest.approx(bleu(PREDICTIONS, REFERENCES)[0]), 3)
    assert value("cider", "", ANSWERS).value == pytest.approx(cider(PREDICTIONS, REFERENCES).value)


def test_the_released_reading_has_predictions_of_its_own() -> None:
    """What the released parser found is scored, under the released name."""
    expected = rouge_l([f"{prediction} x" for prediction in PREDICTIONS], REFERENCES)
    assert value("rouge_l_released", "protocol=both", ANSWERS).value == pytest.approx(expected.value)


@pytest.mark.parametrize(("failed", "there"), [(1, True), (2, False)])
def test_text_metrics_are_withheld_below_99_percent(failed: int, there: bool) -> None:
    """An answer that is not there is left out, and two of a hundred withhold the number in either reading."""
    known = [
        Record(str(number), "one two three", "one two three", details={"released": {"prediction": "one two three"}})
        for number in range(100 - failed)
    ]
    lost = [Record(f"lost {number}", status="request_failed") for number in range(failed)]
    for name in ("rouge_l", "rouge_l_released"):
        found = value(name, "protocol=both", [*known, *lost])
        assert found.n == 100 - failed
        assert (found.value == pytest.approx(1.0)) if there else math.isnan(found.value)
        assert (found.reason is None) == there


def test_a_metric_that_cannot_be_computed_says_why() -> None:
    """Without Java METEOR has no value, and the reason names it."""
    found = value("meteor", "", ANSWERS)
    assert math.isnan(found.value)
    assert found.n == 3
    assert "Java" in str(found.reason)


def test_rates_of_what_went_wrong() -> None:
    """Each rate counts its own kind of failure among all answers."""
    records = [
        Record("a", "x", rule="ok"),
        Record("b", "x", rule="unformatted"),
        Record("c", "", rule="empty"),
        Record("d", "x", rule="truncated"),
        Record("e", status="request_failed", reason="timeout"),
        Record("f", "x", rule="ok", verdicts=({"metric": "l3score", "reason": "HTTP 500"},)),
        Record("g", "x", rule="truncated", status="judge_failed", verdicts=({"metric": "l3score", "reason": "x"},)),
        Record("h", "x", rule="truncated"),
    ]
    shares = {name: value(name, "", records).value * 8 for name in RATES}
    assert shares == {"unformatted_rate": 2, "truncated_rate": 3, "judge_failed_rate": 2, "request_failed_rate": 1}


def joined(number: int, prediction: str | None = "x", **fields: Any) -> Record:
    """A question put together from its documents."""
    return Record(f"paper/{number}", prediction, "x", **fields)


def verdicts(metric: str, *scores: float | None) -> tuple[dict[str, Any], ...]:
    return tuple({"metric": metric} | ({"reason": "x"} if score is None else {"score": score}) for score in scores)


def test_incomplete_questions_count_in_their_own_rate_alone() -> None:
    """A question that a limit cuts is no part of L3Score, of the texts, and of the unhelpful ones."""
    records = [
        joined(0, scores={"l3score": 1.0}),
        joined(1, "", scores={"l3score": 0.0}, status="no_helpful_figure"),
        Record("paper/2", status="incomplete"),
    ]
    settings = "setting=perfigure"
    assert value("l3score", settings, records) == Value(0.5, 2, {"paper/0": 1.0, "paper/1": 0.0})
    assert value("rouge_l", settings, records).value == pytest.approx(0.5)
    assert value("incomplete_rate", settings, records).value == pytest.approx(1 / 3)
    assert value("unhelpful_rate", settings, records) == Value(0.5, 2, {"paper/0": 0.0, "paper/1": 1.0})


def test_unhelpful_questions_are_withheld_with_the_answers() -> None:
    """Where requests failed for more than one in a hundred there is no rate."""
    records = [joined(0), Record("paper/1", status="request_failed")]
    found = value("unhelpful_rate", "setting=perfigure", records)
    assert math.isnan(found.value)
    assert found.n == 1


def test_released_l3score_divides_by_answers_and_questions() -> None:
    """Two answers judged 0.9 and 0.6 and three questions: 1.5 / 5; verdicts of the corrected reading do not enter."""
    records = [
        joined(0, verdicts=(*verdicts("l3score_released", 0.9), *verdicts("l3score", 0.1))),
        joined(1, "", status="no_helpful_figure"),
        joined(2, verdicts=verdicts("l3score_released", 0.6)),
        Record("paper/3", status="incomplete"),
    ]
    found = value("l3score_released", "setting=perfigure,protocol=both", records)
    assert found == Value(pytest.approx(1.5 / 5), 3)


def test_released_l3score_is_withheld_for_failures() -> None:
    """Failed requests and failed judgements beyond one in a hundred withhold it, and the reason counts them."""
    settings = "setting=perfigure,protocol=released"
    lost = value("l3score_released", settings, [joined(0), Record("paper/1", status="request_failed")])
    assert math.isnan(lost.value)
    assert lost.reason == "1 of 2 answers have a score, fewer than 99%"
    unjudged = value(
        "l3score_released", settings, [joined(0, verdicts=verdicts("l3score_released", *[0.5] * 97, None))]
    )
    assert math.isnan(unjudged.value)
    assert (unjudged.n, unjudged.reason) == (97, "97 of 98 answers were judged")
    enough = value("l3score_released", settings, [joined(0, verdicts=verdicts("l3score_released", *[0.5] * 99, None))])
    assert enough.value == pytest.approx(49.5 / 100)


def test_released_texts_take_every_helpful_answer() -> None:
    """Each helpful figure is an answer of its own, a question without one has one empty answer, a failed one none."""
    records = [
        joined(0, details={"released_answers": ["x", "y z"]}),
        joined(1, "", details={"released_answers": []}, status="no_helpful_figure"),
    ]
    found = value("rouge_l_released", "setting=perfigure,protocol=both", records)
    assert found == Value(pytest.approx(rouge_l(["x", "y z", ""], ["x"] * 3).value), 2)


def test_failed_judgements_of_questions_are_told_of_those_asked() -> None:
    """Of four verdicts for l3score one failed; nothing asked is no failure."""
    records = [
        joined(0, verdicts=(*verdicts("l3score", 0.5, None), *verdicts("l3score_released", None))),
        joined(1, verdicts=verdicts("l3score", 0.5, 0.5)),
    ]
    assert value("judge_failed_rate", "setting=perfigure,protocol=both", records) == Value(0.25, 4)
    assert value("judge_failed_rate", "setting=perfigure", [joined(0)]) == Value(0.0, 0)
