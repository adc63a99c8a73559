"""Benchmarks that other packages offer: the example of docs/own.md, under its entry point."""

import json
import logging
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pages import program, text_of
from run_command import run_json

from spiqa_tasks.benchmarks import registry

PROGRAM = program("own", "Benchmark(")


@pytest.fixture(autouse=True)
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A package with the example is installed during the test, and one that cannot be imported."""
    folder = tmp_path / "site"
    named = re.search(r'^sums = "(.*)"', text_of("own"), re.MULTILINE)
    assert named is not None
    module, _, _ = named[1].partition(":")
    path = folder / f"{module.replace('.', '/')}.py"
    path.parent.mkdir(parents=True)
    path.write_text(PROGRAM)
    (folder / "my_package-1.dist-info").mkdir()
    entries = f"[{registry.PLUGINS}]\nbroken = no_such_module:X\nsums = {named[1]}\n"
    (folder / "my_package-1.dist-info" / "entry_points.txt").write_text(entries)
    (folder / "my_package-1.dist-info" / "METADATA").write_text("Name: my_package\nVersion: 1\n")
    monkeypatch.syspath_prepend(folder)
    registry.load_plugins.cache_clear()
    yield
    registry.load_plugins.cache_clear()
    registry.BENCHMARKS.pop("sums", None)


def test_every_command_knows_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    """It is listed and scored, overall and by group; one that cannot be loaded is said and left out."""
    answers = tmp_path / "answers.jsonl"
    answers.write_text('{"id": "a", "prediction": "2"}\n{"id": "b", "prediction": "5"}\n')
    with caplog.at_level(logging.WARNING, "spiqa_tasks"):
        status, found, _ = run_json(capsys, "score", "sums", answers)
    assert (status, found["metrics"]) == (0, {"right": 0.5, "right/small": 1.0, "right/big": 0.0})
    assert "The benchmark broken (no_such_module:X) is left out" in caplog.text


def test_the_host_runs_it(evaluate: Callable[..., dict[str, Any]]) -> None:
    """Its YAMLs are made of its tasks."""
    from numbers_task import manager

    result = evaluate("dummy", ["sums"], "response=50", task_manager=manager())
    row = result["results"]["sums"]
    assert [row[f"{name},none"] for name in ("right", "right/small", "right/big")] == [
        0.5,
        0.0,
        1.0,
    ]
    assert "How much is 1 + 1?" in json.dumps(result["samples"]["sums"][0], default=str)
