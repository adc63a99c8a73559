"""How the answers of a file are matched with a task's questions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
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
    that occur several times with the same answer (counted once), `differing` questions that the file has otherwise
    than the release.
    """

    answers: Mapping[str, Answer]
    unmatched: Mapping[str, Sequence[str]]


def match(path: Path, answers: Iterable[Answer], rows: Sequence[Mapping[str, Any]]) -> Matched:
    """Return each question's answer.

    Args:
        path: of the file, for messages.
        answers: those of the file.
        rows: the task's.

    Raises:
        InputError: an id with two different answers, or no id of the task at all.
    """
    by_id, duplicates = by_question(path, answers)
    known = dict.fromkeys(row["id"] for row in rows)
    found = {row_id: by_id[row_id] for row_id in known if row_id in by_id}
    unknown = [row_id for row_id in by_id if row_id not in known]
    if not found:
        instead = f"ids such as {unknown[0]!r}" if unknown else "no answers"
        raise InputError(
            f"Expected answers to the task's questions (ids such as {next(iter(known))!r}) in {path}, found {instead}. "
            "Name the task that the answers are of."
        )
    missing = [row_id for row_id in known if row_id not in by_id]
    return Matched(found, {"missing": missing, "unknown": unknown, "duplicates": duplicates})


def by_question(path: Path, answers: Iterable[Answer]) -> tuple[dict[str, Answer], list[str]]:
    """Return the answers by their ids, in their order, and the ids that occur several times with the same answer.

    Raises:
        InputError: an id with two different answers.
    """
    by_id: dict[str, Answer] = {}
    duplicates: dict[str, None] = {}
    for answer in answers:
        earlier = by_id.setdefault(answer.id, answer)
        if earlier is answer:
            continue
        if earlier != replace(answer, place=earlier.place):
            raise InputError(
                f"Expected one answer per question in {path}, found two different ones for {answer.id}. "
                "Keep the one that counts."
            )
        duplicates[answer.id] = None
    return by_id, list(duplicates)


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
