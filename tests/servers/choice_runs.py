"""Answers to SciFIBench's questions, right but for a few."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from host_files import sample_of, write_run

CAPTIONING = "scifibench_demo_captioning"


def answered(rows: Sequence[Mapping[str, Any]], wrong: int) -> list[dict[str, Any]]:
    """Return samples of which all are right but the first `wrong` ones."""
    return [
        sample_of(row, next(letter for letter in "ABCDE" if (letter == row["answer"]) != (index < wrong)))
        for index, row in enumerate(rows)
    ]


def write_own(folder: Path, model: str, tasks: Mapping[str, Sequence[Mapping[str, Any]]], **options: Any) -> Path:
    """Write a run of tasks of SciFIBench; `options` as of `write_run`."""
    options = {"settings": dict.fromkeys(tasks, ""), "split": "cs_fig2cap", **options}
    return write_run(folder, model, tasks, benchmark="scifibench", **options)


def write_captions(folder: Path, model: str, samples: Sequence[Mapping[str, Any]]) -> Path:
    """Write a run of the demo's captioning task."""
    options = {"settings": {CAPTIONING: "prompt=caption"}, "split": "demo_fig2cap"}
    return write_own(folder, model, {CAPTIONING: samples}, **options)
