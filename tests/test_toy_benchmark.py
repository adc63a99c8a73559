"""A new benchmark is one object and one line: the rest of the package works with it as with its own."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from run_command import run_json
from toy_benchmark import toy

from spiqa_tasks.benchmarks import registry
from spiqa_tasks.cli import main
from spiqa_tasks.hosts.lmms_eval.registration import register_tasks


@pytest.fixture(autouse=True)
def registered(tmp_path: Path) -> Iterator[None]:
    """The toy benchmark is there during the test."""
    folder = tmp_path / "toy"
    folder.mkdir()
    registry.register(toy(folder))
    yield
    del registry.BENCHMARKS["toy"]


def test_the_definition_stays_short() -> None:
    """What a benchmark has to say fits into 80 lines."""
    assert len(Path(__file__).with_name("toy_benchmark.py").read_text().splitlines()) <= 80


def test_it_is_listed_and_prepared(capsys: pytest.CaptureFixture[str]) -> None:
    """`list` has its split, settings, metrics and headline; `prepare` loads its questions."""
    _, found, _ = run_json(capsys, "list")
    (task,) = [task for task in found["tasks"] if task["benchmark"] == "toy"]
    assert (task["name"], task["split"], task["settings"]) == ("toy_demo", "demo", "shown=doubled")
    assert (task["questions"], task["headline"], task["data"]) == (4, "right", True)
    assert task["metrics"] == ["right", "request_failed_rate"]
    assert main(["prepare", "toy_demo"]) == 0
    assert "toy_demo: 4 questions, 0 pictures, ready" in capsys.readouterr().out


def test_answers_are_scored(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`score` gives its numbers overall and by group, with an interval of its shares."""
    path = tmp_path / "answers.jsonl"
    lines = [
        json.dumps({"id": key, "prediction": text}) for key, text in zip("0123", ["4", "x", "100", "198"], strict=True)
    ]
    path.write_text("\n".join(lines))
    status, found, _ = run_json(capsys, "score", "toy_demo", path)
    assert status == 0
    assert found["metrics"] == {"right": 0.75, "right/small": 0.5, "right/big": 1.0, "request_failed_rate": 0.0}
    assert {"host:offline", "data:toy/demo@v1", "settings:shown=doubled"} <= set(found["signature"].split("|"))
    assert main(["score", "toy_demo", str(path)]) == 0
    assert capsys.readouterr().out.splitlines()[2].split() == ["right", "75.0", "[30.1,", "95.4]", "4"]


def test_it_runs_through_the_host_and_its_runs_are_broken_down(
    tmp_path: Path, evaluate: Callable[..., dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    """The host finds the task and logs records of which `breakdown` gives any metric by any group."""
    from host_files import write_run
    from lmms_eval.tasks import TaskManager

    register_tasks()
    manager = TaskManager("WARNING", include_defaults=False)
    result = evaluate("dummy", ["toy_demo"], "response=4", task_manager=manager)
    (row,) = result["results"].values()
    assert {name: row[f"{name},none"] for name in ("right", "right/small", "right/big")} == {
        "right": 0.25,
        "right/small": 0.5,
        "right/big": 0.0,
    }
    samples = result["samples"]["toy_demo"]
    assert "How much is 2 * (1 + 1)? Answer with a number." in json.dumps(samples[0], default=str)
    assert samples[0]["right"]["prediction"] == "4"
    logged = {"toy_demo": json.loads(json.dumps(samples, default=str))}
    options = {"settings": {"toy_demo": "shown=doubled"}, "benchmark": "toy", "split": "demo"}
    write_run(tmp_path / "run", "dummy", logged, **options)
    capsys.readouterr()
    status, found, _ = run_json(capsys, "breakdown", tmp_path / "run", "--metric", "all")
    assert status == 0
    assert [(each["metric"], each["group"], each["n"], each["value"]) for each in found] == [
        ("right", "all", 4, 0.25),
        ("right", "big", 2, 0.0),
        ("right", "small", 2, 0.5),
        ("request_failed_rate", "all", 4, 0.0),
        ("request_failed_rate", "big", 2, 0.0),
        ("request_failed_rate", "small", 2, 0.0),
    ]
