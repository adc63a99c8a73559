"""What `spiqa-tasks score` scores, and by which judges."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from spiqa_tasks.benchmarks.judging import Judging
from spiqa_tasks.benchmarks.signature import Signature, parse
from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.lmms_eval.catalogue import Task
from spiqa_tasks.judge.config import judge_from_environ, parse_judge
from spiqa_tasks.judge.l3 import L3Judge, L3Rule
from spiqa_tasks.judge.letters import LetterJudge
from spiqa_tasks.offline.matching import Matched, match
from spiqa_tasks.offline.predictions import read_predictions
from spiqa_tasks.offline.scored import Scored

Row = Mapping[str, Any]


def chosen_judges(
    task: Task, names: Sequence[str] | None, prompt: str, top: str, environ: Mapping[str, str]
) -> dict[str, Judging]:
    """Return the judges by what the user called them; none where the task needs none or judging is switched off.

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
    kind = task.entry.judge(task.entry.parse(task.settings))
    if kind is None:
        if named:
            raise InputError(f"Expected no --judge for {task.name}, which needs none; found {named[0]}. Leave it out.")
        return {}
    configs = {name: parse_judge(name, environ=environ) for name in named}
    if names is None:
        default = judge_from_environ(environ)
        configs = {default.name: default} if default is not None else {}
    if kind == "letters":
        return {name: Judging(LetterJudge(config)) for name, config in configs.items()}
    rule = L3Rule(prompt, int(top) if top.isdigit() else top)
    return {name: Judging(L3Judge(config, rule)) for name, config in configs.items()}


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


def differences(task: Task, matched: Matched, result: Scored) -> list[str]:
    """In what the answers were made otherwise than the task would have them made, one sentence for each."""
    found: dict[str, None] = {}
    ours = parse(result.signature)
    for prediction in matched.answers.values():
        theirs = parse(prediction.signature) if prediction.signature else Signature()
        for key in ("data", "prompt", "settings"):
            made, expected = getattr(theirs, key), getattr(ours, key)
            if made and made not in expected.split("+"):
                found[f"{result.label}: made with the {key} {made}, where {task.name} has {expected}."] = None
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
