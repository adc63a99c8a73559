"""The task that the filter writes, run by the host."""

from __future__ import annotations

from pathlib import Path

import pytest
from filter_runs import Filter
from host_files import choice_sample, write_run
from numbers_task import host_inspectors, manager

from spiqa_tasks.hosts.filtered_tasks import user_folder

pytestmark = pytest.mark.usefixtures("host")


def test_written_task_of_the_host_runs_at_once(source_task: Path, tmp_path: Path, run_filter: Filter) -> None:
    """The task is found without a flag, its own `process_docs` is still applied, and only kept questions are asked."""
    host_inspectors(tmp_path / "runs", {0, 2, 5})
    status, (record,), _ = run_filter(tmp_path / "runs", "--write", "--include-path", source_task)
    assert status == 0
    assert Path(record["written"]) == user_folder() / "numbers_filtered" / "numbers_filtered.yaml"
    from lmms_eval.evaluator import simple_evaluate

    index = manager(source_task)
    assert index.task_index["some_tag"]["task"] == ["numbers"]
    results = simple_evaluate("dummy", "response=A", tasks=["numbers_filtered"], task_manager=index, bootstrap_iters=0)
    assert [sample["target"] for sample in results["samples"]["numbers_filtered"]] == ["A", "A", "B"]
    assert results["results"]["numbers_filtered"]["exact_match,none"] == pytest.approx(2 / 3)
    metadata = results["configs"]["numbers_filtered"]["metadata"]
    assert (metadata["source"], metadata["inspectors"], metadata["max_hits"]) == ("numbers", 1, 0)
    assert len(index.load_task_or_group("numbers_filtered")["numbers_filtered"].dataset["train"]) == 6


def test_written_task_refuses_other_data(
    source_task: Path, tmp_path: Path, run_filter: Filter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the source's answers have changed, the run stops with one sentence."""
    monkeypatch.setattr("tenacity.nap.time.sleep", lambda _: None)
    host_inspectors(tmp_path / "runs", {0})
    run_filter(tmp_path / "runs", "--write", "--include-path", source_task, "--folder", tmp_path / "mine")
    rows = (source_task / "rows.jsonl").read_text().replace('"A"', '"C"')
    (source_task / "rows.jsonl").write_text(rows)
    with pytest.raises(SystemExit, match="Expected the data of numbers"):
        manager(source_task, tmp_path / "mine").load_task_or_group("numbers_filtered")


def test_written_task_of_ours_keeps_ids(tmp_path: Path, run_filter: Filter) -> None:
    """A filtered task of ours asks the kept questions, and its rows say so."""
    from spiqa_tasks.benchmarks.registry import load_rows

    rows = load_rows("mmstar", "demo", "ablation=text")
    samples = [
        {**choice_sample(place, place % 3 == 0, data=row["data"]), "target": row["answer"]}
        for place, row in enumerate(rows)
    ]
    write_run(tmp_path, "llm", {"mmstar_demo": samples}, stamp="1")
    run_filter(tmp_path, "--write", "--name", "hard_demo")
    task = manager().load_task_or_group("hard_demo")["hard_demo"]
    assert list(task.dataset["demo"]["id"]) == [row["id"] for place, row in enumerate(rows) if place % 3]
    changed = [
        {**sample, "accuracy": {**sample["accuracy"], "signature": "data:mmstar/demo@other"}} for sample in samples
    ]
    write_run(tmp_path, "llm", {"mmstar_demo": changed}, stamp="2")
    run_filter(tmp_path, "--write", "--name", "hard_demo")
    with pytest.raises(SystemExit, match=r"\(other\), found"):
        manager().load_task_or_group("hard_demo")
