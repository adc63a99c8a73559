"""Runs on SPIQA's demo questions, with L3Scores or without."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from host_files import sample_of, write_run

from spiqa_tasks.benchmarks.registry import rows_for_scoring


def write_judged(folder: Path, model: str, scores: Sequence[float] | None) -> Path:
    """Write a run whose answers are more and more of the reference, with these L3Scores (None: not judged)."""
    samples = []
    for place, row in enumerate(rows_for_scoring("spiqa", "demo", "")):
        words = row["answer"].split()
        sample = sample_of(row, "{'Answer': '%s'}" % " ".join(words[: 1 + place % len(words)]))  # noqa: UP031
        record = next(value for value in sample.values() if isinstance(value, dict) and "status" in value)
        if scores is not None:
            record["scores"]["l3score"] = scores[place]
        samples.append(sample)
    options = {"settings": {"spiqa_demo": ""}, "benchmark": "spiqa", "split": "demo"}
    return write_run(folder, model, {"spiqa_demo": samples}, stamp=model, **options)
