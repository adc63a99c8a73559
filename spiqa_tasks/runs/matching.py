"""How the answers of a file are matched with a task's questions."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spiqa_tasks.errors import InputError
from spiqa_tasks.printable import counted
from spiqa_tasks.runs.answer import Answer

FIRST = 5
"""How many ids a sentence names."""


@dataclass(frozen=True)
class Matched:
    """Answers by the id of their question, in the order of the task's rows, and what did not fit.

    `missing` are questions without an answer, `unknown` ids of no question of the task (left out), `duplicates` ids
    that occur several times with the same answer (counted once).
    """

    answers: Mapping[str, Answer]
    unmatched: Mapping[str, Sequence[str]]


def match(
    path: Path, answers: Iterable[Answer], rows: Sequence[Mapping[str, Any]], unasked: Collection[str] = ()
) -> Matched:
    """Return each question's answer.

    Args:
        path: of the file, for messages.
        answers: those of the file.
        rows: the task's.
        unasked: ids of rows that were no part of the experiment; their absence is no fault.

    Raises:
        InputError: an id with two different answers, no id of the task at all, or questions or true answers in the file
            that are not the task's.
    """
    by_id: dict[str, Answer] = {}
    duplicates: dict[str, None] = {}
    for answer in answers:
        earlier = by_id.setdefault(answer.id, answer)
        if earlier.response.text != answer.response.text:
            raise InputError(
                f"Expected one answer per question in {path}, found two different ones for {answer.id}. "
                "Keep the one that counts."
            )
        if earlier is not answer:
            duplicates[answer.id] = None
    known = dict.fromkeys(row["id"] for row in rows)
    found = {row_id: by_id[row_id] for row_id in known if row_id in by_id}
    unknown = [row_id for row_id in by_id if row_id not in known]
    _check_same(path, found, rows)
    if not found:
        instead = f"ids such as {unknown[0]!r}" if unknown else "no answers"
        raise InputError(
            f"Expected answers to the task's questions (ids such as {next(iter(known))!r}) in {path}, found {instead}. "
            "Name the task that the answers are of."
        )
    missing = [row_id for row_id in known if row_id not in by_id and row_id not in unasked]
    return Matched(found, {"missing": missing, "unknown": unknown, "duplicates": list(duplicates)})


def match_counts(unmatched: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Return how many ids did not fit and why, and the first few of them."""
    found: dict[str, Any] = {}
    for name, ids in unmatched.items():
        found |= {name: len(ids)} | ({f"{name}_first": list(ids[:FIRST])} if ids else {})
    return found


def remarks(unmatched: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield a sentence for each way in which ids did not fit."""
    meanings = {
        "missing": ("question has no answer and is left out", "questions have no answer and are left out"),
        "unknown": ("id is not of this task and is ignored", "ids are not of this task and are ignored"),
        "duplicates": (
            "id occurs several times with the same answer and counts once",
            "ids occur several times with the same answer and count once",
        ),
    }
    for name, meaning in meanings.items():
        if ids := unmatched.get(name):
            yield f"{counted(len(ids), *meaning)}, the first: {', '.join(ids[:FIRST])}."


def _check_same(path: Path, answers: Mapping[str, Answer], rows: Sequence[Mapping[str, Any]]) -> None:
    """Refuse a file whose own questions and true answers are others than the task's under the same id.

    Answers with a record have their question's id from this package.
    """
    told = {row_id: answer for row_id, answer in answers.items() if answer.record is None}
    other = [row["id"] for row in rows if row["id"] in told and not _is_same(told[row["id"]], row)]
    if other:
        raise InputError(
            f"Expected the questions and true answers in {path} to be the task's, found {len(other)} of {len(answers)} "
            f"others under the same id, the first: {', '.join(other[:FIRST])}. Name the right task, or put the file's "
            "rows in order."
        )


def _is_same(answer: Answer, row: Mapping[str, Any]) -> bool:
    """Whether the file's question and true answer, where it has them, are the row's.

    A question may stand there without its options, or within a whole prompt; a choice by its letter or its text.
    """
    question, target = _plain(answer.question), _plain(answer.reference)
    ours = _plain(row.get("question", ""))
    choices = dict(zip(row.get("letters", ()), row.get("options", ()), strict=True))
    true = row.get("answer", "")
    targets = [true, choices.get(true, ""), row.get("caption", "")]
    is_question = not question or question in ours or ours in question
    return is_question and (not target or target in map(_plain, targets))


def _plain(text: str) -> str:
    """The letters and digits of a text, which spreadsheets and hosts leave as they are."""
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", text).casefold())
