"""Answers to every task of the package, scored without a host."""

import json
import math
from pathlib import Path

import pytest
from answer_files import scored, scorer_of

from spiqa_tasks.benchmarks.mmstar.definition import MMSTAR
from spiqa_tasks.benchmarks.record import Response
from spiqa_tasks.benchmarks.registry import Task, load_rows, rows_for_scoring
from spiqa_tasks.benchmarks.scorer import make_scorer
from spiqa_tasks.hosts.catalogue import catalogue
from spiqa_tasks.runs.scoring import is_complete, score_object, values_of

DEMO = [
    task
    for task in catalogue()[0].values()
    if task.split.startswith("demo") and "ocr=yes" not in task.settings_text
]
SAME = (
    "id",
    "question",
    "answer",
    "settings",
    "data",
    "category",
    "letters",
    "options",
    "marked",
    "group",
    "referred",
)


@pytest.mark.parametrize("task", DEMO, ids=lambda task: task.name)
def test_rows_for_scoring_are_the_rows_of_a_run(task: Task) -> None:
    """Without pictures, texts and examples the same questions, answers and groups come out, with
    the same signature.
    """
    shown = load_rows(task.benchmark_name, task.split, task.settings_text)
    bare = rows_for_scoring(task.benchmark_name, task.split, task.settings_text)
    assert [[row.get(key) for key in SAME] for row in shown] == [
        [row.get(key) for key in SAME] for row in bare
    ]
    scorer = scorer_of(task)
    answers = [[scorer.record(row, Response("A")) for row in rows] for rows in (shown, bare)]
    assert answers[0] == answers[1]
    assert answers[0][0].status != "scoring_failed"


@pytest.mark.parametrize("task", DEMO, ids=lambda task: task.name)
def test_every_task_can_be_scored_offline(task: Task) -> None:
    """Every metric of every task has a number or a reason, and none is NaN; plain answers tell
    nothing of their form.

    Neither do they tell whether they were cut.
    """
    result = scored(task.name)
    untold = {"truncated_rate"}
    if task.benchmark_name == "spiqa":
        untold.add("unformatted_rate")
    if "perfigure" in task.name:
        untold = set()
    told = [name for name in task.metric_names if name not in untold]
    values = values_of(result)
    assert [name for name in values if "/" not in name] == told
    found = score_object(result)
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    omitted = found.get("omitted", {})
    assert {name for name, value in values.items() if math.isnan(value.value)} == omitted.keys()
    assert result.reported.omitted.items() <= omitted.items()
    assert is_complete(result)


def test_the_released_rules_on_the_authors_own_submission(real_data: Path) -> None:
    """`accuracy_released` is the share of hits by the authors' four rules, computed here from
    their description.
    """
    lines = (real_data / "mmstar" / "llava_next_34b_sample.jsonl").read_text().splitlines()
    hits = 0.0
    scorer, (pattern, *_) = (
        make_scorer(MMSTAR, "", "offline", None),
        rows_for_scoring("mmstar", "demo", ""),
    )
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
