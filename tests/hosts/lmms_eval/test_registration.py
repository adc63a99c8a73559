"""Registration with lmms-eval and the patches of its modules."""

import importlib
import inspect
import os
import re
import socket
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from spiqa_tasks.errors import DataError
from spiqa_tasks.hosts.lmms_eval import registration
from spiqa_tasks.hosts.lmms_eval.registration import PATCHES, _patch_options, exit_with_message

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
    """Return whether a Python process with these arguments imports a module of ours."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", *command], capture_output=True, text=True
    )
    assert "import time:" in done.stderr
    return MODULE.search(done.stderr) is not None


def test_registration_imports_nothing_heavy() -> None:
    """Hooking into the host loads neither torch nor datasets nor the host."""
    assert (
        subprocess.run([sys.executable, "-c", HEAVY], capture_output=True, text=True).stdout
        == "[]\n"
    )


def test_nothing_of_ours_runs_in_other_processes(tmp_path: Path) -> None:
    """Neither in a command, a script, pytest nor another module, whatever arguments they are
    given.
    """
    script = tmp_path / "x.py"
    script.write_text("")
    assert not imports_ours("-c", "pass", "-m", "lmms_eval")
    assert not imports_ours(str(script), "lmms_eval")
    assert not imports_ours(str(script), "-m", "lmms_eval")
    assert not imports_ours(str(BIN / "pytest"), "--version", "-m", "lmms_eval")
    assert not imports_ours("-m", "json.tool", "--help", "lmms_eval")


def test_the_hosts_processes_have_it_from_the_start(tmp_path: Path) -> None:
    """The command, and the module in its spellings."""
    command = tmp_path / "lmms-eval"
    command.write_text("")
    assert imports_ours(str(command), "tasks", "list")
    assert imports_ours("-W", "ignore", "-X", "utf8", "-m", "lmms_eval.no_such_module")
    assert imports_ours("-m", "lmms_eval.no_such_module")
    assert imports_ours("-mlmms_eval.no_such_module")


@pytest.mark.usefixtures("host")
def test_the_entry_point_has_our_models_and_makes_our_tasks_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The wrapper is chat or simple as its base is, all others are simple; every class is where
    it is said to be.
    """
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
@pytest.mark.parametrize(
    "command", [[str(BIN / "lmms-eval")], [sys.executable, "-m", "lmms_eval"]], ids=["cli", "-m"]
)
def test_bare_tasks_list_shows_our_tasks(command: list[str]) -> None:
    """`lmms-eval tasks list` and `python -m lmms_eval tasks list` load no models and find the
    tasks all the same.
    """
    listed = subprocess.run(
        [*command, "tasks", "list"], capture_output=True, text=True, check=True
    ).stdout.split()
    assert set(listed) >= OURS


@pytest.mark.slow
def test_plain_script_needs_one_call(tmp_path: Path) -> None:
    """`simple_evaluate` in a script of one's own finds tasks and models after the documented
    call.
    """
    script = tmp_path / "plain.py"
    script.write_text(PLAIN_SCRIPT)
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, env=os.environ
    )
    assert "2 questions" in done.stdout, done.stderr[-2000:]


