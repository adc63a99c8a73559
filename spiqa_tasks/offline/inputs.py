"""What `spiqa-tasks score` scores, and by which judges."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spiqa_tasks.benchmarks.registry import rows_for_scoring
from spiqa_tasks.benchmarks.settings import settings_text
from spiqa_tasks.benchmarks.signature import Signature, parse
from spiqa_tasks.errors import DataError, InputError
from spiqa_tasks.files.cells import read_cells, row_id
from spiqa_tasks.files.source import fingerprint
from spiqa_tasks.hosts.catalogue import Task
from spiqa_tasks.judge.judge import Judge
from spiqa_tasks.judge.resolve import judge_from_environ, parse_judge
from spiqa_tasks.judge.rules import make_rule
from spiqa_tasks.offline.answer_tables import find_table, is_own
from spiqa_tasks.offline.matching import Matched, Predictions, match
from spiqa_tasks.offline.predictions import is_table, read_predictions
from spiqa_tasks.offline.scored import Scored
from spiqa_tasks.printable import counted

Row = Mapping[str, Any]


def chosen_judges(
    task: Task, names: Sequence[str] | None, prompt: str, top: str, environ: Mapping[str, str]
) -> dict[str, Judge]:
    """Return the judges by what the user called them; none where the task needs none or judging is switched off.

    Args:
        task: the task.
        names: `provider:model`, `provider:model@URL` for a server of its own, or `none`; None: what `environ` names.
        prompt: the name of the judge's prompt.
        top: how many first-token log-probabilities count, or `full-vocabulary`.
        environ: the environment, for the default judge, its URL and its key.

    Raises:
        InputError: a judge for a task that needs none, or an unknown prompt or rule.
        JudgeError: a judge that cannot return what the task's rule asks for.
    """
    named = [name for name in dict.fromkeys(names or ()) if name.lower() != "none"]
    rule_name = task.entry.judge(task.entry.parse(task.settings))
    if rule_name is None:
        if named:
            raise InputError(f"Expected no --judge for {task.name}, which needs none; found {named[0]}. Leave it out.")
        return {}
    configs = {name: parse_judge(name, environ=environ) for name in named}
    if names is None:
        default = judge_from_environ(environ)
        configs = {default.name: default} if default is not None else {}
    rule = make_rule(rule_name, {"prompt": prompt, "top": int(top) if top.isdigit() else top})
    return {name: Judge(config, rule) for name, config in configs.items()}


@dataclass(frozen=True)
class Input:
    """One file's answers to one task.

    Attributes:
        label: a short name of the file.
        task: the task as it was run; how it is scored is the named task's.
        rows: its questions.
        matched: the answers.
        remarks: what is to be said about them.
    """

    label: str
    task: Task
    rows: Sequence[Row]
    matched: Matched
    remarks: tuple[str, ...]


def read_inputs(places: Sequence[Path], task: Task) -> list[Input]:
    """Return each file's answers to a task.

    Raises:
        InputError: see `read_predictions` and `match`; or a file named twice.
        DataError: the questions are not there, and not in the file either.
    """
    labels = [place.stem if place.is_file() else place.name for place in places]
    if len(set(labels)) < len(labels):
        labels = [str(place) for place in places]
    if len(set(labels)) < len(labels):
        raise InputError("Expected different files of predictions, found one of them twice. Name each once.")
    return [read_input(label, place, task) for label, place in zip(labels, places, strict=True)]


def read_input(label: str, place: Path, task: Task) -> Input:
    """Return the answers in a file or folder to a task; see `read_inputs`."""
    remarks: list[str] = []
    try:
        rows = _rows(task)
    except DataError as error:
        rows = _own_rows(place, task)
        if not rows:
            raise
        remarks.append(f"{place}: scored from its own questions and answers, for want of the release: {error}")
    predictions = read_predictions(place, task.name, rows)
    ran = _as_run(task, predictions)
    if ran.settings != task.settings:
        rows = _rows(ran)
        remarks.append(f"{label}: scored as it was made, with {ran.settings}; {task.name} has {task.settings}.")
    matched = match(predictions, rows)
    remarks += [f"{task.name}: {place}: {remark}" for remark in _remarks(matched)]
    if predictions.unasked:
        remarks.append(
            f"{place}: {len(predictions.unasked)} of {len(rows)} documents are of figures that it does not ask about."
        )
    return Input(label, ran, rows, matched, tuple(remarks))


def differences(given: Input, result: Scored) -> list[str]:
    """In what the answers were made otherwise than they are scored, one sentence for each."""
    found: dict[str, None] = {}
    ours = parse(result.signature)
    for prediction in given.matched.answers.values():
        theirs = parse(prediction.signature) if prediction.signature else Signature()
        if theirs.data and theirs.data not in ours.data.split("+"):
            found[f"{given.label}: made with the data {theirs.data}, scored with {ours.data}."] = None
    return list(found)


def _rows(task: Task) -> list[dict[str, Any]]:
    rows = rows_for_scoring(task.benchmark, task.split, task.settings)
    return rows if task.kept is None else [row for row in rows if row["id"] in task.kept]


def _own_rows(place: Path, task: Task) -> list[dict[str, Any]]:
    """The questions that a table of answers has itself; none where it has none."""
    path = find_table(place) if place.is_dir() else place
    if task.entry.from_table is None or path is None or not is_table(path):
        return []
    table = read_cells(path)
    if not is_own(table):
        return []
    cells = [{**row, "id": row_id(row)} for row in table]
    return task.entry.from_table(cells, task.split, task.entry.parse(task.settings), f"table {fingerprint([path])}")


def _as_run(task: Task, predictions: Predictions) -> Task:
    """The task with the settings that the answers were made with; how they are scored stays the task's.

    Raises:
        InputError: answers made with different settings.
    """
    told = {parse(item.signature).settings for item in predictions.items if item.signature} - {""}
    if not told:
        return task
    ours = task.entry.parse(task.settings)
    scoring = {name: getattr(ours, name) for name in task.entry.scoring}
    made = {settings_text(dataclasses.replace(task.entry.parse(text), **scoring)) for text in told}
    if len(made) > 1:
        raise InputError(
            f"Expected answers made with the same settings in {predictions.path}, found {'; '.join(sorted(made))}. "
            "Score them apart."
        )
    settings = made.pop()
    return task if settings == settings_text(ours) else dataclasses.replace(task, settings=settings)


def _remarks(matched: Matched) -> Iterator[str]:
    counts = matched.counts()
    meanings = {
        "missing": ("question has no answer and is left out", "questions have no answer and are left out"),
        "unknown": ("id is not of this task and is ignored", "ids are not of this task and are ignored"),
        "duplicates": (
            "id occurs several times with the same answer and counts once",
            "ids occur several times with the same answer and count once",
        ),
    }
    for name, (one, many) in meanings.items():
        if counts[name]:
            yield f"{counted(counts[name], one, many)}, the first: {', '.join(counts[f'{name}_first'])}."
