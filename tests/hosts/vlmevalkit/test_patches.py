"""The patches of the host's modules, on modules that stand in for them."""

import os
import pickle
import signal
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from spiqa_tasks.hosts.vlmevalkit.registration import PATCHES

pd = pytest.importorskip("pandas", reason="pandas is not installed")
Calls = list[tuple[Any, ...]]


def _patched(name: str, host: Any) -> Any:
    """A stand-in of one of the host's modules, patched."""
    PATCHES[name](host)
    return host


def _files(calls: Calls) -> Any:
    """Return a stand-in for the host's module of files, whose functions add their arguments to
    `calls`.
    """

    def load(*args: Any, **kwargs: Any) -> str:
        """Load."""
        calls.append(("load", args, kwargs))
        return "loaded"

    def dump(*args: Any, **kwargs: Any) -> str:
        """Dump."""
        calls.append(("dump", args, kwargs))
        return "dumped"

    def path_of(*args: Any, **kwargs: Any) -> Any:
        return args, kwargs

    host = SimpleNamespace(load=load, dump=dump, get_pred_file_path=path_of)
    return _patched("vlmeval.smp.file", host)


def test_answers_to_our_tasks_come_back_as_they_were(tmp_path: Path) -> None:
    """Every cell is a quoted text: blank, `None`, numbers with zeros, quotes, line ends, half a
    surrogate pair.
    """
    calls: Calls = []
    host = _files(calls)
    path = tmp_path / "a_model_mmstar_demo.tsv"
    table = pd.DataFrame(
        {"index": ["007", "1e3"], "prediction": ['a "b"\n\tc\ud83d', None]}, dtype=object
    )
    host.dump(table.assign(n=[1, float("nan")]), str(path))
    assert (
        path.read_bytes().decode()
        == '"index"\t"prediction"\t"n"\n"007"\t"a ""b""\n\tc\\ud83d"\t"1.0"\n"1e3"\t""\t""\n'
    )
    expected = {"index": ["007", "1e3"], "prediction": ['a "b"\n\tc\\ud83d', ""], "n": ["1.0", ""]}
    assert host.load(path).to_dict("list") == expected
    assert calls == []
    assert (host.load.__name__, host.dump.__doc__) == ("load", "Dump.")


@pytest.mark.parametrize(
    "name", ["m_mmstar_demo.xlsx", "m_other.tsv", "mmstar_demo.tsv", "m_mmstar_demo_extra.tsv"]
)
def test_other_files_are_the_hosts_own(tmp_path: Path, name: str) -> None:
    """Of other forms, of other datasets, and those whose name only begins like ours."""
    calls: Calls = []
    host = _files(calls)
    path = str(tmp_path / name)
    assert host.dump("table", path, 1, fmt="x") == "dumped"
    assert host.load(path, 2, fmt="y") == "loaded"
    assert calls == [("dump", ("table", path, 1), {"fmt": "x"}), ("load", (path, 2), {"fmt": "y"})]
    assert list(tmp_path.iterdir()) == []


def test_the_answers_file_of_ours_is_one_that_loses_nothing() -> None:
    """Whatever the host's settings say; that of others is where the host has it."""
    host = _files([])
    assert (
        host.get_pred_file_path("out", "m", "mmstar_demo", use_env_format=True)
        == "out/m_mmstar_demo.tsv"
    )
    assert host.get_pred_file_path("out", "m", "MMBench", 1, use_env_format=True) == (
        ("out", "m", "MMBench", 1),
        {"use_env_format": True},
    )


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.parametrize("name", ["m_mmstar_demo_checkpoint.pkl", "02_mmstar_demo.pkl"])
def test_a_kill_leaves_a_checkpoint_whole(tmp_path: Path, name: str) -> None:
    """Killed 20 times while it writes; of the host's own `dump` 7 of 20 kills left an empty one."""
    host, path = _files([]), str(tmp_path / name)
    answers = {str(place): "x" * 2000 for place in range(300)}
    host.dump(answers, path)
    for number in range(20):
        child = os.fork()
        while not child:
            host.dump(answers, path)
        time.sleep(0.005 + number / 1000)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        assert host.load(path) == answers


@pytest.mark.parametrize("content", [b"", pickle.dumps({"1": "x"})[:-3]])
def test_a_damaged_checkpoint_is_named_and_its_questions_are_asked_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes
) -> None:
    """It is an empty one from then on."""
    host = _files([])
    path = tmp_path / "m_mmstar_demo_checkpoint.pkl"
    path.write_bytes(content)
    assert host.load(str(path)) == {}
    assert pickle.loads(path.read_bytes()) == {}
    assert f"{path} cannot be read (" in capsys.readouterr().err
