"""Answers as rows: JSON lines of `{"id": ..., "prediction": "..."}`, MMStar's and VLMEvalKit's tables, parquet.

VLMEvalKit writes <model>_<dataset>.<suffix> in OUT/<model>/, or OUT/<model>/T<date>/ of some builds.
"""

from collections.abc import Collection, Iterable, KeysView, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from spiqa_tasks.errors import DataError, InputError
from spiqa_tasks.files.json_text import json_lines
from spiqa_tasks.files.records import read_cells
from spiqa_tasks.files.tables import row_id
from spiqa_tasks.hosts.lmms_eval_files import SAMPLES
from spiqa_tasks.hosts.vlmevalkit.answer_files import DATED_FOLDER, SCORED_COLUMNS, SUFFIXES
from spiqa_tasks.hosts.vlmevalkit.tasks import HOST
from spiqa_tasks.runs.answer import Answer
from spiqa_tasks.runs.identity import Identity
from spiqa_tasks.runs.readers.columns import USUAL, Columns, advice, listed
from spiqa_tasks.runs.run import Run

LINES, TABLE, VLMEVALKIT = "jsonl", "table", "vlmevalkit"
"""The forms: rows with the types of JSON, cells that are all text, and such tables in VLMEvalKit's own folders."""
DATASETS = {"MMStar": "mmstar_filtered"}
"""Dataset of VLMEvalKit -> the task of ours that asks the same questions."""


def is_answers(columns: Iterable[str], names: Columns = USUAL) -> bool:
    """Return whether a row with these columns is an answer: it has an id, or its question and reference."""
    known = set(columns)
    is_free = None not in (names.name("question", known), names.name("reference", known))
    return names.name("prediction", known) is not None and (bool(names.ids(known)) or is_free)


def read_lines(path: Path, columns: Columns = USUAL) -> list[Answer]:
    """Return the answers of JSON lines. Raises DataError, InputError: a line of another form, with its number."""
    return _answers(path, LINES, dict(json_lines(path)), columns)


def read_table(path: Path, columns: Columns = USUAL) -> list[Answer]:
    """Return the answers of a table. Raises DataError, InputError: a broken file, or a row that lacks a column."""
    return _answers(path, TABLE, dict(enumerate(read_cells(path), 1)), columns)


def answers_in(path: Path, columns: Columns = USUAL, *, scored: bool = True) -> int:
    """Return how many answers a table has; 0 for any other, and unless `scored` for one that VLMEvalKit has scored."""
    try:
        table = read_cells(path)
    except DataError:
        return 0
    found = columns_of(table)
    return (
        len(table) if is_answers(found, columns) and (scored or not found & SCORED_COLUMNS) else 0
    )


def _answers(
    path: Path, form: str, rows: Mapping[int, Mapping[str, Any]], columns: Columns
) -> list[Answer]:
    found = columns_of(rows.values())
    columns.check(found, path)
    keys, prediction = columns.ids(found), columns.name("prediction", found)
    if prediction is None or not is_answers(found, columns):
        raise InputError(
            f"Expected {path} to have the columns index (or id) and prediction, found {listed(found)}. {advice(found)}"
        )
    answers = []
    for position, (number, row) in enumerate(rows.items()):
        where = f"{'row' if form == TABLE else 'line'} {number} of {path}"
        ids, text = [row.get(key) for key in keys], row.get(prediction)
        are_ids = all(isinstance(key, str | int) and not isinstance(key, bool) for key in ids)
        if not (are_ids and isinstance(text, str)):
            there = ", ".join(
                f"{name} {row[name]!r:.60}" for name in (*keys, prediction) if name in row
            )
            raise InputError(
                f"Expected {where} to have {' and '.join((*keys, prediction))}, a text or number and a text; found "
                f"{there or listed(row)}. Correct it."
            )
        row_key = row_id(row, keys) if form == TABLE and len(keys) == 1 else "/".join(map(str, ids))
        try:
            answers.append(columns.answer(row, row_key, text, position))
        except ValueError as error:
            raise InputError(
                f"Expected names of figures in {where}, found {error}. Correct it."
            ) from error
    return answers


def joined(folder: Path, runs: Sequence[Run]) -> list[Run]:
    """Return files of one name in several folders (MMMU's subjects) as one run, if no question is in two of them."""
    found: list[Run] = []
    for name in dict.fromkeys(run.path.name for run in runs):
        parts = [run for run in runs if run.path.name == name]
        are_parts = len(parts) > 1 and all(run.form in (LINES, TABLE) for run in parts)
        every = [answer for run in parts for answer in run.read()] if are_parts else []
        are_parts &= len({answer.id for answer in every}) == len(every)
        whole = replace(
            parts[0],
            path=folder,
            identity=Identity(folder.resolve().name),
            read=partial(list, every),
        )
        found += [whole] if are_parts else parts
    return found


def columns_of(rows: Iterable[Mapping[str, Any]]) -> KeysView[str]:
    """Return the names of the columns, in their order."""
    return dict.fromkeys(column for row in rows for column in row).keys()


def is_dated(path: Path) -> bool:
    """Return whether a file is of one of several dates of a model's folder."""
    return DATED_FOLDER.fullmatch(path.parent.name) is not None


def _age(path: Path) -> tuple[bool, Path, int]:
    # by date, undated ones last, two forms of one table by file time
    return not is_dated(path), path.with_suffix(""), path.stat().st_mtime_ns


def vlmevalkit_runs(folder: Path, tasks: Collection[str]) -> list[Run]:
    """Return the runs of tasks, or of `DATASETS`, that VLMEvalKit wrote below a folder, oldest first, unless scored."""
    found = []
    paths = (
        path
        for path in folder.resolve().rglob("*")
        if path.suffix in SUFFIXES and not path.is_symlink()
    )
    for path in sorted(paths, key=_age):
        model, task, dataset = _named(path, tasks)
        scored = path.parent.glob(f"*{SAMPLES}{dataset}.jsonl")
        is_scored = any(samples.stat().st_mtime >= path.stat().st_mtime for samples in scored)
        if task and not is_scored and (answered := answers_in(path, scored=False)):
            read = partial(read_table, path)
            found.append(
                Run(task, Identity(f"{model},{HOST}"), path, VLMEVALKIT, read, answered=answered)
            )
    return found


def is_vlmevalkits(path: Path, tasks: Collection[str]) -> bool:
    """Return whether a table has VLMEvalKit's answers to one of the tasks, or is its scored copy of any."""
    _, task, dataset = _named(path, tasks)
    return bool(task) or (bool(dataset) and not answers_in(path, scored=False))


def other_dataset(path: Path, tasks: Collection[str]) -> str:
    """Return the dataset of a file of VLMEvalKit that is none of the tasks', by names alone, or ""."""
    _, task, dataset = _named(path, tasks)
    is_hosts = is_dated(path) or path.with_name("status.json").is_file()
    return (
        dataset
        if is_hosts and not task and not dataset.startswith(tuple(f"{task}_" for task in tasks))
        else ""
    )


def _named(path: Path, tasks: Collection[str]) -> tuple[str, str, str]:
    """The model, task and dataset in the names of VLMEvalKit's table and its folder; no dataset, no task: ""."""
    model = (path.parent.parent if is_dated(path) else path.parent).name
    dataset = path.stem.removeprefix(f"{model}_") if path.stem.startswith(f"{model}_") else ""
    task = dataset if dataset in tasks else DATASETS.get(dataset, "")
    return model, task if task in tasks else "", dataset