@pytest.mark.slow
def test_served_tasks_are_ours_too() -> None:
    """The server, as a process of its own that nobody told of us."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    command = [str(BIN / "lmms-eval"), "serve", "--host", "127.0.0.1", "--port", port]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        answer = waited_for(f"http://127.0.0.1:{port}/tasks", process)
    finally:
        process.terminate()
        process.wait(30)
    assert set(answer["tasks"]) >= OURS


def waited_for(url: str, process: subprocess.Popen[bytes], seconds: float = 240) -> Any:
    """Return the JSON at `url`, as soon as its server listens."""
    import httpx

    end = time.monotonic() + seconds
    while time.monotonic() < end:
        assert process.poll() is None, "the server stopped"
        try:
            return httpx.get(url, timeout=120).json()
        except httpx.ConnectError:
            time.sleep(0.5)
    raise AssertionError(f"nothing listens at {url}")


def test_errors_end_the_run_with_one_sentence(caplog: pytest.LogCaptureFixture) -> None:
    """Our own as they are; a defect is named and its traceback logged; Ctrl-C goes through."""
    with (
        pytest.raises(SystemExit, match=r"^spiqa-tasks: Expected a file, found none\.$"),
        exit_with_message(),
    ):
        raise DataError("Expected a file, found none.")
    assert caplog.text == ""
    with (
        pytest.raises(SystemExit, match=r"unexpected KeyError: 'figure'; please report it\.$"),
        exit_with_message(),
    ):
        raise KeyError("figure")
    assert "Traceback" in caplog.text
    with pytest.raises(KeyboardInterrupt), exit_with_message():
        raise KeyboardInterrupt


def _evaluator() -> Any:
    """Return a patched module like lmms-eval's evaluator; its function returns its arguments."""
    host = SimpleNamespace(simple_evaluate=lambda *args, **kwargs: (args, kwargs), evaluate=None)
    _patch_options(host)
    return host


@pytest.mark.parametrize("tasks", [["mmstar_demo"], ["mme", "spiqa"]])
def test_examples_of_the_host_are_refused_before_the_model_is_loaded(
    tasks: list[str],
) -> None:
    """The message names the tasks with examples of their own."""
    with pytest.raises(SystemExit, match=r"--num_fewshot with (mmstar_demo|spiqa), found 2\."):
        _evaluator().simple_evaluate(model="m", tasks=tasks, num_fewshot=2)


def test_a_folder_of_results_that_cannot_be_written_is_refused_before_the_model_is_loaded(
    tmp_path: Path,
) -> None:
    """lmms-eval itself logs at the end that it could not save, with status 0: all answers are
    lost.
    """
    (tmp_path / "file").write_text("")
    options = {"tasks": ["mmstar_demo"]}
    folder = SimpleNamespace(output_path=str(tmp_path / "file" / "out"))
    with pytest.raises(SystemExit, match=r"^spiqa-tasks: Expected a folder at .* Name another"):
        _evaluator().simple_evaluate(evaluation_tracker=folder, **options)
    for path in (None, str(tmp_path / "out")):
        tracker = SimpleNamespace(output_path=path)
        assert _evaluator().simple_evaluate(evaluation_tracker=tracker, **options)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(("tasks", "said"), [(["mmstar_demo"], 1), (["mme"], 0), (None, 0)])
def test_other_options_reach_the_host_as_they_are(
    tasks: Any, said: int, caplog: pytest.LogCaptureFixture
) -> None:
    """Of a system turn, which chat models do not get, a line says so."""
    options = {"model": "m", "tasks": tasks, "num_fewshot": 0, "system_instruction": "Be brief."}
    assert _evaluator().simple_evaluate(**options) == ((), options)
    assert caplog.text.count("simple models alone") == said


# Module of the host -> the line of its source that makes the patch needed.
LINES = {
    "lmms_eval.utils": '["git", "-C", str(_lmms_eval_repo_root()), *args]',
    "lmms_eval.tasks": "all_paths.extend(include_path)",
    "lmms_eval.api.filter": "inst.filtered_resps[self.name] = resp",
    "lmms_eval.filters": "FILTER_REGISTRY = {",
    "lmms_eval.evaluator_utils": "in self.sample_metrics.items():",
    "lmms_eval.baselines.loader": "== str(target).strip().upper()",
    "lmms_eval.evaluator": 'task_obj.set_config(key="num_fewshot", value=num_fewshot)',
    "lmms_eval.caching.response_cache": "def _is_valid_response(",
}


@pytest.mark.parametrize("name", PATCHES)
def test_the_host_has_the_line_that_makes_a_patch_needed(name: str) -> None:
    """Where it is gone, so may be the patch."""
    pytest.importorskip("lmms_eval", reason="lmms-eval is not installed")
    assert LINES[name] in inspect.getsource(importlib.import_module(name))
