"""Runs on SPIQA's demo questions, with L3Scores or without."""

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
    """Write a run whose answers are more and more of the reference, with a judge's L3Scores
    (None: not judged).
    """
    samples = []
    for place, row in enumerate(rows_for_scoring("spiqa", "demo", "")):
        words = row["answer"].split()
        sample = sample_of(row, "{'Answer': '%s'}" % " ".join(words[: 1 + place % len(words)]))  # noqa: UP031
        record = next(
            value for value in sample.values() if isinstance(value, dict) and "status" in value
        )
        if scores is not None:
            record["scores"]["l3score"] = scores[place]
            record["signature"] = parse(record["signature"]).with_fields(judge=judge).text
        samples.append(sample)
    options = {"settings": {"spiqa_demo": ""}, "benchmark": "spiqa", "split": "demo"}
    return write_run(
        folder, model, {"spiqa_demo": samples}, model_args, stamp=stamp or model, **options
    )


def write_two_judges(folder: Path, scores: Mapping[tuple[str, str], Sequence[float]]) -> Path:
    """Write what `score --output` writes of the answers of models that two judges scored; return
    its folder.

    Args:
        folder: where to.
        scores: (model, judge) -> the L3Scores.
    """
    for (model, judge), each in scores.items():
        path = write_judged(folder / judge, model, each, f"openai:{judge}")
        (run,), _ = read_runs(RunPath(path))
        write_runs(
            [replace(run, written=replace(run.written, judge=f"openai:{judge}"))],
            folder / "scored" / judge,
        )
    return folder / "scored"
