"""Runs for reports: on the demo data as lmms-eval writes them, or made of records without files."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from host_files import FAILED, write_demo_run

from spiqa_tasks.benchmarks.record import Record, Response
from spiqa_tasks.benchmarks.registry import Task
from spiqa_tasks.benchmarks.signature import parse
from spiqa_tasks.runs.identity import Identity
from spiqa_tasks.runs.loading import load_runs
from spiqa_tasks.runs.paths import RunPath
from spiqa_tasks.runs.run import Answer, Run
from spiqa_tasks.runs.selection import with_unique_labels

REFUSAL = "I'm sorry, I cannot see the image."


def write_two_runs(folder: Path) -> Path:
    """Write runs of the models a and b on two benchmarks; return their folder.

    a is right on all questions. b refuses the first one, its second request fails, and it is right
    on the others.
    """
    texts = {0: REFUSAL, 1: FAILED}
    for name, task in (("mmstar", "mmstar_demo"), ("scifibench", "scifibench_demo")):
        write_demo_run(folder / name / "a", "a", lambda _, row: row["answer"], task, name)
        write_demo_run(
            folder / name / "b", "b", lambda place, row: texts.get(place, row["answer"]), task, name
        )
    return folder


def run_of(
    records: Sequence[Record],
    model: str = "m",
    task: str = "mmstar_filtered",
    signature: str = "data:mmstar/val@d|prompt:p|settings:prompt=letter",
) -> Run:
    """Return a run on a task whose questions are those of the records; the responses are their
    predictions.
    """
    signed = [replace(record, signature=record.signature or signature) for record in records]
    answers = [Answer(record.id, Response(record.prediction or ""), record) for record in signed]
    fields = parse(signature)
    definition = Task(task, fields.benchmark, fields.split, fields.settings)
    path = Path("x_results.json")
    return Run(
        task,
        Identity(model),
        path,
        "lmms-eval",
        lambda: answers,
        asked=len(answers),
        benchmark_task_or_none=definition,
    )


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


def runs_at(*paths: Path) -> list[Run]:
    """Return the runs at some paths with unique labels, as `compare` and `report` take them."""
    runs: list[Run] = []
    for path in paths:
        runs += load_runs([RunPath(path)])[0]
    return with_unique_labels(runs)
