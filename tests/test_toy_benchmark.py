"""A new benchmark is data and a YAML: the rest of the package works with it as with its own."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from run_command import run_json

from spiqa_tasks.cli import main
from spiqa_tasks.hosts.catalogue import INCLUDE

TOY = Path(__file__).with_name("toy")


@pytest.fixture(autouse=True)
def included(monkeypatch: pytest.MonkeyPatch) -> None:
    """The toy benchmark is found by every command and host."""
    monkeypatch.setenv(INCLUDE, str(TOY))


def test_it_is_listed_and_prepared(capsys: pytest.CaptureFixture[str]) -> None:
    """`list` has its split, settings, metrics and headline; `prepare` loads its questions."""
    _, found, _ = run_json(capsys, "list")
    (task,) = [task for task in found["tasks"] if task["benchmark"] == "toy"]
    assert (task["name"], task["split"], task["settings"]) == ("toy", "test", "")
    assert (task["questions"], task["headline"], task["data"]) == (4, "exact_match", True)
    assert main(["prepare", "toy"]) == 0
    assert "toy: 4 questions, 0 pictures, ready" in capsys.readouterr().out


def test_it_is_listed_without_its_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """How many questions it has is not known then."""
    (tmp_path / "toy.yaml").write_text((TOY / "toy.yaml").read_text())
    monkeypatch.setenv(INCLUDE, str(tmp_path))
    _, found, _ = run_json(capsys, "list", "--search", "toy")
    assert [(task["name"], task["questions"], task["data"]) for task in found["tasks"]] == [
        ("toy", None, False)
    ]
    assert main(["list", "--search", "toy"]) == 0


def test_answers_are_scored(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`score` gives its number with an interval, and the signature names data and host."""
    path = tmp_path / "answers.jsonl"
    lines = [
        json.dumps({"id": key, "prediction": text})
        for key, text in zip("0123", ["4", "x", "1e2", "198."], strict=True)
    ]
    path.write_text("\n".join(lines))
    status, found, _ = run_json(capsys, "score", "toy", path)
    assert status == 0
    assert found["metrics"]["exact_match"] == 0.75
    assert {"host:offline", "settings:ablation=none"} <= set(found["signature"].split("|"))
    assert "data:toy/test@" in found["signature"]
    assert main(["score", "toy", str(path)]) == 0
    assert capsys.readouterr().out.splitlines()[2].split() == [
        "exact_match",
        "75.0",
        "[30.1,",
        "95.4]",
        "4",
    ]


def test_it_runs_through_the_host_and_its_runs_are_broken_down(
    tmp_path: Path, evaluate: Callable[..., dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    """The host finds the task and logs records of which `score --by` gives any metric by any group."""
    from host_files import write_run
    from numbers_task import manager

    result = evaluate("dummy", ["toy"], "response=4", task_manager=manager())
    assert result["results"]["toy"]["exact_match,none"] == 0.25
    samples = result["samples"]["toy"]
    assert "How much is 2 * (1 + 1)? Answer with a number." in json.dumps(samples[0], default=str)
    assert samples[0]["exact_match"]["prediction"] == "4"
    logged = {"toy": json.loads(json.dumps(samples, default=str))}
    write_run(
        tmp_path / "run", "dummy", logged, settings={"toy": ""}, benchmark="toy", split="test"
    )
    capsys.readouterr()
    status, found, _ = run_json(
        capsys, "score", "--by", "group", tmp_path / "run", "--metrics", "exact_match"
    )
    assert status == 0
    assert [(each["group"], each["n"], each["value"]) for each in found] == [
        ("all", 4, 0.25),
        ("big", 2, 0.0),
        ("small", 2, 0.5),
    ]
