"""`spiqa-tasks calibrate` with judges at local servers."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from openai_server import Behaviour, OpenAIServer
from run_command import run_json

from spiqa_tasks.cli import main
from spiqa_tasks.commands import calibrate


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    """A judge that says yes to equal answers."""
    with OpenAIServer(Behaviour()) as running:
        yield running


@pytest.fixture
def judge(server: OpenAIServer) -> str:
    """The name of the judge at the local server."""
    return f"openai:one@{server.url}"


@pytest.fixture(autouse=True)
def few_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take fewer resamples: scikit-learn needs a millisecond for each."""
    monkeypatch.setattr(calibrate, "RESAMPLES", 50)


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    """Forty answers to twenty questions: every second one right, of which a fourth in other
    words.
    """
    rows = [
        {
            "question": f"q{place // 2}",
            "reference": "blue",
            "prediction": ("azure" if place % 8 == 0 else "blue") if place % 2 == 0 else "red",
            "label": place % 2 == 0,
        }
        for place in range(40)
    ]
    path = tmp_path / "labels.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path


def test_each_judge_has_a_row(judge: str, labels: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With n, agreement, kappa and AUROC, and how the numbers were made."""
    status, (row,), _ = run_json(capsys, "calibrate", labels, "--judge", judge)
    assert status == 0
    assert (row["n"], row["failed"], row["judge"]) == (40, 0, judge)
    assert row["agreement"]["value"] == pytest.approx(35 / 40)
    assert row["kappa"]["value"] == pytest.approx(0.75)
    assert row["agreement"]["low"] < 35 / 40 < row["agreement"]["high"]
    assert re.search(r"data:labels/labels.jsonl@[0-9a-f]{12}\|judge:openai:one\|", row["signature"])


def test_labels_that_are_neither_yes_nor_no_are_left_out(
    judge: str, labels: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With a sentence; a column of another name is named as for the other commands."""
    rows = [json.loads(line) for line in labels.read_text().splitlines()]
    rows[0]["label"] = "partly"
    for row in rows:
        row["said"] = row.pop("prediction")
    labels.write_text("\n".join(map(json.dumps, rows)))
    asked = (labels, "--judge", judge, "--columns", "prediction=said")
    status, (row,), said = run_json(capsys, "calibrate", *asked)
    assert (status, row["n"]) == (0, 39)
    assert "1 of 40 verdicts are neither yes nor no (such as 'partly') and are left out." in said


def test_tables_have_values_times_100(
    judge: str, labels: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In every format for people."""
    for form in ("text", "md", "latex"):
        assert main(["calibrate", str(labels), "--judge", judge, "--format", form]) == 0
        printed = capsys.readouterr().out
        assert "87.5 [" in printed
        assert "75.0 [" in printed


def test_an_unfit_judge_is_refused(
    server: OpenAIServer, judge: str, labels: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """After its two test questions."""
    server.behaviour.verdict = lambda _: [
        ("Yes", -0.1),
        ("No", -3.0),
        ("a", -5),
        ("b", -6),
        ("c", -7),
    ]
    assert main(["calibrate", str(labels), "--judge", judge]) == 2
    assert "it scored a right answer 0.95 and a wrong one 0.95" in capsys.readouterr().err
    assert len(server.requests) == 2


def test_failures_are_no_verdicts(
    server: OpenAIServer, judge: str, labels: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With more than a hundredth of them the numbers are withheld, with the reason, and the
    status is 3.
    """
    server.behaviour.script = ["ok", "ok", "400"]
    status, (row,), err = run_json(capsys, "calibrate", labels, "--judge", judge)
    assert status == 3
    assert row["failed"] > 0
    assert "agreement" not in row
    assert "answers have a score, fewer than 99%" in err


def test_the_forecast_asks_nothing(
    server: OpenAIServer, judge: str, labels: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Calls and tokens are printed instead."""
    _, found, _ = run_json(capsys, "calibrate", labels, "--judge", judge, "--dry-run")
    assert found["dry_run"][0]["calls"] > 0
    assert not server.requests


def test_the_column_of_labels_and_the_judge_are_named_as_elsewhere(
    server: OpenAIServer,
    labels: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """`--columns label=` and SPIQA_JUDGE; with judging off there is nothing to compare."""
    labels.write_text(labels.read_text().replace('"label"', '"human"'))
    asked = (labels, "--columns", "label=human")
    monkeypatch.setenv("SPIQA_JUDGE", f"openai:one@{server.url}")
    status, (row,), _ = run_json(capsys, "calibrate", *asked)
    assert (status, row["n"]) == (0, 40)

    monkeypatch.setenv("SPIQA_JUDGE", "none")
    status, _, said = run_json(capsys, "calibrate", *asked)
    assert status == 2
    assert "Expected a judge to compare with the labels, found none. Add --judge." in said


def test_a_judge_that_says_yes_to_everything_has_a_kappa_of_0(
    judge: str, labels: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without an interval; with one label alone it has none."""
    labels.write_text(labels.read_text().replace('"azure"', '"blue"').replace('"red"', '"blue"'))
    _, (row,), _ = run_json(capsys, "calibrate", labels, "--judge", judge)
    assert row["kappa"] == {"value": 0.0, "low": None, "high": None}

    labels.write_text(labels.read_text().replace("false", "true"))
    _, (row,), _ = run_json(capsys, "calibrate", labels, "--judge", judge)
    assert row["kappa"]["value"] is None
