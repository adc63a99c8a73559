"""What `spiqa-tasks score --output` wrote, read again: `<task>_scores.json` and `<task>_samples.jsonl` beside it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.errors import InputError

SCORES = "_scores.json"
SAMPLES = "_samples.jsonl"


@dataclass(frozen=True)
class WrittenScores:
    """The answers of one file, as one judge scored them.

    Attributes:
        path: the samples file.
        task: the task's name.
        label: what the answers were called.
        judge: what the judge was called; None for none.
        records: one per document.
        responses: id -> the whole answer.
        metrics: metric -> its value; withheld ones are left out.
    """

    path: Path
    task: str
    label: str
    judge: str | None
    records: list[Record]
    responses: dict[str, str]
    metrics: dict[str, float]


def written_scores(place: Path) -> list[WrittenScores]:
    """Return every file of answers and judge that was scored into a folder or into folders below it.

    Raises:
        InputError: a samples file that is missing, or that an older version wrote, without records.
    """
    paths = [place] if place.is_file() else sorted(place.rglob(f"*{SCORES}"))
    return [found for path in paths if path.name.endswith(SCORES) for found in _read(path)]


def _read(path: Path) -> list[WrittenScores]:
    samples = path.with_name(path.name.removesuffix(SCORES) + SAMPLES)
    task = path.name.removesuffix(SCORES)
    found: dict[tuple[str, str | None], WrittenScores] = {}
    try:
        with samples.open("rb") as file:
            for line in file:
                sample = json.loads(line)
                key = (str(sample["predictions"]), sample["judge"])
                scores = found.setdefault(key, WrittenScores(samples, task, *key, [], {}, {}))
                record = Record.from_dict(sample["record"])
                scores.records.append(record)
                scores.responses[record.id] = str(sample["prediction"])
        for result, scores in zip(_results(path), found.values(), strict=True):
            known = {name: float(value) for name, value in result["metrics"].items() if value is not None}
            scores.metrics.update(known)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(
            f"Expected {path} and {samples.name} to be what `spiqa-tasks score --output` wrote; found "
            f"{type(error).__name__} {error}. Score the answers again with --output."
        ) from error
    return list(found.values())


def _results(path: Path) -> list[dict[str, Any]]:
    """The objects of the scores file, one for each file of answers and judge, in the order of the samples."""
    content = json.loads(path.read_bytes())
    results: list[dict[str, Any]] = content.get("results", [content])
    return results
