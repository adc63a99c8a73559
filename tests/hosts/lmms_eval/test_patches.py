"""What the host's modules do in addition: tasks that are found, answers that are scored, rows that are left out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from filter_runs import Filter
from host_files import FAILED, sample_of
from numbers_task import host_inspectors, manager

from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.hosts.catalogue import catalogue
from spiqa_tasks.hosts.filtered_tasks import user_folder
from spiqa_tasks.hosts.lmms_eval import batch_scoring
from spiqa_tasks.hosts.lmms_eval.logged_record import BASELINE, LoggedRecord
from spiqa_tasks.hosts.lmms_eval.patches import NO_FILTER, PATCHES, wrapped_names
from spiqa_tasks.hosts.lmms_eval.registration import register_tasks

pytestmark = pytest.mark.usefixtures("host")
OURS = {"spiqa_testA", "mmstar_filtered", "scifibench"}


@pytest.fixture
def indexed() -> None:
    """Our extension of the host's modules, which are imported before or after it."""
    register_tasks()


@pytest.mark.usefixtures("indexed")
def test_user_interface_discovers_all_tasks_and_groups() -> None:
    """What the terminal user interface lists has every task and group of ours beside the host's."""
    from lmms_eval.tui.discovery import discover_tasks

    tasks, groups = catalogue()
    found = dict(discover_tasks())
    assert {*tasks, *groups} <= set(found)
    assert all(found[name].startswith("[Group]") for name in groups)
    assert len(found) > len(tasks) + len(groups)


@pytest.mark.usefixtures("indexed")
@pytest.mark.parametrize("module", ["lmms_eval.tui.server", "lmms_eval.entrypoints.http_server"])
def test_servers_of_the_host_list_our_tasks(module: str) -> None:
    """GET /tasks of the user interface's server and of `lmms-eval serve`."""
    import importlib

    from fastapi.testclient import TestClient

    answer = TestClient(importlib.import_module(module).app).get("/tasks").json()
    names = {task["id"] for task in answer} if isinstance(answer, list) else set(answer["tasks"])
    assert names >= OURS


@pytest.mark.usefixtures("indexed")
def test_a_written_task_that_cannot_work_any_more_is_not_indexed(
    source_task: Path, tmp_path: Path, run_filter: Filter
) -> None:
    """Neither without its source nor with a list that cannot be read does it break the host's index."""
    host_inspectors(tmp_path / "runs", {0})
    run_filter(tmp_path / "runs", "--write", "--include-path", source_task)
    assert "numbers_filtered" in manager().task_index
    (source_task / "numbers.yaml").unlink()
    assert "numbers_filtered" not in manager().task_index
    (user_folder() / "numbers_filtered" / "kept.json").write_text("no json")
    assert "numbers_filtered" not in manager().task_index


@pytest.mark.usefixtures("indexed")
def test_a_wrapped_model_has_the_values_of_the_one_that_it_wraps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a task's YAML has values for models by name; any other model keeps its own, and none stays none."""
    monkeypatch.setitem(wrapped_names, "ablated", "qwen2_5_vl")
    index = manager()
    for given, found in (("ablated", "qwen2_5_vl"), ("llava", "llava"), (None, None)):
        index.model_name = given
        assert index.model_name == found


@pytest.mark.usefixtures("indexed")
def test_a_baseline_has_the_score_of_ours_or_none(tmp_path: Path) -> None:
    """An answer of ours without a score is left out, not compared as a text; the host's own samples are as ever."""
    from lmms_eval.baselines.loader import load_baseline

    rows = load_rows("mmstar", "demo", "ablation=text")[:3]
    samples = [sample_of(row, answer) for row, answer in zip(rows, (rows[0]["answer"], "no", FAILED), strict=True)]
    samples.append({"target": "A", "filtered_resps": ["a"]})
    path = tmp_path / "x_samples_t.jsonl"
    path.write_text("".join(json.dumps({"doc_id": place, **sample}) + "\n" for place, sample in enumerate(samples)))
    assert load_baseline(str(path), "t")[0] == {0: 1.0, 1: 0.0, 3: 1.0}


def _ensemble(log: list[Any], name: str) -> Any:
    """The host's module of filters with one that logs how many requests it is given, extended by ours."""

    class FilterEnsemble:
        def __init__(self) -> None:
            self.name, self.filters = name, ()

        def apply(self, instances: list[Any], docs: Any) -> None:  # noqa: ARG002 - the host's
            """Filter."""
            log.append(len(instances))

    host = SimpleNamespace(FilterEnsemble=FilterEnsemble)
    attribute, extend = PATCHES["lmms_eval.api.filter"]
    assert hasattr(host, attribute)
    extend(host)
    return FilterEnsemble()


@pytest.mark.parametrize(
    ("ours", "name", "expected"), [(True, NO_FILTER, [2, "scored"]), (True, "k", [1, "scored"]), (False, "none", [1])]
)
def test_answers_are_scored_once_they_are_filtered(
    monkeypatch: pytest.MonkeyPatch, ours: bool, name: str, expected: list[Any]
) -> None:
    """Repeats become requests of their own unless the YAML chooses among them; tasks of others are left alone."""
    log: list[Any] = []
    monkeypatch.setattr(batch_scoring, "is_ours", lambda _: ours)
    monkeypatch.setattr(batch_scoring, "score_together", lambda *_: log.append("scored"))
    fields: dict[str, Any] = {"filtered_resps": {}, "raw_filtered_resps": {}}
    request = SimpleNamespace(resps=["A", "B"], token_counts=[None, None], **fields)
    _ensemble(log, name).apply([request], [])
    assert log == expected


def test_the_score_for_a_baseline_has_no_row() -> None:
    """Of values of ours; a task of others may have a metric of that name."""
    aggregated: list[set[str]] = []

    class TaskOutput:
        def __init__(self, logged: Mapping[tuple[str, str], list[Any]]) -> None:
            self.sample_metrics = dict(logged)

        def calculate_aggregate_metric(self) -> None:
            """Aggregate."""
            aggregated.append({metric for metric, _ in self.sample_metrics})

    PATCHES["lmms_eval.evaluator_utils"][1](SimpleNamespace(TaskOutput=TaskOutput))
    entry = LoggedRecord({"id": "1"}, "accuracy", Record("1"), ("mmstar", ""))
    TaskOutput({("accuracy", "none"): [entry], (BASELINE, "none"): [1.0]}).calculate_aggregate_metric()
    TaskOutput({("accuracy", "none"): [1.0], (BASELINE, "none"): [1.0]}).calculate_aggregate_metric()
    assert aggregated == [{"accuracy"}, {"accuracy", BASELINE}]
