"""The task that the filter writes, run by the host."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from answer_files import right_answers, write_jsonl
from filter_runs import Filter
from host_files import choice_sample, write_run
from numbers_task import host_inspectors, manager

from spiqa_tasks.analysis.filter_runs import Filtered, filter_runs
from spiqa_tasks.analysis.filtered_task import write_task
from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.filtered_tasks import user_folder
from spiqa_tasks.runs.loading import load_runs
from spiqa_tasks.runs.places import Place

pytestmark = pytest.mark.usefixtures("host")
DEMO: dict[str, Any] = {"settings": {"mmstar_demo": "prompt=letter"}, "split": "demo"}


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
    rows = load_rows("mmstar", "demo", "ablation=text")
    samples = [
        {**choice_sample(place, place % 3 == 0, data=row["data"]), "target": row["answer"]}
        for place, row in enumerate(rows)
    ]
    write_run(tmp_path, "llm", {"mmstar_demo": samples}, stamp="1", **DEMO)
    run_filter(tmp_path, "--write", "--name", "hard_demo")
    task = manager().load_task_or_group("hard_demo")["hard_demo"]
    assert list(task.dataset["demo"]["id"]) == [row["id"] for place, row in enumerate(rows) if place % 3]
    changed = [
        {**sample, "accuracy": {**sample["accuracy"], "signature": "data:mmstar/demo@other"}} for sample in samples
    ]
    write_run(tmp_path, "llm", {"mmstar_demo": changed}, stamp="2", **DEMO)
    run_filter(tmp_path, "--write", "--name", "hard_demo")
    with pytest.raises(SystemExit, match=r"\(other\), found"):
        manager().load_task_or_group("hard_demo")


def filtered(folder: Path, **options: Any) -> Filtered:
    """What the filter found in the runs below a folder."""
    runs, _ = load_runs([Place(folder)])
    (found,), _ = filter_runs(runs, text_only_models=True, **options)
    return found


def test_the_list_says_what_was_kept_and_of_what(source_task: Path, tmp_path: Path) -> None:
    """Places, ids and true answers of the kept questions; the YAML includes the source and its own hook."""
    host_inspectors(tmp_path / "runs", {0, 2, 5})
    found = filtered(tmp_path / "runs")
    path = write_task(found, "hard", tmp_path / "tasks", source_task)
    assert path == tmp_path / "tasks" / "hard" / "hard.yaml"
    source = str(source_task / "numbers.yaml")
    kept = json.loads((path.parent / "kept.json").read_text())
    assert kept == {
        "source": "numbers",
        "source_yaml": source,
        "split": "test",
        "questions": 6,
        "data": None,
        "inspectors": ["llm"],
        "metric": "exact_match",
        "threshold": 1.0,
        "max_hits": 0,
        "target": "answer",
        "kept": [
            {"doc_id": 1, "id": "1", "target": "A"},
            {"doc_id": 3, "id": "3", "target": "A"},
            {"doc_id": 4, "id": "4", "target": "B"},
        ],
    }
    assert "process_docs: !function keep.process_docs" in path.read_text()
    values = yaml.safe_load(path.read_text().replace("!function", ""))
    metadata = values.pop("metadata")
    assert values == {"include": source, "task": "hard", "tag": [], "process_docs": "keep.process_docs"}
    digest = metadata.pop("kept")
    assert metadata == {
        "version": 1.0,
        "source": "numbers",
        "data": "unknown revision",
        "inspectors": 1,
        "max_hits": 0,
    }
    other = write_task(filtered(tmp_path / "runs", max_hits=1), "all", tmp_path / "tasks", source_task)
    assert digest not in other.read_text()
    assert len(digest) == 12


def test_answers_of_ones_own_filter_a_task_of_ours(tmp_path: Path) -> None:
    """The kept questions have their places in the split, and the data's digest is that of the task's rows."""
    right = right_answers("mmstar_demo")
    answers = {key: text if place % 4 else "none" for place, (key, text) in enumerate(right.items())}
    found = filtered(write_jsonl(tmp_path / "llm_mmstar_demo.jsonl", answers))
    path = write_task(found, "hard_demo", tmp_path / "tasks")
    rows = load_rows("mmstar", "demo", "")
    kept = json.loads((path.parent / "kept.json").read_text())
    assert (kept["data"], kept["split"], kept["questions"]) == (rows[0]["data"], "demo", 24)
    places = range(0, 24, 4)
    assert [(each["doc_id"], each["id"]) for each in kept["kept"]] == [(place, rows[place]["id"]) for place in places]
    metadata = yaml.safe_load(path.read_text().replace("!function", ""))["metadata"]
    assert (metadata["benchmark"], metadata["data"]) == ("mmstar", f"mmstar/demo@{rows[0]['data']}")
    task = manager(tmp_path / "tasks").load_task_or_group("hard_demo")["hard_demo"]
    assert list(task.dataset["demo"]["id"]) == [rows[place]["id"] for place in places]


def test_the_revision_of_a_hub_dataset_is_that_of_its_cache(
    source_task: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that the task is of the data that the runs were made from; one that the YAML names stays."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    references = tmp_path / "datasets--owner--numbers" / "refs"
    references.mkdir(parents=True)
    (references / "main").write_text("c0ffee\n")
    text = (source_task / "numbers.yaml").read_text()
    host_inspectors(tmp_path / "runs", {0})
    for place, kwargs in enumerate(("null", "{trust: true}", "{revision: own}")):
        lines = [line for line in text.splitlines() if not line.startswith("dataset_")]
        lines += ["dataset_path: owner/numbers", f"dataset_kwargs: {kwargs}"]
        (source_task / "numbers.yaml").write_text("\n".join(lines))
        path = write_task(filtered(tmp_path / "runs"), f"hard{place}", tmp_path / "tasks", source_task)
        values = yaml.safe_load(path.read_text().replace("!function", ""))
        revision = {"revision": "own" if place == 2 else "c0ffee"}
        assert values["dataset_kwargs"] == {**revision, **({"trust": True} if place == 1 else {})}
        assert values["metadata"]["data"] == "c0ffee"


def test_what_cannot_be_written_is_refused(source_task: Path, tmp_path: Path) -> None:
    """Nothing kept, the source's own name, and a source that is written in Python."""
    host_inspectors(tmp_path / "runs", set(range(6)))
    with pytest.raises(InputError) as error:
        write_task(filtered(tmp_path / "runs"), "hard", tmp_path / "tasks", source_task)
    assert str(error.value) == "Expected questions of numbers to keep, found none. Raise --max-hits."
    found = filtered(tmp_path / "runs", max_hits=1)
    message = (
        "Expected a new name and a source task made of YAML alone; found {} of "
        f"{source_task / 'numbers.yaml'}. Choose with --name."
    )
    with pytest.raises(InputError) as error:
        write_task(found, "numbers", tmp_path / "tasks", source_task)
    assert str(error.value) == message.format("numbers")
    yaml_path = source_task / "numbers.yaml"
    yaml_path.write_text(f"{yaml_path.read_text()}class: !function utils.Numbers\n")
    with pytest.raises(InputError) as error:
        write_task(found, "hard", tmp_path / "tasks", source_task)
    assert str(error.value) == message.format("hard")
    assert not (tmp_path / "tasks").exists()
