"""VLMEvalKit's own folders: <model>_<dataset>.<suffix> in OUT/<model>/, or OUT/<model>/T<date>/ of some builds."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import partial
from pathlib import Path

from spiqa_tasks.benchmarks.results_file import SAMPLES
from spiqa_tasks.hosts.vlmevalkit.answer_file import HOST
from spiqa_tasks.runs.identity import Identity
from spiqa_tasks.runs.readers.answers import answers_in, read_table
from spiqa_tasks.runs.run import Run

FORM = "vlmevalkit"
SUFFIXES = (".xlsx", ".tsv", ".csv", ".json")
"""Of the host's files of answers; its pickles are checkpoints of a run that goes on."""
DATASETS = {"MMStar": "mmstar_filtered"}
"""Dataset of the host -> the task of ours that asks the same questions."""
_DATE = re.compile(r"T\d{8}(-\d{6}|_G[0-9a-fA-F]+)")


def is_dated(path: Path) -> bool:
    """Return whether a file is of one of several dates of a model's folder."""
    return _DATE.fullmatch(path.parent.name) is not None


def _age(path: Path) -> tuple[bool, Path, int]:
    """Sort key of a model's tables, oldest first: by date, undated ones last, two forms of one table by file time."""
    return not is_dated(path), path.with_suffix(""), path.stat().st_mtime_ns


def read_tables(folder: Path, tasks: Collection[str]) -> list[Run]:
    """Return the runs of tasks whose answers VLMEvalKit wrote below a folder, oldest first; scored ones are left out.

    Args:
        folder: the host's folder of all models, of a model or of a date.
        tasks: names of tasks; the host's own datasets other than those of `DATASETS` are left out.

    Raises:
        InputError: a table that is broken.
    """
    found = []
    paths = (path for path in folder.resolve().rglob("*") if path.suffix in SUFFIXES and not path.is_symlink())
    for path in sorted(paths, key=_age):
        model = (path.parent.parent if is_dated(path) else path.parent).name
        dataset = path.stem.removeprefix(f"{model}_")
        task = dataset if dataset in tasks else DATASETS.get(dataset, "")
        scored = path.parent.glob(f"*{SAMPLES}{dataset}.jsonl")
        is_scored = any(samples.stat().st_mtime >= path.stat().st_mtime for samples in scored)
        if dataset != path.stem and task in tasks and not is_scored and (answered := answers_in(path)):
            read = partial(read_table, path)
            found.append(Run(task, Identity(f"{model},{HOST}"), path, FORM, read, answered=answered))
    return found
