"""The task that the filter writes, run by the host."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml
from filter_runs import Filter
from host_files import choice_samples, sample_of, write_run
from numbers_task import host_inspectors, manager
from report_runs import choices, run_of

from spiqa_tasks.analysis.filter import Filtered, filter_runs
from spiqa_tasks.analysis.filtered_task import (
    kept_by_filter,
    write_task,
)
from spiqa_tasks.benchmarks.registry import load_rows, rows_for_scoring
from spiqa_tasks.errors import InputError
from spiqa_tasks.files.json_text import digest_of
from spiqa_tasks.hosts.catalogue import find_tasks, user_folder
from spiqa_tasks.runs.loading import load_runs
from spiqa_tasks.runs.paths import RunPath
from spiqa_tasks.runs.selection import Selection, with_short_names
from spiqa_tasks.runs.subset import read_subset

pytestmark = pytest.mark.usefixtures("host")
DEMO: dict[str, Any] = {"settings": {"mmstar_demo": "prompt=letter"}, "split": "demo"}


def test_a_list_names_its_inspectors_with_their_arguments(tmp_path: Path) -> None:
    """Whatever a table calls them: the digest of a list does not depend on how it is printed."""
    samples = {"t": choice_samples([False, True])}
    write_run(tmp_path, "ablated", samples, "base=openai,ablation=text,model_version=a/b")
    runs, _ = load_runs([RunPath(tmp_path)])
    for called in (runs, with_short_names(runs)):
        (filtered,), _ = filter_runs(called)
        assert kept_by_filter(filtered)["filter"]["inspectors"] == ["openai,model_version=a/b"]


def test_written_task_of_the_host_runs_at_once(
    source_task: Path, tmp_path: Path, run_filter: Filter
) -> None:
    """The task is found without a flag, its own `process_docs` is still applied, and only kept
    questions are asked.
    """
    host_inspectors(tmp_path / "runs", {0, 2, 5})
    status, (record,), _ = run_filter(tmp_path / "runs", "--write", "--include-path", source_task)
    assert status == 0
    assert Path(record["written"]) == user_folder() / "numbers_filtered" / "numbers_filtered.yaml"
    from lmms_eval.evaluator import simple_evaluate

    index = manager(source_task)
    assert index.task_index["some_tag"]["task"] == ["numbers"]
    results = simple_evaluate(
        "dummy", "response=A", tasks=["numbers_filtered"], task_manager=index, bootstrap_iters=0
    )
    assert [sample["target"] for sample in results["samples"]["numbers_filtered"]] == [
        "A",
        "A",
        "B",
    ]
    assert results["results"]["numbers_filtered"]["exact_match,none"] == pytest.approx(2 / 3)
    metadata = results["configs"]["numbers_filtered"]["metadata"]
    rule = {"inspectors": 1, "metric": "exact_match", "max_hits": 0}
    assert (metadata["source"], metadata["filter"]) == ("numbers", rule)
    assert (
        len(index.load_task_or_group("numbers_filtered")["numbers_filtered"].dataset["train"]) == 6
    )


def test_written_task_refuses_other_data(
    source_task: Path, tmp_path: Path, run_filter: Filter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the source's answers have changed, the run stops with one sentence."""
    monkeypatch.setattr("tenacity.nap.time.sleep", lambda _: None)
    host_inspectors(tmp_path / "runs", {0})
    run_filter(tmp_path / "runs", "--write", "--include-path", source_task)
    rows = (source_task / "rows.jsonl").read_text().replace('"A"', '"C"')
    (source_task / "rows.jsonl").write_text(rows)
    with pytest.raises(SystemExit, match="Expected the data of numbers"):
        manager(source_task).load_task_or_group("numbers_filtered")


def write_answers(folder: Path, task: str, hits: set[int], stamp: str = "1") -> None:
    """Write a run of a text-only model; `hits` are the positions of its right answers among the
    demo's questions, or among those that the filter kept.
    """
    rows = load_rows("mmstar", "demo", "ablation=text")
    kept = user_folder() / task / "kept.json"
    if kept.is_file():
        ids = {each["id"] for each in json.loads(kept.read_text())["kept"]}
        rows = [row for row in rows if row["id"] in ids]
    samples = [
        sample_of(row, row["answer"] if place in hits else "none") for place, row in enumerate(rows)
    ]
    settings = {task: "prompt=letter,ablation=text"}
    write_run(folder, "llm", {task: samples}, stamp=stamp, settings=settings, split="demo")


