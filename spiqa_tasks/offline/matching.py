"""What is read from a file of answers, and how it is matched with a task's questions."""

from __future__ import annotations

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
    """

    id: str
    text: str
    shown: tuple[str, ...] | None = None
    signature: str | None = None


@dataclass(frozen=True)
class Predictions:
    """The answers of one file or folder; `format` is `lmms-eval`, `jsonl`, `table` or `spiqa-responses`."""

    path: Path
    format: str
    items: tuple[Prediction, ...]


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
        InputError: an id with two different answers, or no id of the task at all.
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
    if not answers:
        found = f"ids such as {unknown[0]!r}" if unknown else "no answers"
        raise InputError(
            f"Expected answers to the task's questions (ids such as {next(iter(known))!r}) in {predictions.path}, "
            f"found {found}. Name the task that the answers are of."
        )
    missing = tuple(row_id for row_id in known if row_id not in by_id)
    return Matched(predictions.format, answers, unknown, missing, tuple(duplicates))
