"""The patches of the host's modules, on modules that stand in for them."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from spiqa_tasks.hosts.vlmevalkit import patches
from spiqa_tasks.hosts.vlmevalkit.patches import PATCHES

pd = pytest.importorskip("pandas", reason="pandas is not installed")
Calls = list[tuple[Any, ...]]


def _patched(name: str, host: Any) -> Any:
    """A stand-in of one of the host's modules, patched; it has the attribute that shows it to be imported."""
    attribute, apply = PATCHES[name]
    assert hasattr(host, attribute)
    apply(host)
    return host


def _files(calls: Calls, **more: Any) -> Any:
    """The host's module of files, which notes what its own functions are called with."""

    def load(*args: Any, **kwargs: Any) -> str:
        """Load."""
        calls.append(("load", args, kwargs))
        return "loaded"

    def dump(*args: Any, **kwargs: Any) -> str:
        """Dump."""
        calls.append(("dump", args, kwargs))
        return "dumped"

    return _patched("vlmeval.smp.file", SimpleNamespace(load=load, dump=dump, **more))


def test_answers_to_our_tasks_come_back_as_they_were(tmp_path: Path) -> None:
    """Every cell is a quoted text: blank, `None`, numbers with zeros, quotes, line ends, half a surrogate pair."""
    calls: Calls = []
    host = _files(calls)
    path = tmp_path / "a_model_mmstar_demo.tsv"
    table = pd.DataFrame({"index": ["007", "1e3"], "prediction": ['a "b"\n\tc\ud83d', None]}, dtype=object)
    host.dump(table.assign(n=[1, float("nan")]), str(path))
    assert path.read_bytes().decode() == (
        '"index"\t"prediction"\t"n"\n"007"\t"a ""b""\n\tc\\ud83d"\t"1.0"\n"1e3"\t""\t""\n'
    )
    expected = {"index": ["007", "1e3"], "prediction": ['a "b"\n\tc\\ud83d', ""], "n": ["1.0", ""]}
    assert host.load(path).to_dict("list") == expected
    assert calls == []
    assert (host.load.__name__, host.dump.__doc__) == ("load", "Dump.")


@pytest.mark.parametrize("name", ["m_mmstar_demo.xlsx", "m_other.tsv", "mmstar_demo.tsv", "m_mmstar_demo_extra.tsv"])
def test_other_files_are_the_hosts_own(tmp_path: Path, name: str) -> None:
    """Of other forms, of other datasets, and those whose name only begins like ours."""
    calls: Calls = []
    host = _files(calls)
    path = str(tmp_path / name)
    assert host.dump("table", path, 1, fmt="x") == "dumped"
    assert host.load(path, 2, fmt="y") == "loaded"
    assert calls == [("dump", ("table", path, 1), {"fmt": "x"}), ("load", (path, 2), {"fmt": "y"})]
    assert list(tmp_path.iterdir()) == []
    assert not hasattr(host, "get_pred_file_path")


def test_the_answers_file_of_ours_is_one_that_loses_nothing() -> None:
    """Whatever the host's settings say; that of others is where the host has it."""
    host = _files([], get_pred_file_path=lambda *args, **kwargs: (args, kwargs))
    assert host.get_pred_file_path("out", "m", "mmstar_demo", use_env_format=True) == "out/m_mmstar_demo.tsv"
    assert host.get_pred_file_path("out", "m", "MMBench", 1, use_env_format=True) == (
        ("out", "m", "MMBench", 1),
        {"use_env_format": True},
    )


def _datasets() -> Any:
    return SimpleNamespace(build_dataset=None, DATASET_CLASSES=["theirs"], SUPPORTED_DATASETS=["MMBench"])


