"""Whatever the host can score, `score` can: no task without its offline records and aggregations."""

from __future__ import annotations

import pytest

from spiqa_tasks.offline.hooks import AGGREGATIONS, RECORDS, hook
from spiqa_tasks.benchmarks import choice_prompts
from spiqa_tasks.metrics.text_scores import METRICS
from spiqa_tasks.benchmarks.for_scoring import rows_for_scoring
from spiqa_tasks.benchmarks.loading import load_rows
from spiqa_tasks.hosts.lmms_eval.catalogue import Task, catalogue

TASKS = list(catalogue()[0].values())
DEMO = [task for task in TASKS if task.split.startswith("demo") and "ocr=yes" not in task.settings]
SAME = ("id", "question", "answer", "settings", "data", "category", "letters", "options", "marked", "group", "referred")


def test_every_hook_of_every_task_has_its_offline_counterpart() -> None:
    """The dotted names in the YAMLs are all known to offline scoring."""
    assert {hook(task.process_results) for task in TASKS} == set(RECORDS)
    assert {hook(name) for task in TASKS for name in task.aggregations} <= set(AGGREGATIONS)


@pytest.mark.parametrize("task", DEMO, ids=lambda task: task.name)
def test_rows_for_scoring_are_the_rows_of_a_run(task: Task) -> None:
    """Without pictures, texts and examples the same questions, answers, groups and prompt wording come out."""
    shown = load_rows(task.benchmark, task.split, task.settings)
    scored = rows_for_scoring(task.benchmark, task.split, task.settings)
    assert [[row.get(key) for key in SAME] for row in shown] == [[row.get(key) for key in SAME] for row in scored]
    if task.benchmark != "spiqa":
        assert [choice_prompts.template(row) for row in shown] == [choice_prompts.template(row) for row in scored]


@pytest.mark.parametrize("task", DEMO, ids=lambda task: task.name)
def test_every_record_belongs_to_a_metric_of_the_yaml(task: Task) -> None:
    """No record is made for a metric that the task does not list, which the host would write as an empty list."""
    recorder = RECORDS[hook(task.process_results)]
    rows = rows_for_scoring(task.benchmark, task.split, task.settings)
    assert {name for row in rows for name in recorder(row, "A", METRICS, None)} <= set(task.metrics)
