"""Runs for reports: of the demo data as the host writes them, and made of records without any file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from host_files import FAILED, write_demo_run

from spiqa_tasks.analysis.own_runs import OwnRun
from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.benchmarks.signature import parse

REFUSAL = "I'm sorry, I cannot see the image."


def write_two_runs(folder: Path) -> Path:
    """Write two runs of two benchmarks; return their folder.

    One is right on all questions, one refuses the first, fails the second and is right on the others.
    """
    texts = {0: REFUSAL, 1: FAILED}
    for name, task in (("mmstar", "mmstar_demo"), ("scifibench", "scifibench_demo")):
        write_demo_run(folder / name / "a", "a", lambda _, row: row["answer"], task, name)
        write_demo_run(folder / name / "b", "b", lambda place, row: texts.get(place, row["answer"]), task, name)
    return folder


def run_of(
    records: Sequence[Record],
    model: str = "m",
    task: str = "mmstar_filtered",
    signature: str = "data:mmstar/val@d|prompt:p|settings:prompt=letter",
) -> OwnRun:
    """Return a run with these records, whose answers are their predictions."""
    responses = {record.id: record.prediction or "" for record in records}
    return OwnRun(model, task, Path("x_results.json"), parse(signature), records, responses, {})


def choices(rights: Sequence[bool], category: str = "math") -> list[Record]:
    """Return records of multiple-choice questions with the ids q0, q1, ..."""
    return [
        Record(
            f"q{place}",
            "A" if right else "B",
            "A",
            scores={"accuracy": float(right)},
            groups={"category": category},
        )
        for place, right in enumerate(rights)
    ]