def test_our_tasks_are_datasets_of_the_host(monkeypatch: pytest.MonkeyPatch) -> None:
    """The class is where `--config` looks for classes, and the names are beside those of the host."""
    kind = SimpleNamespace(supported_datasets=lambda: ["mmstar_demo", "spiqa_demo"])
    monkeypatch.setitem(
        sys.modules,
        "spiqa_tasks.hosts.vlmevalkit.dataset",
        SimpleNamespace(SpiqaTasks=kind),  # type: ignore[arg-type]
    )
    monkeypatch.setattr(patches, "fault_of_prompts", lambda: None)
    required: Calls = []
    monkeypatch.setattr(patches, "require", lambda *given: required.append(given))
    host = _patched("vlmeval.dataset", _datasets())
    assert vars(host) == {
        "build_dataset": None,
        "DATASET_CLASSES": ["theirs", kind],
        "SUPPORTED_DATASETS": ["MMBench", "mmstar_demo", "spiqa_demo"],
        "SpiqaTasks": kind,
    }
    assert required == [(extra, "This package's part in VLMEvalKit") for extra in ("score", "vlmevalkit")]


def test_a_host_that_would_show_another_prompt_runs_without_our_tasks(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With one sentence; nothing of the host is touched."""
    monkeypatch.setattr(patches, "require", lambda *_: None)
    monkeypatch.setattr(patches, "fault_of_prompts", lambda: "Expected a newer one, found an old one.")
    host = _patched("vlmeval.dataset", _datasets())
    assert vars(host) == vars(_datasets())
    assert capsys.readouterr().err == (
        "spiqa-tasks: Expected a newer one, found an old one. "
        "Until then VLMEvalKit runs without this package's tasks.\n"
    )


@pytest.mark.parametrize(("dataset", "custom"), [("mmstar_demo", False), ("MMBench", True)])
def test_the_queue_shows_our_prompt(dataset: str, custom: bool) -> None:
    """To every model class; those of other datasets show their own."""

    class DatasetConfig:
        def __init__(self) -> None:
            self.dataset_name, self.model_obj = dataset, SimpleNamespace()

        def __post_init__(self) -> None:
            """Prepare."""
            self.model_obj.use_custom_prompt = lambda _: True

    _patched("vlmeval.inference_api", SimpleNamespace(APIEvalPipeline=None, DatasetConfig=DatasetConfig))
    config = DatasetConfig()
    config.__post_init__()
    assert config.model_obj.use_custom_prompt("x") is custom
    assert DatasetConfig.__post_init__.__doc__ == "Prepare."


@pytest.mark.parametrize("name", ["BaseModel", "BaseAPI"])
def test_a_class_that_is_shown_one_picture_is_asked_about_one(name: str) -> None:
    """Several are refused for tasks of ours alone; messages without, or with one, go through as they are."""

    class Base:
        def message_to_promptimg(self, message: Any, dataset: str | None = None) -> Any:
            """Return what it is given."""
            return message, dataset

    module = {"BaseModel": "vlmeval.vlm.base", "BaseAPI": "vlmeval.api.base"}[name]
    _patched(module, SimpleNamespace(**{name: Base}))
    picture, text = {"type": "image"}, {"type": "text"}
    assert Base().message_to_promptimg([picture, text], "spiqa_demo") == ([picture, text], "spiqa_demo")
    assert Base().message_to_promptimg([text], dataset="spiqa_demo") == ([text], "spiqa_demo")
    assert Base().message_to_promptimg([picture, picture], "MMBench") == ([picture, picture], "MMBench")
    assert Base().message_to_promptimg([picture, picture]) == ([picture, picture], None)
    with pytest.raises(ValueError, match="several") as caught:
        Base().message_to_promptimg([picture, text, picture], "spiqa_demo")
    assert str(caught.value) == (
        "Expected a model class that takes several pictures for spiqa_demo, found Base, which is shown the first one "
        "only. Run a task that shows one at a time, such as spiqa_testA_perfigure."
    )
    assert Base.message_to_promptimg.__doc__ == "Return what it is given."
