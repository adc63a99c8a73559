"""`spiqa-tasks bootstrap`."""

from __future__ import annotations

from pathlib import Path

import pytest
from host_files import choice_samples, write_run
from run_command import run_json

from spiqa_tasks.cli import main


def test_the_table_shows_mean_and_variance_times_100(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """8 of 14 right: 57.1, and the variance of a share of 500 answers times 100, as the paper prints both."""
    samples = {"t": choice_samples([place < 8 for place in range(14)])}
    write_run(tmp_path, "m", samples, settings={"t": "prompt=letter"})
    assert main(["bootstrap", str(tmp_path)]) == 0
    assert capsys.readouterr().out.split()[-2:] == ["57.1", "0.049"]
    ((row,),) = run_json(capsys, "bootstrap", tmp_path, "--size", 50, "--repeats", 200, "--seed", 3)[1:2]
    assert (row["n"], row["size"], row["repeats"]) == (14, 50, 200)
    assert row["mean"] == pytest.approx(8 / 14, abs=0.03)
