"""What is read from a file of answers, and how it is matched with a task's questions."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spiqa_tasks.errors import InputError

FIRST = 5
"""How many ids a report names."""


@dataclass(frozen=True)
class Prediction:
    """A model's answer to one question.

    Attributes:
        id: the question's id as the file has it.
        text: the whole answer.
        shown: SPIQA's figure files in the order shown, where the file tells; the answer's image numbers mean these.
        signature: how the answer was made, where the file tells.
        failure: why the request failed, where the file tells so.
        question, target: the question's text and its true answer, where the file has them.
    """

    id: str
    text: str
    shown: tuple[str, ...] | None = None
    signature: str | None = None
    failure: str | None = None
    question: str = ""
    target: str = ""


@dataclass(frozen=True)
class Predictions:
    """The answers of one file or folder.

    Attributes:
        path: of the file or folder.
        format: `lmms-eval`, `jsonl`, `table`, `spiqa-responses` or `spiqa-responses-per-figure`.
        items: the answers.
        unasked: ids of the task's documents that were no part of the experiment; their absence is no fault.
    """

    path: Path
    format: str
    items: tuple[Prediction, ...]
    unasked: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Matched:
    """Answers by the id of their question, in the order of the task's rows, and what did not fit.

    `unknown` are ids of no question of the task (left out), `missing` questions without an answer, `duplicates` ids
    that occur several times with the same answer (counted once). `format` is that of the file.
    """

    format: str
    answers: Mapping[str, Prediction]
    unknown: tuple[str, ...]
    missing: tuple[str, ...]
    duplicates: tuple[str, ...]

    def counts(self) -> dict[str, Any]:
        """How many of each, and the first few ids where there are any."""
        found: dict[str, Any] = {}
        for name in ("missing", "unknown", "duplicates"):
            ids = getattr(self, name)
            found[name] = len(ids)
            if ids:
                found[f"{name}_first"] = list(ids[:FIRST])
        return found


def match(predictions: Predictions, rows: Sequence[Mapping[str, Any]]) -> Matched:
    """Find each question's answer.

    Raises:
        InputError: an id with two different answers, no id of the task at all, or questions or true answers in the file
            that are not the task's.
    """
    by_id: dict[str, Prediction] = {}
    duplicates: dict[str, None] = {}
    for item in predictions.items:
        earlier = by_id.setdefault(item.id, item)
        if earlier.text != item.text:
            raise InputError(
                f"Expected one answer per question in {predictions.path}, found two different ones for {item.id}. "
                "Keep the one that counts."
            )
        if earlier is not item:
            duplicates[item.id] = None
    known = dict.fromkeys(row["id"] for row in rows)
    answers = {row_id: by_id[row_id] for row_id in known if row_id in by_id}
    unknown = tuple(row_id for row_id in by_id if row_id not in known)
    _check_same(predictions.path, answers, rows)
    if not answers:
        found = f"ids such as {unknown[0]!r}" if unknown else "no answers"
        raise InputError(
            f"Expected answers to the task's questions (ids such as {next(iter(known))!r}) in {predictions.path}, "
            f"found {found}. Name the task that the answers are of."
        )
    missing = tuple(row_id for row_id in known if row_id not in by_id and row_id not in predictions.unasked)
    return Matched(predictions.format, answers, unknown, missing, tuple(duplicates))


def _check_same(path: Path, answers: Mapping[str, Prediction], rows: Sequence[Mapping[str, Any]]) -> None:
    """Refuse a file whose own questions and true answers are others than the task's under the same id."""
    other = [row["id"] for row in rows if row["id"] in answers and not _is_same(answers[row["id"]], row)]
    if other:
        raise InputError(
            f"Expected the questions and true answers in {path} to be the task's, found {len(other)} of {len(answers)} "
            f"others under the same id, the first: {', '.join(other[:FIRST])}. Name the right task, or put the file's "
            "rows in order."
        )


def _is_same(prediction: Prediction, row: Mapping[str, Any]) -> bool:
    """Whether the file's question and true answer, where it has them, are the row's.

    A question may stand there without its options, or within a whole prompt; a choice by its letter or its text.
    """
    question, target = _plain(prediction.question), _plain(prediction.target)
    ours = _plain(row.get("question", ""))
    choices = dict(zip(row.get("letters", ()), row.get("options", ()), strict=True))
    answer = row.get("answer", "")
    targets = [answer, choices.get(answer, ""), row.get("caption", "")]
    is_question = not question or question in ours or ours in question
    return is_question and (not target or target in map(_plain, targets))


def _plain(text: str) -> str:
    """The letters and digits of a text, which spreadsheets and hosts leave as they are."""
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", text).casefold())
