"""Runs for reports: of the demo data as the host writes them, and made of records without any
file.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from host_files import FAILED, write_demo_run

from spiqa_tasks.benchmarks.record import Record, Response
from spiqa_tasks.benchmarks.registry import Task
from spiqa_tasks.benchmarks.signature import parse
from spiqa_tasks.runs.loading import load_runs
from spiqa_tasks.runs.paths import RunPath
from spiqa_tasks.runs.run import Answer, Identity, Run
from spiqa_tasks.runs.selection import with_unique_labels

REFUSAL = "I'm sorry, I cannot see the image."


def write_two_runs(folder: Path) -> Path:
    """Write two runs of two benchmarks; return their folder.

    One is right on all questions, one refuses the first, fails the second and is right on the
    others.
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
    """Return a run with these records, whose answers are their predictions, to a task of as many
    questions.
    """
    signed = [replace(record, signature=record.signature or signature) for record in records]
    answers = [Answer(record.id, Response(record.prediction or ""), record) for record in signed]
    made = parse(signature)
    definition = Task(task, made.benchmark, made.split, made.settings)
    path = Path("x_results.json")
    return Run(
        task,
        Identity(model),
        path,
        "lmms-eval",
        lambda: answers,
        asked=len(answers),
        definition=definition,
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


def runs_at(*places: Path) -> list[Run]:
    """Return the runs at each place, those of the same model told apart, as `compare` and
    `report` take them.
    """
    return with_unique_labels([run for place in places for run in load_runs([RunPath(place)])[0]])
