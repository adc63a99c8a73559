"""Scores of existing answers, by the code that scores them in a run of a host."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from spiqa_tasks.benchmarks.record import Record, Response
from spiqa_tasks.benchmarks.registry import load_rows, rows_for_scoring
from spiqa_tasks.benchmarks.scorer import Scorer
from spiqa_tasks.benchmarks.scorer_factory import make_scorer
from spiqa_tasks.hosts.catalogue import Task, catalogue, find_tasks
from spiqa_tasks.offline.matching import Prediction, Predictions, match
from spiqa_tasks.offline.scored import Scored, read, score
from spiqa_tasks.scoring.intervals import wilson

pytestmark = pytest.mark.usefixtures("no_java")
TASKS = ("spiqa_demo", "mmstar_demo", "scifibench_demo")


def rows_of(task: Task) -> list[dict[str, Any]]:
    """The task's rows as scoring loads them."""
    return rows_for_scoring(task.benchmark, task.split, task.settings)


def scorer_of(task: Task) -> Scorer:
    """The task's scorer without a judge."""
    return make_scorer(task.benchmark, task.settings, "offline", None)


def scored(name: str, answers: Mapping[str, str] | None = None, shown: tuple[str, ...] | None = None) -> Scored:
    """The scores of `answers` by id; by default every answer is the right one."""
    (task,) = find_tasks([name])
    rows = rows_of(task)
    answers = answers if answers is not None else {row["id"]: row["answer"] for row in rows}
    items = tuple(Prediction(key, text, shown) for key, text in answers.items())
    matched = match(Predictions(Path("p"), "jsonl", items), rows)
    scorer = scorer_of(task)
    return score(scorer, task.name, read(scorer, rows, matched), "p", None)


def _without_text(record: Record) -> Record:
    """The record without whether its paper has a text, which scoring does not read."""
    return dataclasses.replace(
        record, details={key: value for key, value in record.details.items() if key != "no_text"}
    )


DEMO = [task for task in catalogue()[0].values() if task.split.startswith("demo") and "ocr=yes" not in task.settings]
SAME = ("id", "question", "answer", "settings", "data", "category", "letters", "options", "marked", "group", "referred")


@pytest.mark.parametrize("task", DEMO, ids=lambda task: task.name)
def test_rows_for_scoring_are_the_rows_of_a_run(task: Task) -> None:
    """Without pictures, texts and examples the same questions, answers and groups come out, with the same signature."""
    shown = load_rows(task.benchmark, task.split, task.settings)
    bare = rows_for_scoring(task.benchmark, task.split, task.settings)
    assert [[row.get(key) for key in SAME] for row in shown] == [[row.get(key) for key in SAME] for row in bare]
    scorer = scorer_of(task)
    answers = [[scorer.record(row, Response("A")) for row in rows] for rows in (shown, bare)]
    assert [_without_text(record) for record in answers[0]] == [_without_text(record) for record in answers[1]]
    assert answers[0][0].status != "scoring_failed"


@pytest.mark.parametrize("task", DEMO, ids=lambda task: task.name)
def test_every_task_can_be_scored_offline(task: Task) -> None:
    """Every metric of every task has a number or a reason; plain answers tell nothing of their length or format."""
    result = scored(task.name)
    untold = {"unformatted_rate"} if task.benchmark == "spiqa" else {"truncated_rate"}
    if "perfigure" in task.name:
        untold = set()
    told = [name for name in task.metrics if name not in untold]
    assert [name for name in result.metrics if "/" not in name] == told
    assert {name for name, metric in result.metrics.items() if metric.value is None} == set(result.omitted)
    assert result.complete


@pytest.mark.parametrize("name", ["mmstar_demo", "scifibench_demo"])
def test_right_answers_are_all_right(name: str) -> None:
    """Letters as answers: accuracy 1, overall and in each group, with Wilson's interval."""
    result = scored(name)
    assert {metric.value for key, metric in result.metrics.items() if key.startswith("accuracy")} == {1.0}
    assert result.metrics["accuracy"].interval == wilson(24, 24)
    assert result.counts["docs"] == 24
    assert result.complete
    assert not result.omitted


def test_refusals_failures_and_unparsed_answers_are_counted_apart() -> None:
    """A failed request has no score, and two of 24 withhold the headline; the rest is still told."""
    (task,) = find_tasks(["mmstar_demo"])
    answers = {row["id"]: row["answer"] for row in rows_of(task)}
    ids = list(answers)
    answers[ids[0]] = "Sorry, I cannot see any image. Could you provide it?"
    answers[ids[1]] = "A chart shows growth"
    answers |= dict.fromkeys(ids[2:4], "[LMMS_EVAL_REQUEST_FAILED after 3 retries] timeout")
    result = scored("mmstar_demo", answers)
    assert {key: result.counts[key] for key in ("docs", "refused", "unparsed", "request_failed")} == {
        "docs": 24,
        "refused": 1,
        "unparsed": 1,
        "request_failed": 2,
    }
    assert result.metrics["accuracy"].value is None
    assert "22 of 24" in result.omitted["accuracy"]
    assert not result.complete
    assert [sample["status"] for sample in result.samples[:4]] == ["refused", "unparsed"] + 2 * ["request_failed"]
    assert [sample["rule"] for sample in result.samples[:2]] == ["refusal", "no_match"]


