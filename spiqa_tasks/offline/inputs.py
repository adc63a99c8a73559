"""What `spiqa-tasks score` scores, and by which judges."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from spiqa_tasks.offline.scoring import judge_requests
from spiqa_tasks.offline.prediction_types import Matched, match
from spiqa_tasks.offline.predictions import read_predictions
from spiqa_tasks.offline.scored import L3SCORE, Scored
from spiqa_tasks.benchmarks.signature import fields
from spiqa_tasks.errors import InputError
from spiqa_tasks.judge.config import judge_from_environ, parse_judge
from spiqa_tasks.judge.l3 import L3Judge, L3Rule
from spiqa_tasks.judge.types import JudgeRequest
from spiqa_tasks.hosts.lmms_eval.catalogue import Task

Row = Mapping[str, Any]


def chosen_judges(
    task: Task, names: Sequence[str] | None, prompt: str, top: str, environ: Mapping[str, str]
) -> dict[str, L3Judge]:
    """The judges by what the user called them; none for a task without L3Score and where judging is switched off.

    Args:
        task: the task.
        names: `provider:model`, `provider:model@URL` for a server of its own, or `none`; None: what `environ` names.
        prompt: the name of the judge's prompt.
        top: how many first-token log-probabilities count, or `full-vocabulary`.
        environ: the environment, for the default judge, its URL and its key.

    Raises:
        InputError: a judge for a task that needs none, or an unknown prompt or rule.
        JudgeError: a judge that cannot give L3Score.
    """
    named = [name for name in dict.fromkeys(names or ()) if name.lower() != "none"]
    if L3SCORE not in task.metrics:
        if named:
            raise InputError(f"Expected no --judge for {task.name}, which has no L3Score; found {named[0]}. Leave it.")
        return {}
    configs = {name: parse_judge(name, environ=environ) for name in named}
    if names is None:
        default = judge_from_environ(environ)
        configs = {default.name: default} if default is not None else {}
    rule = L3Rule(prompt, int(top) if top.isdigit() else top)
    return {name: L3Judge(config, rule) for name, config in configs.items()}


def read_answers(places: Sequence[Path], task: Task, rows: Sequence[Row]) -> tuple[dict[str, Matched], list[str]]:
    """Each file's answers by a short name of the file, and what is to be said about them.

    Raises:
        InputError: see `read_predictions` and `match`; or a file named twice.
    """
    labels = [place.stem if place.is_file() else place.name for place in places]
    if len(set(labels)) < len(labels):
        labels = [str(place) for place in places]
    if len(set(labels)) < len(labels):
        raise InputError("Expected different files of predictions, found one of them twice. Name each once.")
    answers, remarks = {}, []
    for label, place in zip(labels, places, strict=True):
        answers[label] = match(read_predictions(place, task.name, rows), rows)
        remarks += [f"{place}: {remark}" for remark in _remarks(answers[label])]
    return answers, remarks


def requests(task: Task, judge: L3Judge, answers: Mapping[str, Matched], rows: Sequence[Row]) -> list[JudgeRequest]:
    """What the judge will be asked about all answers."""
    return [request for matched in answers.values() for request in judge_requests(task, rows, matched, judge)]


def differences(task: Task, matched: Matched, result: Scored) -> list[str]:
    """In what the answers were made otherwise than the task would have them made, one sentence for each."""
    found: dict[str, None] = {}
    ours = fields(result.signature)
    for prediction in matched.answers.values():
        theirs = fields(prediction.signature) if prediction.signature else {}
        for key in ("data", "prompt", "settings"):
            if key in theirs and theirs[key] not in ours[key].split("+"):
                found[f"{result.label}: made with the {key} {theirs[key]}, where {task.name} has {ours[key]}."] = None
    return list(found)


def _remarks(matched: Matched) -> Iterator[str]:
    counts = matched.counts()
    meanings = {
        "missing": "questions have no answer and are left out",
        "unknown": "ids are not of this task and are ignored",
        "duplicates": "ids occur several times with the same answer and count once",
    }
    for name, meaning in meanings.items():
        if counts[name]:
            yield f"{counts[name]} {meaning}, the first: {', '.join(counts[f'{name}_first'])}."
