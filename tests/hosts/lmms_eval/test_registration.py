"""Registration with lmms-eval and the patches of its modules."""

from __future__ import annotations

import importlib
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.benchmarks.registry import yaml_folder
from spiqa_tasks.hosts.filtered_tasks import INCLUDE
from spiqa_tasks.hosts.lmms_eval import batch_scoring, own_tasks, registration
from spiqa_tasks.hosts.lmms_eval.logged_record import BASELINE, LoggedRecord
from spiqa_tasks.hosts.lmms_eval.registration import NO_FILTER, PATCHES, wrapped_names

OURS = {"spiqa_testA", "mmstar_filtered", "scifibench"}
BIN = Path(sys.executable).parent
MODULE = re.compile(r"\| +spiqa_tasks(\.|$)", re.MULTILINE)
HEAVY = """
import sys
before = set(sys.modules)
from spiqa_tasks.hosts.lmms_eval.registration import register_tasks
register_tasks()
heavy = {"torch", "datasets", "transformers", "lmms_eval", "numpy"} & (set(sys.modules) - before)
print(sorted(heavy))
"""
PLAIN_SCRIPT = """
from lmms_eval.evaluator import simple_evaluate
from spiqa_tasks.hosts.lmms_eval.registration import register_tasks

register_tasks()
result = simple_evaluate("random_choice", tasks=["mmstar_demo"], limit=2)
print(result["n-samples"]["mmstar_demo"]["effective"], "questions")
"""


def imports_ours(*command: str) -> bool:
    """Whether the interpreter, given these arguments, has imported a module of ours by its end."""
    done = subprocess.run([sys.executable, "-X", "importtime", *command], capture_output=True, text=True)
    assert "import time:" in done.stderr
    return MODULE.search(done.stderr) is not None


def test_registration_imports_nothing_heavy() -> None:
    """Hooking into the host loads neither torch nor datasets nor the host."""
    assert subprocess.run([sys.executable, "-c", HEAVY], capture_output=True, text=True).stdout == "[]\n"


def test_nothing_of_ours_runs_in_other_processes(tmp_path: Path) -> None:
    """Neither in a command, a script, pytest nor another module, whatever arguments they are given."""
    script = tmp_path / "x.py"
    script.write_text("")
    assert not imports_ours("-c", "pass", "-m", "lmms_eval")
    assert not imports_ours(str(script), "lmms_eval")
    assert not imports_ours(str(script), "-m", "lmms_eval")
    assert not imports_ours(str(BIN / "pytest"), "--version", "-m", "lmms_eval")
    assert not imports_ours("-m", "json.tool", "--help", "lmms_eval")
    assert not imports_ours("-m", "uvicorn", "--version")


def test_the_hosts_processes_have_it_from_the_start(tmp_path: Path) -> None:
    """The command, the module in its spellings, and uvicorn with an app of the host."""
    command = tmp_path / "lmms-eval"
    command.write_text("")
    assert imports_ours(str(command), "tasks", "list")
    assert imports_ours("-W", "ignore", "-X", "utf8", "-m", "uvicorn", "--version", "lmms_eval.tui.server:app")
    assert imports_ours("-m", "lmms_eval.no_such_module")
    assert imports_ours("-mlmms_eval.no_such_module")


@pytest.mark.usefixtures("host")
def test_the_entry_point_has_our_models_and_makes_our_tasks_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """The wrapper is chat or simple as its base is, all others are simple; every class is where it is said to be."""
    importlib.import_module("lmms_eval.models")  # which calls the entry point itself
    patched: list[Any] = []
    monkeypatch.setattr(registration, "patch", patched.append)
    wrapper, *others = registration.register()
    assert patched == [PATCHES]
    places = [(wrapper.simple_class_path, "AblatedSimple"), (wrapper.chat_class_path, "Ablated")]
    assert wrapper.model_id == "ablated"
    assert places == [(f"spiqa_tasks.models.ablated.{name}", name) for _, name in places]
    assert {each.model_id: (each.simple_class_path, each.chat_class_path) for each in others} == {
        name: (path, None) for name, path in registration.MODELS.items()
    }
    for path in (*registration.MODELS.values(), *(place for place, _ in places)):
        module, _, name = path.rpartition(".")
        assert isinstance(getattr(importlib.import_module(module), name), type)


