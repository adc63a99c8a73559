"""VLMEvalKit's tables of answers: `OUT/<model>/[T<date>/]<model>_<dataset>.<suffix>`."""

from collections.abc import Collection, Iterable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from spiqa_tasks.errors import DataError
from spiqa_tasks.files.records import read_records
from spiqa_tasks.hosts.lmms_eval_files import SAMPLES, date_text
from spiqa_tasks.hosts.vlmevalkit.answer_files import DATED_FOLDER, SCORED_COLUMNS, SUFFIXES
from spiqa_tasks.hosts.vlmevalkit.tasks import HOST
from spiqa_tasks.runs.identity import Identity
from spiqa_tasks.runs.readers.answers import answers_in, columns_of, read_table
from spiqa_tasks.runs.run import Origin, Run

FORM = "vlmevalkit"

# Dataset of VLMEvalKit -> the task of ours that asks the same questions.
DATASETS = {"MMStar": "mmstar_filtered"}


class _Name(NamedTuple):
    """What a file's name and its folder's say; '' for what they do not."""

    model: str
    task: str
    dataset: str


def vlmevalkit_runs(files: Iterable[Path], tasks: Collection[str]) -> list[Run]:
    """Return the runs of tasks, or of `DATASETS`, in VLMEvalKit's files, oldest first.

    Tables that were scored since are left out: their scores stand beside them.
    """
    runs = []
    for path in sorted(files, key=_age):
        name = _named(path, tasks)
        if not name.task or path.suffix not in SUFFIXES or path.is_symlink():
            continue

        answered = 0 if _is_scored(path, name.dataset) else _answered(path)
        if answered:
            who = Identity(f"{name.model},{HOST}")
            read = partial(read_table, path)
            origin = Origin(date=_date(path))
            runs.append(Run(name.task, who, path, FORM, read, answered=answered, origin=origin))
    return runs


def is_vlmevalkits(path: Path, tasks: Collection[str]) -> bool:
    """Return whether a table has answers to one of the tasks, or is a scored copy of any."""
    name = _named(path, tasks)
    return bool(name.task) or (bool(name.dataset) and not _answered(path))


def other_dataset(path: Path, tasks: Collection[str]) -> str:
    """Return the dataset of a file that is none of the tasks', by names alone, or ''."""
    _, task, dataset = _named(path, tasks)
    is_hosts = is_dated(path) or path.with_name("status.json").is_file()
    is_copy = dataset.startswith(tuple(f"{task}_" for task in tasks))
    return dataset if is_hosts and not task and not is_copy else ""


def is_dated(path: Path) -> bool:
    """Return whether a file is of one of several dates of a model's folder."""
    return DATED_FOLDER.fullmatch(path.parent.name) is not None


def _named(path: Path, tasks: Collection[str]) -> _Name:
    model = (path.parent.parent if is_dated(path) else path.parent).name
    if not path.stem.startswith(f"{model}_"):
        return _Name(model, "", "")

    dataset = path.stem.removeprefix(f"{model}_")
    task = dataset if dataset in tasks else DATASETS.get(dataset, "")
    return _Name(model, task if task in tasks else "", dataset)


def _answered(path: Path) -> int:
    """The number of answers in a table; 0 for the copy that VLMEvalKit scored."""
    try:
        found = columns_of(read_records([path]))
    except DataError:
        return 0
    return 0 if found & SCORED_COLUMNS else answers_in(path)


def _is_scored(path: Path, dataset: str) -> bool:
    written = path.stat().st_mtime
    scored = path.parent.glob(f"*{SAMPLES}{dataset}.jsonl")
    return any(samples.stat().st_mtime >= written for samples in scored)


def _date(path: Path) -> str:
    """The date of a dated folder, else that of the file, as results files are dated."""
    if is_dated(path):
        return path.parent.name.removeprefix("T").replace("-", "_")
    return date_text(path.stat().st_mtime)


def _age(path: Path) -> tuple[bool, Path, int]:
    # by date, undated ones last, two forms of one table by file time
    return not is_dated(path), path.with_suffix(""), path.stat().st_mtime_ns
