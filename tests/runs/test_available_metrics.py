"""Which metrics a run has."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from report_runs import choices, run_of

from spiqa_tasks.benchmarks.record import Record, Response
from spiqa_tasks.runs.answer import Answer
from spiqa_tasks.runs.identity import Identity
from spiqa_tasks.runs.run import Run

SPIQA = "data:spiqa/testA@d|settings:"
TEXTS = ["bleu_1", "bleu_2", "bleu_3", "bleu_4", "rouge_l", "cider"]


def names(run: Run) -> list[str]:
    return [metric.name for metric in run.metrics]


def spiqa_run(record: Record, **changes: Any) -> Run:
    return replace(run_of([record], task="spiqa_testA", signature=SPIQA), **changes)


def host_run(
    logged: Iterable[Mapping[str, Any]], reported: Iterable[str] = (), config: Mapping[str, Any] | None = None
) -> Run:
    """A run of a task of a host; `logged` maps the metrics that it computed of each question to scores or None."""
    records = [
        Record(
            str(place),
            scores={name: score for name, score in each.items() if score is not None},
            details={"metrics": tuple(each)},
        )
        for place, each in enumerate(logged)
    ]
    answers = [Answer(record.id, Response("A"), record) for record in records]
    values = dict.fromkeys(reported, 0.5)
    path = Path("x_results.json")
    return Run("t", Identity("m"), path, "lmms-eval", lambda: answers, reported=values, config=config or {})


def test_a_choice_task_has_all_metrics_of_its_benchmark() -> None:
    """They are computed from its records alone."""
    rates = ["refusal_rate", "unparsed_rate", "request_failed_rate"]
    hosts = ["accuracy_vlmevalkit", "accuracy_lmms_eval"]
    assert names(run_of(choices([True]))) == ["accuracy", "accuracy_released", *rates, *hosts, "truncated_rate"]


def test_without_a_judge_the_text_metrics_are_there_and_the_judges_are_not() -> None:
    """Neither are the rates of its failures: nobody was asked."""
    found = names(spiqa_run(Record("p/0", "a", "a")))
    assert [name for name in found if name != "bertscore_f1"][: len(TEXTS)] == TEXTS
    assert "unformatted_rate" in found
    assert not {"l3score", "meteor", "judge_failed_rate", "neither_rate"} & set(found)


@pytest.mark.parametrize(
    "record",
    [
        Record("p/0", "a", "a", scores={"l3score": 0.5}),
        Record("p/0", "a", "a", verdicts=({"metric": "l3score", "reason": "boom"},)),
    ],
)
def test_what_a_judge_was_asked_is_there(record: Record) -> None:
    """Also where none of its verdicts could be had: the value is withheld then, which is no lack of the metric."""
    run = spiqa_run(record)
    assert names(run)[0] == "l3score"
    assert {"judge_failed_rate", "neither_rate"} <= set(names(run))
    assert math.isnan(run.value(run.metric()).value) == (not record.scores)


def test_the_text_metrics_are_those_that_were_computed_where_the_answers_were_scored() -> None:
    """METEOR that a host computed is there without Java, and what it left out is not; else those of this machine."""
    record = Record("p/0", "a", "a")
    found = names(spiqa_run(record, reported={"meteor": 0.5, "bleu_1": 0.5, "accuracy": 1.0}))
    assert [name for name in found if name in (*TEXTS, "meteor", "bertscore_f1")] == ["bleu_1", "meteor"]
    both = replace(run_of([record], task="t", signature="data:spiqa/testA@d|settings:protocol=both"))
    assert {"rouge_l", "rouge_l_released"} <= set(names(both))
    assert not {"meteor", "meteor_released"} & set(names(both))


def test_what_could_not_be_computed_is_no_metric() -> None:
    """It was left out with a reason where the answers were scored."""
    assert "rouge_l" not in names(spiqa_run(Record("p/0", "a", "a"), omitted={"rouge_l": "no Java"}))


def test_a_host_task_begins_with_what_its_yaml_calls_the_headline() -> None:
    """Then comes `accuracy`, then metrics of which more is better, those that have scores, those that are reported."""
    each = {"worse": 1.0, "unscored": None, "reported": None, "scored": 1.0, "accuracy": None, "own": None}
    entries = [{"metric": "worse", "higher_is_better": False}, {"metric": "own", "higher_is_better": True}, "a name"]
    config = {"metadata": {"headline": "own"}, "metric_list": entries}
    run = host_run([each, {"late": 0.5}], ["reported"], config)
    assert names(run) == ["own", "accuracy", "scored", "late", "reported", "unscored", "worse"]
    assert [metric.name for metric in run.metrics if not metric.higher_is_better] == ["worse"]


@pytest.mark.parametrize("config", [{}, {"metadata": None, "metric_list": None}, {"metadata": [1]}])
def test_a_host_task_without_a_headline_has_its_metrics_in_the_order_of_the_log(config: dict[str, Any]) -> None:
    """Some YAMLs say nothing of either."""
    assert names(host_run([{"b": 1.0, "a": 1.0}], config=config)) == ["b", "a"]


def test_a_metric_of_some_questions_is_over_these() -> None:
    """A question that the host did not compute it of has no part in it; one without a score withholds it."""
    run = host_run([{"image": 1.0}, {"image": 0.0}, {"video": 1.0}, {"video": None}])
    image, video = (run.value(run.metric(name)) for name in ("image", "video"))
    assert (image.value, image.n) == (0.5, 2)
    assert (math.isnan(video.value), video.n) == (True, 1)
