"""The launcher's own steps, the host replaced by what notes them; runs of the host are in `test_runs`."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.vlmevalkit import __main__, checks, judge_arguments, registration

Steps = list[tuple[Any, ...]]
ARGUMENTS = ["--data", "mmstar_demo", "--model", "org/m", "--base-url", "http://x", "--judge", "openai:j"]


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> Steps:
    """What is called, in order."""
    found: Steps = []

    def noted(name: str, answer: Any = None) -> Callable[..., Any]:
        def note(*given: Any) -> Any:
            found.append((name, *given))
            return answer

        return note

    for name in ("import_host", "serve_as", "run_host"):
        monkeypatch.setattr(registration, name, noted(name))
    monkeypatch.setattr(checks, "check", noted("check", ["A remark."]))
    monkeypatch.setattr(checks, "set_length", noted("length", (("argv",), ["A length."])))
    monkeypatch.setattr(judge_arguments, "judge_of", noted("judge"))
    monkeypatch.setattr(__main__, "status_of", noted("status", (3, ["An outcome."])))
    monkeypatch.delenv("RANK", raising=False)
    return found


def test_everything_is_checked_before_the_host_runs(steps: Steps, capsys: pytest.CaptureFixture[str]) -> None:
    """Its arguments are the checked ones, the judge of each task is asked, and the status is that of what it wrote."""
    before = time.time()
    assert __main__.main(ARGUMENTS) == 3
    assert [step[0] for step in steps] == [
        *("import_host", "check", "length", "judge", "serve_as", "run_host", "status")
    ]
    arguments = steps[1][1]
    assert (arguments.models, arguments.data) == (("org--m",), ("mmstar_demo",))
    assert steps[2][1] is arguments
    assert steps[3][1:] == (arguments.ours[0], {"model": "openai:j"})
    assert steps[4:6] == [("serve_as", {"org--m": "org/m"}), ("run_host", ("argv",))]
    assert steps[6][1] is arguments
    assert before <= steps[6][2] <= time.time()
    assert capsys.readouterr().err.splitlines() == [
        *("spiqa-vlmevalkit: A remark.", "spiqa-vlmevalkit: A length.", "spiqa-vlmevalkit: An outcome.")
    ]


def test_other_processes_neither_speak_nor_judge(
    steps: Steps, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first process of several does so for all; each of them runs the host."""
    monkeypatch.setenv("RANK", "1")
    assert __main__.main(ARGUMENTS) == 0
    assert [step[0] for step in steps] == ["import_host", "check", "length", "serve_as", "run_host"]
    assert capsys.readouterr().err == ""
    steps.clear()
    monkeypatch.setenv("RANK", "0")
    assert __main__.main(ARGUMENTS) == 3
    assert len(steps) == 7


def test_no_judge_is_asked_where_nothing_is_scored(steps: Steps) -> None:
    """With `--mode infer`."""
    assert __main__.main([*ARGUMENTS, "--mode", "infer"]) == 3
    assert "judge" not in [step[0] for step in steps]


def test_datasets_of_the_host_alone_keep_its_arguments(steps: Steps, monkeypatch: pytest.MonkeyPatch) -> None:
    """No length is set; what the process was given is what the host is given."""
    given = ["--data", "MMBench", "--model", "m"]
    monkeypatch.setattr(sys, "argv", ["spiqa-vlmevalkit", *given])
    assert __main__.main() == 3
    assert [step[0] for step in steps] == ["import_host", "check", "serve_as", "run_host", "status"]
    assert steps[3] == ("run_host", tuple(given))


def test_an_error_is_one_sentence_and_its_status(
    steps: Steps, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Whichever step raises it."""

    def fail() -> None:
        raise InputError(f"Expected a host, found {tmp_path.name}.")

    monkeypatch.setattr(registration, "import_host", fail)
    assert __main__.main(ARGUMENTS) == 2
    assert capsys.readouterr().err == f"spiqa-vlmevalkit: Expected a host, found {tmp_path.name}.\n"
    assert steps == []