def ids_of(task: str) -> list[str]:
    """Return the ids of the questions of a task in lmms-eval."""
    return list(manager().load_task_or_group(task)[task].dataset["demo"]["id"])


def test_written_task_of_ours_keeps_ids(tmp_path: Path, run_filter: Filter) -> None:
    """A filtered task of ours asks the kept questions, and its rows say so; other data is
    refused.
    """
    rows = load_rows("mmstar", "demo", "ablation=text")
    write_answers(tmp_path, "mmstar_demo", set(range(0, 24, 3)))
    run_filter(tmp_path, "--write", "--name", "hard_demo")
    wanted = [row["id"] for place, row in enumerate(rows) if place % 3]
    assert ids_of("hard_demo") == wanted
    assert read_subset(user_folder() / "hard_demo" / "kept.json").ids == tuple(wanted)
    (task,) = find_tasks(["hard_demo"])
    assert task.kept == set(wanted)
    log = tmp_path / "1_samples_mmstar_demo.jsonl"
    log.write_text(log.read_text().replace(rows[0]["data"], "other"))
    run_filter(tmp_path, "--write", "--name", "other_demo")
    with pytest.raises(SystemExit, match=r"\(mmstar/demo@other\), found"):
        ids_of("other_demo")


@pytest.mark.parametrize("name", ["mmstar", "mmstar_filtered", "spiqa"])
def test_a_written_task_has_a_name_of_its_own(
    tmp_path: Path, run_filter: Filter, name: str
) -> None:
    """One of the host's tasks, or of ours, would run in its place."""
    write_answers(tmp_path, "mmstar_demo", set(range(0, 24, 3)))
    status, _, said = run_filter(tmp_path, "--write", "--name", name)
    assert status == 2
    assert f"Expected a name that no other task has, found {name}." in said


def test_a_written_task_is_filtered_again(tmp_path: Path, run_filter: Filter) -> None:
    """Its questions are those of its source, which may not change under it."""
    rows = load_rows("mmstar", "demo", "ablation=text")
    write_answers(tmp_path / "1", "mmstar_demo", set(range(0, 24, 3)))
    assert run_filter(tmp_path / "1", "--write")[0] == 0
    write_answers(tmp_path / "2", "mmstar_demo_filtered", set(range(4)))
    assert run_filter(tmp_path / "2", "--write")[0] == 0
    expected = [row["id"] for place, row in enumerate(rows) if place % 3][4:]
    assert ids_of("mmstar_demo_filtered_filtered") == expected
    write_answers(tmp_path / "3", "mmstar_demo", {1, 2})
    status, _, said = run_filter(tmp_path / "3", "--write")
    assert status == 2
    assert "mmstar_demo_filtered exists with other questions" in said
    shutil.rmtree(user_folder() / "mmstar_demo_filtered")
    assert run_filter(tmp_path / "3", "--write")[0] == 0
    with pytest.raises(SystemExit, match="with 12 other questions"):
        ids_of("mmstar_demo_filtered_filtered")


def test_a_part_of_a_task_is_not_written(source_task: Path, tmp_path: Path) -> None:
    """Nobody knows which of the other questions would be kept."""
    host_inspectors(tmp_path, {0})
    path = tmp_path / "1_results.json"
    path.write_text(path.read_text().replace('"original": 6', '"original": 60'))
    runs, _ = load_runs([RunPath(tmp_path)], Selection(partial=True))
    (found,), *_ = filter_runs(runs)
    with pytest.raises(InputError) as error:
        write_task(kept_by_filter(found), "hard", tmp_path / "tasks", source_task)
    assert (
        str(error.value)
        == "Expected runs on the whole of numbers to --write it, found 6 of 60 questions. Run all."
    )


def filtered(folder: Path, **options: Any) -> Filtered:
    """Return the filter on the only task of the runs below a folder."""
    runs, _ = load_runs([RunPath(folder)])
    (found,), _ = filter_runs(runs, **options)
    return found