@pytest.mark.slow
@pytest.mark.parametrize("command", [[str(BIN / "lmms-eval")], [sys.executable, "-m", "lmms_eval"]], ids=["cli", "-m"])
def test_bare_tasks_list_shows_our_tasks(command: list[str]) -> None:
    """`lmms-eval tasks list` and `python -m lmms_eval tasks list` load no models and find the tasks all the same."""
    listed = subprocess.run([*command, "tasks", "list"], capture_output=True, text=True, check=True).stdout.split()
    assert set(listed) >= OURS


@pytest.mark.slow
def test_plain_script_needs_one_call(tmp_path: Path) -> None:
    """`simple_evaluate` in a script of one's own finds tasks and models after the documented call."""
    script = tmp_path / "plain.py"
    script.write_text(PLAIN_SCRIPT)
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, env=os.environ)
    assert "2 questions" in done.stdout, done.stderr[-2000:]


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        lambda port: [sys.executable, "-m", "uvicorn", "lmms_eval.tui.server:app", "--port", port],
        lambda port: [str(BIN / "lmms-eval"), "serve", "--host", "127.0.0.1", "--port", port],
    ],
    ids=["ui", "serve"],
)
def test_served_tasks_are_ours_too(command: Callable[[str], list[str]]) -> None:
    """The servers, each as a process of its own that nobody told of us."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    process = subprocess.Popen(command(port), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        answer = waited_for(f"http://127.0.0.1:{port}/tasks", process)
    finally:
        process.terminate()
        process.wait(30)
    names = {task["id"] for task in answer} if isinstance(answer, list) else set(answer["tasks"])
    assert names >= OURS


def waited_for(url: str, process: subprocess.Popen[bytes], seconds: float = 240) -> Any:
    """The JSON at `url`, once its server listens."""
    import httpx

    end = time.monotonic() + seconds
    while time.monotonic() < end:
        assert process.poll() is None, "the server stopped"
        try:
            return httpx.get(url, timeout=120).json()
        except httpx.ConnectError:
            time.sleep(0.5)
    raise AssertionError(f"nothing listens at {url}")


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


def _patched(name: str, **members: Any) -> Any:
    """A stand-in of one of the host's modules, patched; it has the attribute that shows it to be imported."""
    host = SimpleNamespace(**members)
    attribute, apply = PATCHES[name]
    assert hasattr(host, attribute)
    apply(host)
    return host


@pytest.mark.parametrize("given", [None, "one", ["one", "two"]])
def test_the_index_of_tasks_has_our_folders_after_those_it_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: Any
) -> None:
    """And those that are written for benchmarks of one's own, whose names are checked against it."""
    asked: list[Any] = []

    class TaskManager:
        model_name: str | None

        def initialize_tasks(self, include_path: Any = None, *args: Any, **kwargs: Any) -> dict[str, Any]:
            """Index."""
            asked.append((include_path, args, kwargs))
            return {"numbers": {"yaml_path": "there.yaml"}}

    _patched("lmms_eval.tasks", TaskManager=TaskManager)
    names = [] if given is None else [given] if isinstance(given, str) else given
    monkeypatch.setattr(own_tasks, "write_own", lambda folders: [*folders, tmp_path / "own"])
    checked: list[Any] = []
    monkeypatch.setattr(own_tasks, "check_names", lambda *args: checked.append(args))
    monkeypatch.setenv(INCLUDE, str(tmp_path))
    index = TaskManager().initialize_tasks(given, 1, include_defaults=False)
    own = [*names, str(tmp_path / "own")]
    folders = [*names, str(yaml_folder()), str(tmp_path), *own]
    assert asked == [(folders, (1,), {"include_defaults": False})]
    assert checked == [(index, [Path(each) for each in own])]
    assert index == {"numbers": {"yaml_path": "there.yaml"}}
    monkeypatch.setitem(wrapped_names, "ablated", "qwen2_5_vl")
    manager_of_ours = TaskManager()
    for name, found in (("ablated", "qwen2_5_vl"), ("llava", "llava"), (None, None), ("", "")):
        manager_of_ours.model_name = name
        assert manager_of_ours.model_name == found
    assert TaskManager.initialize_tasks.__doc__ == "Index."


