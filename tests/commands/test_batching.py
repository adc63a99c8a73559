"""`--batch` of `score` and `rank`, against a server that speaks files and batches."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from batch_server import BatchServer
from choice_runs import write_captions
from host_files import sample_of
from run_command import run_json

from spiqa_tasks.benchmarks.registry import load_rows, rows_for_scoring
from spiqa_tasks.cli import main
from spiqa_tasks.judge.engine import _shared

pytestmark = pytest.mark.usefixtures("no_java")


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[BatchServer]:
    """The judge, in a process that has asked none before."""
    with BatchServer() as running:
        monkeypatch.setenv("SPIQA_JUDGE", "openai:gpt-4o")
        monkeypatch.setenv("SPIQA_JUDGE_BASE_URL", running.url)
        _shared.clear()
        yield running
    for engine in _shared.values():
        engine.close()
    _shared.clear()


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    """Every other demo question answered as its reference says."""
    path = tmp_path / "answers.jsonl"
    rows = rows_for_scoring("spiqa", "demo", "")
    texts = [row["answer"] if place % 2 else "no idea" for place, row in enumerate(rows)]
    lines = [json.dumps({"id": row["id"], "prediction": text}) for row, text in zip(rows, texts, strict=True)]
    path.write_text("\n".join(lines))
    return path


def test_scores_are_those_of_single_requests(
    server: BatchServer, answers: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One batch, the two test questions by themselves, the same numbers and signature."""
    status, batched, errors = run_json(capsys, "score", "spiqa_demo", answers, "--batch")
    assert status == 0
    assert [len(batch.entries) for batch in server.batches] == [39]
    assert len(server.requests) == 2
    assert "batch_0 has ended: 39 judged, 0 failed" in errors
    monkeypatch.setenv("SPIQA_TASKS_CACHE", str(answers.parent / "other"))
    assert run_json(capsys, "score", "spiqa_demo", answers)[:2] == (0, batched)


def test_without_waiting_nothing_is_scored_until_all_is_there(
    server: BatchServer, answers: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit status 3 while the batch is under way, then the scores; the batch is handed over once."""
    server.ends_at = 3
    command = ["score", "spiqa_demo", str(answers), "--batch", "--no-wait"]
    assert [main(command), main(command)] == [3, 3]
    said = capsys.readouterr()
    assert said.out == ""
    assert "Run the same command again" in said.err
    assert main(command) == 0
    assert "l3score" in capsys.readouterr().out
    assert len(server.batches) == 1


def test_answers_that_failed_in_the_batch_are_withheld(
    server: BatchServer, answers: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """They are judge failures in the table, not asked at the full price; the next call asks for them alone."""
    server.refused = {4, 5}
    status, found, _ = run_json(capsys, "score", "spiqa_demo", answers, "--batch")
    assert status == 3
    assert found["metrics"]["l3score"] is None
    assert found["counts"]["judge_failed"] == 2
    server.refused = set()
    for engine in _shared.values():
        engine.close()
    _shared.clear()
    assert run_json(capsys, "score", "spiqa_demo", answers, "--batch")[0] == 0
    assert [len(batch.entries) for batch in server.batches] == [39, 2]


def test_rank_takes_batches_too(server: BatchServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Figures go into the batch as they go into single requests."""
    rows = load_rows("scifibench", "demo_fig2cap", "prompt=caption")
    write_captions(tmp_path / "a", "a", [sample_of(row, "a caption") for row in rows])
    server.behaviour.text = "Ranked Captions: [A, B]"
    assert main(["rank", str(tmp_path / "a"), "--judge", "openai:gpt-4o", "--batch"]) == 0
    assert "12 figures, 0 without a caption of every model, 0 rankings failed" in capsys.readouterr().out
    assert not server.requests
    assert len(server.batches[0].entries) == 12


def test_a_forecast_tells_the_price_of_a_batch(answers: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Half of it, with nothing asked."""
    arguments = ["spiqa_demo", answers, "--judge", "openai:gpt-4o", "--dry-run"]
    whole, half = (run_json(capsys, "score", *arguments, *more)[1]["dry_run"][0] for more in ([], ["--batch"]))
    assert half["cost"] == pytest.approx(whole["cost"] / 2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [(["--no-wait"], "Expected --batch with --no-wait"), (["--batch", "--judge", "hf:a/b"], "found hf:a/b")],
)
def test_what_cannot_be_batched_is_refused(
    answers: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    """In one sentence, before anything is asked or loaded."""
    assert main(["score", "spiqa_demo", str(answers), *arguments]) == 2
    assert message in capsys.readouterr().err