def test_the_list_says_what_was_kept_and_of_what(source_task: Path, tmp_path: Path) -> None:
    """Places, ids and true answers of the kept questions; the YAML includes the source and its
    own hook.
    """
    host_inspectors(tmp_path / "runs", {0, 2, 5})
    found = filtered(tmp_path / "runs")
    path = write_task(kept_by_filter(found), "hard", tmp_path / "tasks", source_task)
    assert path == tmp_path / "tasks" / "hard" / "hard.yaml"
    source = str(source_task / "numbers.yaml")
    kept = json.loads((path.parent / "kept.json").read_text())
    listed = kept.pop("digest")
    made = {"inspectors": ["llm"], "metric": "exact_match", "max_hits": 0}
    assert kept == {
        "source": "numbers",
        "source_yaml": source,
        "split": "test",
        "questions": 6,
        "data": None,
        "revision": None,
        "target": "answer",
        "filter": made,
        "kept": [
            {"doc_id": 1, "id": "1", "target": "A", "hits": 0},
            {"doc_id": 3, "id": "3", "target": "A", "hits": 0},
            {"doc_id": 4, "id": "4", "target": "B", "hits": 0},
        ],
    }
    assert "process_docs: !function keep.process_docs" in path.read_text()
    values = yaml.safe_load(path.read_text().replace("!function", ""))
    metadata = values.pop("metadata")
    assert values == {
        "include": source,
        "task": "hard",
        "tag": [],
        "process_docs": "keep.process_docs",
    }
    digest = metadata.pop("kept")
    assert digest == listed
    assert metadata == {
        "version": 1.0,
        "source": "numbers",
        "data": "unknown revision",
        "filter": {**made, "inspectors": 1},
    }
    host_inspectors(tmp_path / "others", {0})
    others = kept_by_filter(filtered(tmp_path / "others"))
    other = write_task(others, "all", tmp_path / "tasks", source_task)
    assert digest not in other.read_text()
    assert len(digest) == 12


def test_the_revision_of_a_hub_dataset_is_that_of_its_cache(
    source_task: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that the task is of the data that the runs were made from; one that the YAML names
    stays.
    """
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
        path = write_task(
            kept_by_filter(filtered(tmp_path / "runs")),
            f"hard{place}",
            tmp_path / "tasks",
            source_task,
        )
        values = yaml.safe_load(path.read_text().replace("!function", ""))
        revision = {"revision": "own" if place == 2 else "c0ffee"}
        assert values["dataset_kwargs"] == {**revision, **({"trust": True} if place == 1 else {})}
        assert values["metadata"]["data"] == "c0ffee"


def list_of(path: Path, ids: dict[str, int], **values: Any) -> Path:
    """Write a kept.json with id -> hits of its questions; `values` are further fields."""
    kept = [
        {"doc_id": place, "id": key, "target": "A", "hits": hits}
        for place, (key, hits) in enumerate(ids.items())
    ]
    content = {
        **{
            "source": "t",
            "questions": 9,
            "data": "d",
            "filter": {"made": path.stem},
        },
        **{"revision": None, **values, "kept": kept},
    }
    path.write_text(
        json.dumps({"source_yaml": "of this machine", "digest": digest_of(content), **content})
    )
    return path


def test_a_changed_list_is_refused(tmp_path: Path) -> None:
    """With both digests."""
    path = list_of(tmp_path / "a.json", {"1": 0})
    path.write_text(path.read_text().replace('"questions": 9', '"questions": 8'))
    with pytest.raises(
        InputError, match=r"to have the digest that it names, found another: it was changed"
    ):
        read_subset(path)


def test_questions_of_other_data_are_not_counted_by_a_list(tmp_path: Path) -> None:
    """Neither in a run nor in a task; where the data is not known nothing is said."""
    listing = read_subset(list_of(tmp_path / "a.json", {"q1": 0}, data="mmstar/val@other"))
    run = run_of(choices([True, False]))
    for call in (
        lambda: listing.cut_run(run),
        lambda: listing.cut_rows("mmstar_demo", rows_for_scoring("mmstar", "demo", "")),
    ):
        with pytest.raises(InputError, match=r"found those of mmstar/val@other"):
            call()
    unknown = read_subset(list_of(tmp_path / "b.json", {"q1": 0}, data=None))
    assert list(unknown.cut_run(run).by_id) == ["q1"]
