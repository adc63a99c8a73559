"""`spiqa-tasks correlate`: what it prints, and its exit status."""

from __future__ import annotations

from pathlib import Path

import pytest
from judged_runs import write_judged
from run_command import run_json

from spiqa_tasks.cli import main

QUESTIONS = 39


def test_the_table_has_rho_with_two_decimals(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The same numbers as in JSON, a dash where a judge gave the same score to all."""
    write_judged(tmp_path, "a", [place / QUESTIONS for place in range(QUESTIONS)])
    write_judged(tmp_path, "b", [0.5] * QUESTIONS)
    status, rows, errors = run_json(capsys, "correlate", tmp_path)
    assert (status, errors) == (0, "")
    assert {row["model"] for row in rows if row["spearman"] is None} == {"b"}
    assert main(["correlate", str(tmp_path)]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()[2:]]
    shown = ["-" if row["spearman"] is None else f"{row['spearman']:.2f}" for row in rows]
    assert [line[-1] for line in lines] == shown
    assert [line[-4:-1] for line in lines] == [[row["metric"], "l3score", str(row["n"])] for row in rows]


def test_runs_without_a_judge_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One sentence that says what to run, and which run has none."""
    write_judged(tmp_path, "unjudged", None)
    status, rows, errors = run_json(capsys, "correlate", tmp_path, "--task", "spiqa_demo")
    assert (status, rows) == (2, [])
    assert "Run with a judge" in errors
    assert "spiqa_demo of unjudged is left out: it has no L3Score." in errors
    assert run_json(capsys, "correlate", tmp_path, "--task", "spiqa_testA")[0] == 2
