"""What one process of several says for all."""

from __future__ import annotations

import contextlib
import io
import multiprocessing
import os
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from spiqa_tasks.hosts.lmms_eval.processes import JudgeReport, several
from spiqa_tasks.judge.summary import Summary

ONE = Summary("openai:a", 3, 2, 1, 4.0, 100, 10, 0.5, ("a-1",))
TWO = replace(ONE, judged=5, cached=0, failed=0, seconds=6.0)
LINE = "Judge openai:a: 3 judged, 2 from the cache, 1 failed, 4.0 s, 110 tokens, about $0.50"
BOTH = "Judge openai:a: 8 judged, 2 from the cache, 1 failed, 6.0 s, 220 tokens, about $1.00"


@pytest.mark.parametrize(("size", "expected"), [(None, False), ("1", False), ("2", True), ("64", True)])
def test_a_run_has_several_processes_where_its_launcher_says_so(
    monkeypatch: pytest.MonkeyPatch, size: str | None, expected: bool
) -> None:
    """WORLD_SIZE is set by torchrun and accelerate; without a launcher there is one."""
    monkeypatch.delenv("WORLD_SIZE", raising=False)
    if size is not None:
        monkeypatch.setenv("WORLD_SIZE", size)
    assert several() is expected


def test_a_line_is_printed_once_and_again_when_it_has_changed(capsys: pytest.CaptureFixture[str]) -> None:
    """Metrics over the same verdicts come one after another."""
    report = JudgeReport()
    for own in (ONE, ONE, replace(ONE, judged=4), ONE):
        report.tell(own)
    assert capsys.readouterr().err.splitlines() == [LINE, LINE.replace("3 judged", "4 judged"), LINE]


def _rank(rank: int, store: Path, sender: Connection) -> None:
    """One process of two: gather, then tell more of its own."""
    import torch.distributed as dist

    said = io.StringIO()
    with contextlib.redirect_stderr(said):
        dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=2)
        report = JudgeReport()
        report.gather((ONE, TWO)[rank])
        if rank == 0:
            report.tell(replace(ONE, judged=4))
        dist.destroy_process_group()
    sender.send(said.getvalue())
    os._exit(0)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_the_first_process_tells_the_counts_of_all(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The second says nothing; what the first judges later is added to what the others had."""
    pytest.importorskip("torch")
    JudgeReport().gather(ONE)
    assert capsys.readouterr().err == ""  # without a process group there is nobody to exchange with
    context = multiprocessing.get_context("fork")
    pipes = [context.Pipe(duplex=False) for _ in range(2)]
    processes = [
        context.Process(target=_rank, args=(rank, tmp_path / "store", sender)) for rank, (_, sender) in enumerate(pipes)
    ]
    for process in processes:
        process.start()
    try:
        assert all(receiver.poll(60) for receiver, _ in pipes)
        first, second = (receiver.recv() for receiver, _ in pipes)
    finally:
        for process in processes:
            process.kill()
            process.join(10)
    lines = [line for line in first.splitlines() if line.startswith("Judge ")]
    assert lines == [BOTH, BOTH.replace("8 judged", "9 judged")]
    assert "Judge " not in second
