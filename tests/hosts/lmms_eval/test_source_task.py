"""The YAML of any task of the host, by its name."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest
from PIL import Image

from spiqa_tasks.benchmarks.registry import yaml_folder
from spiqa_tasks.errors import InputError, MissingPartError
from spiqa_tasks.hosts.lmms_eval import source_task as module
from spiqa_tasks.hosts.lmms_eval.source_task import (
    TaskDocuments,
    UnknownTaskError,
    index_with,
    task_documents,
    write_host_log,
)
from spiqa_tasks.hosts.lmms_eval.source_task import source_task as find


@pytest.mark.usefixtures("host")
def test_a_task_of_a_folder_and_one_of_ours_are_found_with_their_values(source_task: Path) -> None:
    """The path is that of the YAML itself, and the values are those in it, functions left out."""
    path, values = find("numbers", source_task)
    assert path == (source_task / "numbers.yaml").resolve()
    assert (values["task"], values["doc_to_target"], values["test_split"]) == ("numbers", "answer", "test")
    assert not any(callable(value) for value in values.values())
    path, values = find("mmstar_demo", None)
    assert path == (yaml_folder() / "mmstar" / "mmstar_demo.yaml").resolve()
    assert values["task"] == "mmstar_demo"


@pytest.mark.usefixtures("host")
def test_a_group_is_no_task() -> None:
    """Its name is refused in one sentence, as a filter is of one task's questions."""
    with pytest.raises(InputError, match=r"^Expected multimodal_gain to be a task of lmms-eval, .* --include-path"):
        find("multimodal_gain", None)


@pytest.mark.slow
@pytest.mark.usefixtures("host")
def test_the_hosts_own_tasks_are_found_and_unknown_names_refused(source_task: Path) -> None:
    """A task that no folder of ours has is looked for among the host's, which takes seconds."""
    path, values = find("mmstar", None)
    assert (path.suffix, values["task"]) == (".yaml", "mmstar")
    assert yaml_folder() not in path.parents
    with pytest.raises(InputError, match=r"^Expected no_such_task to be a task of lmms-eval, .* --include-path"):
        find("no_such_task", source_task)


def test_without_the_host_the_sentence_has_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    """Writing a task is what needs it."""
    monkeypatch.setitem(sys.modules, "lmms_eval", None)
    with pytest.raises(MissingPartError, match=r"^Writing a task needs lmms_eval.*'\.\[lmms-eval\]'"):
        find("numbers", None)


class _Manager:
    """The host's index, which notes how it is made: of our folders, and with the host's own tasks as well."""

    made: ClassVar[list[Any]] = []

    def __init__(self, verbosity: str, include: list[str], include_defaults: bool = True) -> None:
        self.made.append((verbosity, include, include_defaults))
        ours = {"ours": {"type": "task"}, "code": {"type": "python_task"}, "group": {"type": "group"}}
        self.task_index = {**ours, "theirs": {"type": "task"}} if include_defaults else ours


