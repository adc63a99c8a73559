"""Runs on SPIQA's demo questions, with or without L3Scores."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from host_files import sample_of, write_run

from spiqa_tasks.benchmarks.registry import rows_for_scoring
from spiqa_tasks.benchmarks.signature import parse
from spiqa_tasks.runs.paths import RunPath, read_runs
from spiqa_tasks.runs.scoring import write_runs


def write_judged(
    folder: Path,
    model: str,
    scores: Sequence[float] | None,
    judge: str = "openai:judge",
    model_args: str = "",
    stamp: str = "",
) -> Path:
    """Write a run with a judge's L3Scores (None: not judged); return the results file.

    The answers are the first words of the references, of different number.
    """
    samples = []
    for number, row in enumerate(rows_for_scoring("spiqa", "demo", "")):
        words = row["answer"].split()
        answer = " ".join(words[: 1 + number % len(words)])
        sample = sample_of(row, f"{{'Answer': '{answer}'}}")
        record = next(
            value for value in sample.values() if isinstance(value, dict) and "status" in value
        )
        if scores is not None:
            record["scores"]["l3score"] = scores[number]
            record["signature"] = parse(record["signature"]).with_fields(judge=judge).text
        samples.append(sample)
    options = {"settings": {"spiqa_demo": ""}, "benchmark": "spiqa", "split": "demo"}
    return write_run(
        folder, model, {"spiqa_demo": samples}, model_args, stamp=stamp or model, **options
    )


def write_two_judges(folder: Path, scores: Mapping[tuple[str, str], Sequence[float]]) -> Path:
    """Write the files of `score --output` for answers judged by two judges; return their folder.

    `scores` is (model, judge) -> L3Scores.
    """
    for (model, judge), of_model in scores.items():
        path = write_judged(folder / judge, model, of_model, f"openai:{judge}")
        (run,), _ = read_runs(RunPath(path))
        judged = replace(run, reported=replace(run.reported, judge=f"openai:{judge}"))
        write_runs([judged], folder / "scored" / judge)
    return folder / "scored"
