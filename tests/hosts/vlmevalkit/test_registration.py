"""The host's own command line, of a published build or a checkout, and its absence."""

from __future__ import annotations

import subprocess
import sys
from functools import partial
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from spiqa_tasks import extras
from spiqa_tasks.errors import InputError, MissingPartError
from spiqa_tasks.hosts.vlmevalkit import __main__, registration
from spiqa_tasks.hosts.vlmevalkit.patches import PATCHES
from spiqa_tasks.hosts.vlmevalkit.version import OLDEST


def test_a_checkouts_run_py_is_run(tmp_path: Path) -> None:
    """It lies beside the package, which has no module `run`."""
    (tmp_path / "vlmeval").mkdir()
    (tmp_path / "vlmeval/__init__.py").write_text("")
    (tmp_path / "run.py").write_text("import sys\nif __name__ == '__main__':\n    print(sys.argv)\n")
    code = "import sys; sys.path.insert(0, '.'); from spiqa_tasks.hosts.vlmevalkit.registration import run_host; "
    command = [sys.executable, "-c", f"{code} run_host(['--data', 'x'])"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout.strip().endswith("run.py', '--data', 'x']"), done.stderr


def test_without_the_host_one_sentence_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Status 2."""
    monkeypatch.setattr(extras.importlib.util, "find_spec", lambda _name: None)
    with pytest.raises(MissingPartError, match="pip install"):
        registration.import_host()
    assert __main__.main(["--data", "mmstar_demo", "--model", "m"]) == 2
    assert "[vlmevalkit]" in capsys.readouterr().err


def test_help_needs_no_host() -> None:
    """It is printed at once, from what the launcher itself understands, and names the host's own help."""
    code = "import sys; from spiqa_tasks.hosts.vlmevalkit.__main__ import main; sys.modules['vlmeval'] = None; main()"
    done = subprocess.run([sys.executable, "-X", "importtime", "-c", code, "--help"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-1000:]
    assert "--data TASK" in done.stdout
    assert "vlmeval.run --help" in done.stdout
    assert not {"pandas", "torch", "datasets"} & {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}


def test_a_build_that_would_show_another_prompt_is_refused(tmp_path: Path) -> None:
    """By the launcher and in the host's own command, which goes on without our tasks; the oldest one is setup.cfg's."""
    (tmp_path / "vlmeval/smp").mkdir(parents=True)
    dataset = "DATASET_CLASSES, SUPPORTED_DATASETS, build_dataset = [], [], print"
    for name, content in (("__init__", ""), ("dataset", dataset), ("config", ""), ("inference", "")):
        (tmp_path / f"vlmeval/{name}.py").write_text(content)
    code = "import sys; sys.path.insert(0, '.'); from spiqa_tasks.hosts.vlmevalkit.__main__ import main; "
    command = [sys.executable, "-c", f"{code} sys.exit(main(['--data', 'mmstar_demo', '--model', 'm']))"]
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


def test_the_host_is_patched_and_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    """In this order; what is left is that its datasets are ours, else one sentence says why not."""
    steps: list[Any] = []
    _host(monkeypatch, dataset={"SpiqaTasks": None})
    monkeypatch.setattr(registration, "require", lambda *given: steps.append(given))
    monkeypatch.setattr(registration, "patch", steps.append)
    monkeypatch.setattr(registration, "fault_of_prompts", lambda: None)
    monkeypatch.setattr(registration.importlib, "import_module", steps.append)
    registration.import_host()
    assert steps == [("vlmevalkit", "spiqa-vlmevalkit"), PATCHES, "vlmeval.dataset", "vlmeval.config"]
    _host(monkeypatch, dataset={})
    for fault, sentence in (
        (None, "Expected VLMEvalKit to know this package's tasks, found the fault above. Correct it."),
        ("Expected a newer one.", "Expected a newer one."),
    ):
        monkeypatch.setattr(registration, "fault_of_prompts", lambda fault=fault: fault)
        with pytest.raises(InputError) as caught:
            registration.import_host()
        assert str(caught.value) == sentence


@pytest.mark.parametrize(
    ("error", "found"),
    [
        (
            ModuleNotFoundError("No module x", name="a.b.c"),
            "ModuleNotFoundError No module x. Install it: pip install a",
        ),
        (ModuleNotFoundError("No module x"), "ModuleNotFoundError No module x. Install VLMEvalKit again."),
        (ImportError("no y", name="a"), "ImportError no y. Install VLMEvalKit again."),
        (RuntimeError("z"), "RuntimeError z. Install VLMEvalKit again."),
    ],
)
def test_a_host_that_cannot_be_imported_has_a_remedy(
    monkeypatch: pytest.MonkeyPatch, error: Exception, found: str
) -> None:
    """The package that is missing, where one is."""

    def fail(_name: str) -> None:
        raise error

    monkeypatch.setattr(registration, "require", lambda *_: None)
    monkeypatch.setattr(registration, "patch", lambda _: None)
    monkeypatch.setattr(registration.importlib, "import_module", fail)
    with pytest.raises(InputError) as caught:
        registration.import_host()
    assert str(caught.value) == f"Expected VLMEvalKit to be importable, found {found}"


def test_a_server_is_asked_by_the_name_that_it_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Patched once, however often names are added; other models keep theirs, and all other options stay."""
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


def test_what_the_host_knows_of_models_and_datasets(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Classes of its configurations and of a `--config` file, names of pictures' and videos' datasets, its folder."""
    configured = {"a": partial(str), "b": object()}
    _host(
        monkeypatch,
        api={"Api": 1, "Both": 2},
        vlm={"Local": 3, "Both": 4},
        config={"supported_VLM": configured},
        dataset={"SUPPORTED_DATASETS": ["x", "mmstar_demo"], "supported_video_datasets": {"v": None}},
        smp={"LMUDataRoot": lambda: str(tmp_path)},
    )
    assert registration.supported() is configured
    assert registration.model_class("a", None) is registration.model_class("a", {"k": 1}) is str
    assert registration.model_class("b", {}) is registration.model_class("none", None) is None
    classes = [registration.model_class("a", {"class": name}) for name in ("Api", "Local", "Both", "None")]
    assert classes == [1, 3, 2, None]
    assert registration.datasets() == ["x", "mmstar_demo", "v"]
    assert registration.tables_folder() == tmp_path


def test_a_published_build_runs_its_module_and_a_checkout_its_script(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """With the arguments as the host would have them; the options that it knows are those in its text."""
    calls: list[Any] = []
    host = _host(monkeypatch, run={"main": lambda: calls.append(("main", sys.argv))})
    host.__file__ = str(tmp_path / "vlmeval" / "__init__.py")
    (tmp_path / "run.py").write_text("# é\nparser.add_argument('--data-config')\n", "utf-8")
    (tmp_path / "module.py").write_text("parser.add_argument('--data')\n")
    monkeypatch.setattr(sys, "argv", [])
    monkeypatch.setattr(registration.runpy, "run_path", lambda *args, **more: calls.append((args, more, sys.argv)))
    found: dict[str, Any] = {"vlmeval.run": SimpleNamespace(origin=str(tmp_path / "module.py"))}
    monkeypatch.setattr(registration.importlib.util, "find_spec", found.get)
    registration.run_host(("--data", "x"))
    assert (registration.knows_option("--data-config"), registration.knows_option("--data")) == (False, True)
    found["vlmeval.run"] = SimpleNamespace(origin=None)
    assert registration.knows_option("--data-config")
    found.clear()
    registration.run_host(["--data", "y"])
    assert registration.knows_option("--data-config")
    script = ((str(tmp_path / "run.py"),), {"run_name": "__main__"}, ["run.py", "--data", "y"])
    assert calls == [("main", ["run.py", "--data", "x"]), script]
