"""The host's own command line, of a published build or a checkout, and its absence."""

import importlib
import inspect
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from spiqa_tasks import extras
from spiqa_tasks.errors import InputError, MissingPartError
from spiqa_tasks.hosts.vlmevalkit import __main__, registration
from spiqa_tasks.hosts.vlmevalkit.registration import OLDEST, PATCHES

from .conftest import Launch


def test_a_checkouts_run_py_is_the_command(tmp_path: Path) -> None:
    """It lies beside the package, which has no module `run`."""
    (tmp_path / "vlmeval").mkdir()
    (tmp_path / "vlmeval/__init__.py").write_text("")
    (tmp_path / "run.py").write_text("def main():\n    print('main of', __name__)\n")
    code = (
        "import sys; sys.path.append('.'); "
        "from spiqa_tasks.hosts.vlmevalkit.registration import command_of_host; "
        "command_of_host().main()"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout.strip() == "main of run", done.stderr


def test_without_the_host_one_sentence_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Status 2."""
    monkeypatch.setattr(extras.importlib.util, "find_spec", lambda _name: None)
    with pytest.raises(MissingPartError, match="pip install"):
        registration.import_host()
    assert __main__.main(["--data", "mmstar_demo", "--model", "m"]) == 2
    assert "[vlmevalkit]" in capsys.readouterr().err


def test_a_build_that_would_show_another_prompt_is_refused(tmp_path: Path) -> None:
    """By the launcher and in the host's own command, which goes on without our tasks; the oldest
    one is setup.cfg's.
    """
    (tmp_path / "vlmeval/smp").mkdir(parents=True)
    dataset = "DATASET_CLASSES, SUPPORTED_DATASETS, build_dataset = [], [], print"
    for name, content in (
        ("__init__", ""),
        ("dataset", dataset),
        ("config", ""),
        ("inference", ""),
    ):
        (tmp_path / f"vlmeval/{name}.py").write_text(content)
    code = (
        "import sys; sys.path.insert(0, '.'); from spiqa_tasks.hosts.vlmevalkit.__main__ import"
        " main; "
    )
    command = [
        sys.executable,
        "-c",
        f"{code} sys.exit(main(['--data', 'mmstar_demo', '--model', 'm']))",
    ]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2
    assert f"ms-vlmeval {OLDEST} or newer; found" in done.stderr.splitlines()[-1]
    assert "Until then VLMEvalKit runs without this package's tasks." in done.stderr
    setup = Path(__file__).resolve().parents[3] / "setup.cfg"
    assert f"ms-vlmeval>={OLDEST}\n" in setup.read_text()


def _host(monkeypatch: pytest.MonkeyPatch, **modules: Any) -> Any:
    """A stand-in of the host with some modules, by their names without `vlmeval.`."""
    host = ModuleType("vlmeval")
    monkeypatch.setitem(sys.modules, "vlmeval", host)
    for name, members in modules.items():
        module = ModuleType(f"vlmeval.{name}")
        vars(module).update(members)
        monkeypatch.setitem(sys.modules, module.__name__, module)
        setattr(host, name, module)
    return host


def test_a_host_that_cannot_be_imported_has_a_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    """The package that is missing is in the error."""

    def fail(_name: str) -> None:
        raise ModuleNotFoundError("No module named 'rouge_score'")

    monkeypatch.setattr(registration, "require", lambda *_: None)
    monkeypatch.setattr(registration, "patch", lambda _: None)
    monkeypatch.setattr(registration.importlib, "import_module", fail)
    with pytest.raises(
        InputError, match=r"found ModuleNotFoundError.*No module named 'rouge_score'"
    ):
        registration.import_host()


def test_a_server_is_asked_by_the_name_that_it_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Patched once, however often names are added; other models keep theirs, and all other
    options stay.
    """
    made: list[dict[str, Any]] = []

    class LMDeployAPI:
        def __init__(self, **options: Any) -> None:
            made.append(options)

    _host(monkeypatch, api={"LMDeployAPI": LMDeployAPI})
    registration.serve_as({"org--a": "org/a"})
    registration.serve_as({"org--b": "org/b"})
    for name in ("org--a", "org--b", "c"):
        LMDeployAPI(model=name, key="k")
    assert made == [{"model": name, "key": "k"} for name in ("org/a", "org/b", "c")]


# Module of the host -> the line of its source that makes the patch needed.
LINES = {
    "vlmeval.smp.file": "pickle.dump(data, open(pth, 'wb'))",
    "vlmeval.dataset": "in DATASET_CLASSES:",
    "vlmeval.inference_api": "model.use_custom_prompt(dataset_name)",
    "vlmeval.vlm.base": "def message_to_promptimg(",
    "vlmeval.api.base": "def message_to_promptimg(",
}


def test_the_host_has_the_lines_that_make_the_patches_needed(launch: Launch) -> None:
    """Where one is gone, so may be the patch."""
    assert launch is not None
    for name in PATCHES:
        assert LINES[name] in inspect.getsource(importlib.import_module(name))