def test_a_filter_of_ours_is_told_the_places_of_the_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """A limit, or another process, has other documents than the first ones; then the answers are scored."""
    calls: list[Any] = []

    class FilterEnsemble:
        name = "strict"

        def __init__(self) -> None:
            self.filters = [SimpleNamespace(places=None), SimpleNamespace()]

        def apply(self, instances: Any, docs: Any) -> None:
            """Filter."""
            calls.append(("apply", instances, docs, [vars(each) for each in self.filters]))

    _patched("lmms_eval.api.filter", FilterEnsemble=FilterEnsemble)
    monkeypatch.setattr(batch_scoring, "is_ours", lambda docs: docs == "docs")
    monkeypatch.setattr(batch_scoring, "score_together", lambda *args: calls.append(("score", *args)))
    requests = [SimpleNamespace(doc_id=place) for place in (4, 2)]
    FilterEnsemble().apply(requests, "docs")
    assert calls == [("apply", requests, "docs", [{"places": [4, 2]}, {}]), ("score", requests, "docs", "strict")]
    assert FilterEnsemble.apply.__doc__ == "Filter."


@pytest.mark.parametrize("include", [None, "mine"])
def test_the_interface_lists_our_tasks_in_order_and_the_hosts_win(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, include: str | None
) -> None:
    """Of all folders of ours and those that are written for the given one; YAMLs that are no tasks are left out."""
    for folder, name in (("given", "b"), ("given", "none"), ("own", "a"), ("own", "z")):
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / f"{name}.yaml").touch()
    monkeypatch.setattr(registration, "_folders", lambda: [tmp_path / "given"])
    written: list[Any] = []
    monkeypatch.setattr(own_tasks, "write_own", lambda folders: written.append(folders) or [tmp_path / "own"])
    host = _patched(
        "lmms_eval.tui.discovery",
        discover_tasks=lambda path: [("z", f"theirs of {path}")],
        _parse_task_yaml=lambda path: None if path.stem == "none" else (path.stem, "ours"),
    )
    assert host.discover_tasks(include) == [("a", "ours"), ("b", "ours"), ("z", f"theirs of {include}")]
    assert written == [[Path("mine")] if include else []]


def test_aggregation_gets_what_the_host_hands_to_it() -> None:
    """Its arguments, and rows of others that are called as ours; only ours for the baseline goes."""
    calls: list[Any] = []

    class TaskOutput:
        sample_metrics: dict[tuple[str, str], list[Any]]

        def calculate_aggregate_metric(self, *args: Any, **kwargs: Any) -> None:
            """Aggregate."""
            calls.append((dict(self.sample_metrics), args, kwargs))

    _patched("lmms_eval.evaluator_utils", TaskOutput=TaskOutput)
    entry = LoggedRecord({"id": "1"}, "accuracy", Record("1"), ("mmstar", ""))
    output = TaskOutput()
    output.sample_metrics = {("accuracy", "none"): [entry], ("scores", "none"): [1.0], (BASELINE, "k"): [1.0]}
    output.calculate_aggregate_metric(100, bootstrap_iters=5)
    assert calls == [({("accuracy", "none"): [entry], ("scores", "none"): [1.0]}, (100,), {"bootstrap_iters": 5})]
    assert TaskOutput.calculate_aggregate_metric.__doc__ == "Aggregate."
