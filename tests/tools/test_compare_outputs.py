"""The comparer of recorded outputs: numbers as numbers, keys by their new names, the rest as
text.
"""

import importlib.util
import math
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "tools" / "compare_outputs.py"


@pytest.fixture(name="tool")
def _tool() -> ModuleType:
    """Return the script as a module."""
    spec = importlib.util.spec_from_file_location("compare_outputs", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_numbers_are_compared_as_numbers(tool: ModuleType) -> None:
    """An integer equals its float, a NaN a NaN, and a sum in another order itself; a digit more
    is a difference.
    """
    before = {"n": 24, "mean": 0.1 + 0.2, "withheld": math.nan, "groups": [{"n": 1}]}

    assert not tool.differences(before, {**before, "n": 24.0, "mean": 0.3})
    assert tool.differences(before, {**before, "groups": [{"n": 2}]}) == [".groups[0].n: 1 -> 2"]
    assert tool.differences({"x": 1}, {"x": True}) == [".x: 1 -> true"]
    assert tool.differences({"x": 0.5}, {"x": None}) == [".x: 0.5 -> null"]


def test_keys_that_came_went_or_are_called_otherwise(
    tool: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A renamed key is compared under its new name; others that are missing or new are
    differences.
    """
    monkeypatch.setattr(tool, "RENAMED", {"old": "new"})
    monkeypatch.setattr(tool, "IGNORED", frozenset({"signature"}))

    before, now = {"old": 1, "signature": "a"}, {"new": 1, "signature": "b"}
    assert not tool.differences(before, now)
    assert tool.differences({"x": 1}, {"y": 2}) == [".x: 1 -> gone", ".y: new, 2"]


def test_outputs_are_compared_by_value_if_both_are_json(tool: ModuleType) -> None:
    """JSON and JSON lines are compared by value; other texts by line."""
    assert not tool.differences_of_texts('{"a": 1}', '{\n "a": 1.0\n}')
    assert tool.differences_of_texts('{"a": 1}\n{"a": 2}\n', '{"a": 1}\n{"a": 3}\n') == [
        "[1].a: 2 -> 3"
    ]
    assert tool.differences_of_texts("one\ntwo\n", "one\nthree\n") == ["-two", "+three"]


def test_what_differs_from_run_to_run_is_masked(tool: ModuleType, tmp_path: Path) -> None:
    """Folders, the judge's port and lines of progress are no differences."""
    text = (
        f"{tmp_path}/now/list at http://127.0.0.1:41234/v1\nreading:  50%|##  | 1/2 [00:01<?,"
        " ?it/s]\nspiqa-tasks: reading the answers ... 00:01\n"
    )

    assert tool.masked(text, tmp_path) == "OUTPUT/list at http://JUDGE/v1\n"


def test_a_command_that_prints_something_else_is_counted(
    tool: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One of two commands differs: its line is printed, and the count is one."""
    for part, number in (("before", 1), ("now", 2)):
        for command, value in (("same", 0), ("other", number)):
            folder = tmp_path / part / command
            folder.mkdir(parents=True)
            (folder / "stdout").write_text(f'{{"value": {value}}}')

    assert tool.compare_commands(tmp_path, "", 20) == 1
    printed = capsys.readouterr().out
    assert "other: 1 differences\n  stdout: .value: 1 -> 2\n" in printed
    assert "1 of 2 commands differ." in printed
