"""A list of the only questions that count, such as the 20% of SPIQA's Table 7."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from spiqa_tasks.errors import InputError
from spiqa_tasks.files.json_text import loads
from spiqa_tasks.printable import counted
from spiqa_tasks.runs.answer import Answer
from spiqa_tasks.runs.matching import FIRST
from spiqa_tasks.runs.run import Run


@dataclass(frozen=True)
class Subset:
    """Ids of questions, each once, in the order of their file."""

    path: Path
    ids: tuple[str, ...]

    @property
    def digest(self) -> str:
        """Twelve hexadecimal digits over the ids, whatever their order, and how many they are."""
        text = "\n".join(sorted(self.ids))
        return f"{hashlib.sha256(text.encode()).hexdigest()[:12]} ({len(self.ids)})"

    def rows(self, task: str, rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        """Return those of a task's rows that the list names. Raises InputError: an id of no question of the task."""
        wanted = set(self.ids)
        self._check(task, {question_of(row) for row in rows})
        return [row for row in rows if question_of(row) in wanted]

    def of(self, run: Run) -> Run:
        """Return a run as if the list were its task: coverage counts against it, the signature has its digest.

        Raises InputError: an id that a run over a whole task has no answer to, or no id that the run has one to.
        """
        wanted = set(self.ids)
        asked = {_question(answer) for answer in run.by_id.values()}
        if not run.record_set.part or not wanted & asked:
            self._check(run.task, asked)
        answers = [self._signed(answer) for answer in run.by_id.values() if _question(answer) in wanted]
        return replace(run, read=lambda: answers, asked=len(self.ids), answered=len(answers), reported={})

    def _check(self, task: str, known: set[str]) -> None:
        unknown = [key for key in self.ids if key not in known]
        if unknown:
            raise InputError(
                f"Expected ids of questions of {task} in {self.path}, such as {next(iter(sorted(known)), '')}; found "
                f"{counted(len(unknown), 'other')}, the first: {', '.join(unknown[:FIRST])}. Correct the list, or "
                "name the task that it is of."
            )

    def _signed(self, answer: Answer) -> Answer:
        return answer if answer.record is None else replace(answer, record=answer.record.signed(ids=self.digest))


def read_subset(path: Path) -> Subset:
    """Return the list in a file: an id a line, or the `kept.json` of a filtered task.

    Raises InputError: the file cannot be read, has no id, or has one twice.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
        if path.suffix == ".json":
            ids = [str(each["id"]) for each in loads(text)["kept"]]
        else:
            ids = [line.strip() for line in text.splitlines()]
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise InputError(
            f"Expected {path} to have the id of a question a line, or to be the kept.json of a filtered task; found "
            f"{type(error).__name__} {error}. Correct it."
        ) from error
    found = Counter(key for key in ids if key)
    doubles = [key for key, often in found.items() if often > 1]
    if not found or doubles:
        what = f"{', '.join(doubles[:FIRST])} more than once" if doubles else "none"
        raise InputError(f"Expected ids of questions in {path}, each once; found {what}. Correct the list.")
    return Subset(path, tuple(found))


def question_of(row: Mapping[str, Any]) -> str:
    """Return the id of the question that a row is of, or is a part of."""
    return str(row.get("question_id") or row["id"])


def _question(answer: Answer) -> str:
    details = {} if answer.record is None else answer.record.details
    return str(details.get("question_id") or answer.id)
