"""The YAML of any task of the host, by its name."""

import io
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from PIL import Image

from spiqa_tasks.benchmarks.registry import yaml_folder
from spiqa_tasks.errors import InputError, MissingPartError
from spiqa_tasks.hosts.lmms_eval import source_task as module
from spiqa_tasks.hosts.lmms_eval.source_task import (
    TaskDocuments,
    task_documents,
    write_host_log,
)
from spiqa_tasks.hosts.lmms_eval.source_task import source_task as find


@pytest.mark.usefixtures("host")
def test_a_task_of_a_folder_and_one_of_ours_are_found_with_their_values(source_task: Path) -> None:
    """The path is that of the YAML itself, and the values are those in it, functions left out."""
    path, values = find("numbers", source_task)
    assert path == (source_task / "numbers.yaml").resolve()
    assert (values["task"], values["doc_to_target"], values["test_split"]) == (
        "numbers",
        "answer",
        "test",
    )
    assert not any(callable(value) for value in values.values())
    path, values = find("mmstar_demo", None)
    assert path == (yaml_folder() / "mmstar" / "mmstar_demo.yaml").resolve()
    assert values["task"] == "mmstar_demo"


@pytest.mark.usefixtures("host")
def test_documents_that_cannot_be_loaded_are_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever a task's own code raises, with a command to see it."""
    index = SimpleNamespace(load_task_or_group=lambda _: 1 / 0)
    monkeypatch.setattr(module, "index_with", lambda *_: index)
    with pytest.raises(
        InputError, match=r"documents of t, found ZeroDivisionError .* Try `lmms-eval --model dummy"
    ):
        task_documents("t")


@pytest.mark.usefixtures("host")
def test_a_group_is_no_task() -> None:
    """Its name is refused in one sentence, as a filter is of one task's questions."""
    with pytest.raises(
        InputError, match=r"^Expected multimodal_gain to be a task of lmms-eval, .* --include-path"
    ):
        find("multimodal_gain", None)


@pytest.mark.slow
@pytest.mark.usefixtures("host")
def test_the_hosts_own_tasks_are_found_and_unknown_names_refused(source_task: Path) -> None:
    """A task that no folder of ours has is looked for among the host's, which takes seconds."""
    path, values = find("mmstar", None)
    assert (path.suffix, values["task"]) == (".yaml", "mmstar")
    assert yaml_folder() not in path.parents
    with pytest.raises(
        InputError, match=r"^Expected no_such_task to be a task of lmms-eval, .* --include-path"
    ):
        find("no_such_task", source_task)


def test_without_the_host_the_sentence_has_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    """Writing a task is what needs it."""
    monkeypatch.setitem(sys.modules, "lmms_eval", None)
    with pytest.raises(
        MissingPartError, match=r"^Writing a task needs lmms_eval.*'\.\[lmms-eval\]'"
    ):
        find("numbers", None)


def _task(documents: Any, **config: Any) -> Any:
    """A task of the host."""
    return SimpleNamespace(
        config=SimpleNamespace(**{"test_split": None, "validation_split": "val", **config}),
        dump_config=lambda: {"task": "t", **config},
        eval_docs=documents,
        eval_docs_no_media=documents,
        doc_to_target=lambda doc: f"target of {doc['text']}",
    )


def test_a_task_has_its_split_and_metric() -> None:
    """The test split before the validation's; the first metric of its YAML, accuracy where none is named."""
    of = TaskDocuments("t", _task([], metric_list=[{"metric": "a"}, {"metric": "b"}]))
    assert (of.split, of.metric) == ("val", "a")
    of = TaskDocuments("t", _task([], test_split="test", metric_list=None))
    assert (of.split, of.metric) == ("test", "accuracy")


def test_the_pictures_of_documents_are_encoded() -> None:
    """Of all columns that are pictures, in order; a list of documents, or one without such columns, has none."""
    datasets = pytest.importorskip("datasets", reason="datasets is not installed")
    pictures = [Image.new("RGB", (3, 2), colour) for colour in ("red", "blue")]
    columns = {"text": ["x", "y"], "a": pictures, "b": pictures[::-1]}
    features = datasets.Features(
        {"text": datasets.Value("string"), "a": datasets.Image(), "b": datasets.Image()}
    )
    found = TaskDocuments("t", _task(datasets.Dataset.from_dict(columns, features))).pictures()
    sizes = [
        [Image.open(io.BytesIO(each["bytes"])).convert("RGB").getpixel((0, 0)) for each in doc]
        for doc in found
    ]
    assert sizes == [[(255, 0, 0), (0, 0, 255)], [(0, 0, 255), (255, 0, 0)]]
    assert TaskDocuments(
        "t", _task(datasets.Dataset.from_dict({"text": ["x", "y"]}))
    ).pictures() == [[], []]
    assert TaskDocuments("t", _task([{"text": "x"}])).pictures() == [[]]


def test_a_log_is_that_of_a_model_that_saw_no_picture(tmp_path: Path) -> None:
    """A line for each answer, the means of all scores, and how many documents there are."""
    of = TaskDocuments("t", _task([{"text": each} for each in "abc"], metric_list=None))
    answers = {2: ("C", {"accuracy": 1.0, "other": 0.5}), 0: ("A", {"accuracy": 0.0, "other": 1.0})}
    path = write_host_log(tmp_path, of, "m", answers)
    assert path.parent == tmp_path / "m"
    lines = (
        path.with_name(path.name.replace("_results.json", "_samples_t.jsonl"))
        .read_text()
        .splitlines()
    )
    found = [json.loads(line) for line in lines]
    names = ("doc_id", "target", "filtered_resps", "accuracy", "other", "score")
    assert [[sample[name] for name in names] for sample in found] == [
        [2, "target of c", "C", 1.0, 0.5, 1.0],
        [0, "target of a", "A", 0.0, 1.0, 0.0],
    ]
    content = json.loads(path.read_text())
    assert {name: content["results"]["t"][f"{name},none"] for name in ("accuracy", "other")} == {
        "accuracy": 0.5,
        "other": 0.75,
    }
    assert content["configs"] == {"t": {"task": "t", "metric_list": None}}
    assert (content["config"]["model"], content["config"]["model_args"]) == (
        "ablated",
        "base=m,ablation=text",
    )
    assert content["n-samples"] == {"t": {"original": 3, "effective": 2}}