def test_missing_answers_leave_the_rest_scored() -> None:
    """Half of the answers: a score over that half, and the other half counted."""
    (task,) = find_tasks(["mmstar_demo"])
    answers = {row["id"]: row["answer"] for row in rows_of(task)[:12]}
    result = scored("mmstar_demo", answers)
    assert result.metrics["accuracy"].value == 1.0
    assert (result.counts["docs"], result.counts["missing"]) == (12, 12)
    assert not result.complete


def test_without_a_judge_l3score_is_null_with_the_reason() -> None:
    """The text metrics are there; what is not says why."""
    result = scored("spiqa_demo")
    assert result.metrics["rouge_l"].value == pytest.approx(1.0)
    assert result.metrics["l3score"].value is None
    assert result.as_json()["metrics"]["meteor"] is None
    assert result.omitted.keys() - {"bertscore_f1"} == {"l3score", "judge_failed_rate", "neither_rate", "meteor"}
    assert "switched off" in result.omitted["l3score"]
    assert result.counts["judged"] == 0


def test_the_image_number_of_an_answer_means_the_figures_that_were_shown() -> None:
    """With the order of the release's file instead of ours, the same number names another figure."""
    (task,) = find_tasks(["spiqa_demo"])
    row = next(row for row in rows_of(task) if len(row["figures"]) > 1)
    needed = row["figures"][row["referred"][0]]["file"]
    other = next(figure["file"] for figure in row["figures"] if figure["file"] != needed)
    cot = Task("cot", "spiqa", "demo", "setting=cot")
    rows = rows_for_scoring("spiqa", "demo", "setting=cot")
    text = "{'Image': 1, 'Rationale': 'r'} The answer is : a"
    for shown, expected in (((other, needed), 1.0), ((needed, other), 0.0)):
        items = (Prediction(row["id"], text, shown),)
        matched = match(Predictions(Path("p"), "spiqa-responses", items), rows)
        scorer = scorer_of(cot)
        result = score(scorer, "cot", read(scorer, rows, matched), "p", None)
        assert result.metrics["retrieval_accuracy"].value == expected


def test_the_released_rules_on_the_authors_own_submission(real_data: Path) -> None:
    """`accuracy_released` is the share of hits by the authors' four rules, computed here from their description."""
    lines = (real_data / "mmstar" / "llava_next_34b_sample.jsonl").read_text().splitlines()
    hits = 0.0
    scorer, (pattern, *_) = make_scorer("mmstar", "", "offline", None), rows_for_scoring("mmstar", "demo", "")
    for entry in map(json.loads, lines):
        text, answer = str(entry["prediction"]).lower().strip(), entry["answer"].lower()
        starts = (answer, f"({answer}", f"option {answer}", f"the answer is {answer}")
        hits += text.startswith(starts)
        row = {
            **pattern,
            "id": str(entry["index"]),
            "letters": list("ABCD"),
            "options": [""] * 4,
            "answer": entry["answer"],
        }
        record = scorer.record(row, Response(str(entry["prediction"])))
        hits -= record.scores["accuracy_released"]
    assert hits == 0


def test_no_metric_is_nan() -> None:
    """JSON has no NaN: a withheld number is null."""
    for name in TASKS:
        values = [metric.value for metric in scored(name).metrics.values()]
        assert all(value is None or math.isfinite(value) for value in values)


def test_figures_shown_one_at_a_time_are_joined_per_question() -> None:
    """The helpful figure of each question has the right answer, the others are not helpful: every word is right."""
    (task,) = find_tasks(["spiqa_demo_perfigure"])
    rows = rows_of(task)
    said = {
        row["id"]: ("Yes" if row["referred"] else "No") if row["step"] == "helpful" else row["answer"] for row in rows
    }
    result = scored("spiqa_demo_perfigure", said)
    assert result.metrics["rouge_l"].value == pytest.approx(1.0)
    assert result.metrics["rouge_l"].n == len({row["question_id"] for row in rows})
    assert result.counts["docs"] == len(rows)
    assert result.complete


def test_captions_have_no_accuracy_and_are_kept() -> None:
    """Captions are ranked elsewhere; scoring says how many there are, and a failed request is none."""
    (task,) = find_tasks(["scifibench_demo_captioning"])
    said = {row["id"]: "A  caption." for row in rows_of(task)}
    said[next(iter(said))] = "[LMMS_EVAL_REQUEST_FAILED after 3 retries] timeout"
    result = scored(task.name, said)
    assert result.metrics["captioned_rate"].value == pytest.approx((len(said) - 1) / len(said))
    assert [sample["extracted"] for sample in result.samples[:2]] == [None, "A caption."]
    assert [sample["status"] for sample in result.samples[:2]] == ["request_failed", "ok"]