@pytest.fixture
def indexes(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The indexes that were made, and when our tasks were registered and the host's log was switched."""
    logger = pytest.importorskip("loguru", reason="lmms-eval is not installed").logger
    monkeypatch.setitem(sys.modules, "lmms_eval.tasks", SimpleNamespace(TaskManager=_Manager))  # type: ignore[arg-type]
    monkeypatch.setattr(_Manager, "made", [])
    monkeypatch.setattr(module, "register_tasks", lambda: _Manager.made.append("registered"))
    monkeypatch.setattr(logger, "disable", lambda name: _Manager.made.append(f"-{name}"))
    monkeypatch.setattr(logger, "enable", lambda name: _Manager.made.append(f"+{name}"))
    return _Manager.made


def test_the_hosts_own_tasks_are_indexed_only_where_they_are_needed(indexes: list[Any]) -> None:
    """It takes seconds; its log is silent meanwhile."""
    ours, all_tasks = (("WARNING", ["a"], False), ("WARNING", ["a"], True))
    for name, made in (("ours", [ours]), ("code", [ours]), ("theirs", [ours, all_tasks])):
        assert name in index_with(name, [Path("a")]).task_index
        assert indexes == ["-lmms_eval", "registered", *made, "+lmms_eval"]
        indexes.clear()


@pytest.mark.parametrize("name", ["group", "none"])
def test_what_is_no_task_is_refused(indexes: list[Any], name: str) -> None:
    """A group and an unknown name; the log is no longer silent then."""
    with pytest.raises(UnknownTaskError) as caught:
        index_with(name, [])
    assert str(caught.value) == (
        f"Expected {name} to be a task of lmms-eval, found none. Name the folder of its YAML with --include-path."
    )
    assert indexes[-1] == "+lmms_eval"


def test_the_yaml_is_read_without_its_functions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At its own place, by the host's reader."""
    asked: list[Any] = []
    (tmp_path / "link.yaml").symlink_to(tmp_path / "real.yaml")
    index = SimpleNamespace(task_index={"t": {"yaml_path": str(tmp_path / "link.yaml")}})
    monkeypatch.setattr(module, "index_with", lambda *given: asked.append(given) or index)
    reader = SimpleNamespace(load_yaml_config=lambda path, mode: {"path": path, "mode": mode})
    monkeypatch.setitem(sys.modules, "lmms_eval.utils", reader)  # type: ignore[arg-type]
    path = tmp_path / "real.yaml"
    for include, folders in ((None, []), (tmp_path, [tmp_path])):
        assert find("t", include) == (path, {"path": str(path), "mode": "simple"})
        assert asked.pop() == ("t", folders)


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
    assert (of.split, of.metric, of.config) == (
        "test",
        "accuracy",
        {"task": "t", "test_split": "test", "metric_list": None},
    )


def test_the_pictures_of_documents_are_encoded() -> None:
    """Of all columns that are pictures, in order; a list of documents, or one without such columns, has none."""
    datasets = pytest.importorskip("datasets", reason="datasets is not installed")
    pictures = [Image.new("RGB", (3, 2), colour) for colour in ("red", "blue")]
    columns = {"text": ["x", "y"], "a": pictures, "b": pictures[::-1]}
    features = datasets.Features({"text": datasets.Value("string"), "a": datasets.Image(), "b": datasets.Image()})
    found = TaskDocuments("t", _task(datasets.Dataset.from_dict(columns, features))).pictures()
    sizes = [[Image.open(io.BytesIO(each["bytes"])).convert("RGB").getpixel((0, 0)) for each in doc] for doc in found]
    assert sizes == [[(255, 0, 0), (0, 0, 255)], [(0, 0, 255), (255, 0, 0)]]
    assert TaskDocuments("t", _task(datasets.Dataset.from_dict({"text": ["x", "y"]}))).pictures() == [[], []]
    assert TaskDocuments("t", _task([{"text": "x"}])).pictures() == [[]]


@pytest.mark.usefixtures("host")
def test_documents_are_loaded_by_the_host(monkeypatch: pytest.MonkeyPatch, indexes: list[Any]) -> None:
    """Whatever a task's own code raises is one sentence, with a command to see it."""
    asked: list[Any] = []
    index = SimpleNamespace(load_task_or_group=lambda name: {name: "the task"})
    monkeypatch.setattr(module, "index_with", lambda *given: asked.append(given) or index)
    assert task_documents("t", [Path("a")]) == TaskDocuments("t", "the task")
    assert asked == [("t", [Path("a")])]
    assert indexes == ["-lmms_eval", "+lmms_eval"]
    index.load_task_or_group = lambda _: 1 / 0
    with pytest.raises(InputError) as caught:
        task_documents("t")
    assert str(caught.value) == (
        "Expected lmms-eval to load the documents of t, found ZeroDivisionError division by zero. "
        "Try `lmms-eval --model dummy --tasks t --limit 1` first."
    )
    assert indexes[2:] == ["-lmms_eval", "+lmms_eval"]


def test_a_log_is_that_of_a_model_that_saw_no_picture(tmp_path: Path) -> None:
    """A line for each answer, the means of all scores, and how many documents there are."""
    of = TaskDocuments("t", _task([{"text": each} for each in "abc"], metric_list=None))
    answers = {2: ("C", {"accuracy": 1.0, "other": 0.5}), 0: ("A", {"accuracy": 0.0, "other": 1.0})}
    path = write_host_log(tmp_path, of, "m", answers)
    assert path.parent == tmp_path / "m"
    lines = path.with_name(path.name.replace("_results.json", "_samples_t.jsonl")).read_text().splitlines()
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
    assert (content["config"]["model"], content["config"]["model_args"]) == ("ablated", "base=m,ablation=text")
    assert content["n-samples"] == {"t": {"original": 3, "effective": 2}}


def test_what_json_does_not_have_is_logged_as_text(tmp_path: Path) -> None:
    """In targets and in the values of the YAML."""
    task = _task([{"text": "x"}], metric_list=Path("p"))
    task.doc_to_target = lambda _: Path("q")
    path = write_host_log(tmp_path, TaskDocuments("t", task), "m", {0: ("A", {"accuracy": 1.0})})
    assert json.loads(path.read_text())["configs"]["t"]["metric_list"] == "p"
    assert (
        json.loads(path.with_name(path.name.replace("_results.json", "_samples_t.jsonl")).read_text())["target"] == "q"
    )
