"""A list of the only questions that count, such as the 20% of SPIQA's Table 7."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from spiqa_tasks.benchmarks.signature import parse
from spiqa_tasks.errors import InputError, found_instead
from spiqa_tasks.files.json_text import digest_of, loads
from spiqa_tasks.printable import counted
from spiqa_tasks.runs.answer import FIRST, Answer
from spiqa_tasks.runs.run import Run

# Field of a kept.json with a path of the machine that wrote it, which its digest leaves out.
SOURCE_YAML = "source_yaml"


@dataclass(frozen=True)
class Subset:
    """Ids of questions, each once, in the order of the file; `kept` is its content if it is a
    `kept.json`.
    """

    path: Path
    ids: tuple[str, ...]
    kept: Mapping[str, Any] | None = None

    @property
    def digest(self) -> str:
        """Twelve hexadecimal digits over the ids, whatever their order, and how many they are."""
        text = "\n".join(sorted(self.ids))
        return f"{hashlib.sha256(text.encode()).hexdigest()[:12]} ({len(self.ids)})"

    def rows(self, task: str, rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        """Return the task's rows that the list names. Raises InputError: an unknown id, or a
        list of other data.
        """
        wanted = set(self.ids)
        data = {f"{row['benchmark']}/{row['split']}@{row['data']}" for row in rows if "data" in row}
        self._check(task, data, {question_of(row) for row in rows})
        return [row for row in rows if question_of(row) in wanted]

    def of(self, run: Run) -> Run:
        """Return a run as if the list were its task: coverage counts against it, the signature has
        its digest.

        Raises InputError: an id that a run over a whole task has no answer to, or a list of
        other data.
        """
        wanted = set(self.ids)
        asked = {_question(answer) for answer in run.by_id.values()}
        is_part = run.record_set.part and wanted & asked
        self._check(
            run.task, set(filter(None, run.signature.data.split("+"))), wanted if is_part else asked
        )
        answers = [answer for answer in run.by_id.values() if _question(answer) in wanted]
        for place, answer in enumerate(answers):
            if answer.record is not None and answer.record.signature:
                signature = parse(answer.record.signature).with_fields(ids=self.digest).text
                answers[place] = replace(answer, record=replace(answer.record, signature=signature))
        written = replace(run.written, values={})
        return replace(
            run,
            read=lambda: answers,
            asked=len(self.ids),
            answered=len(answers),
            written=written,
        )

    def _check(self, task: str, data: set[str], known: set[str]) -> None:
        data = {
            each for each in data if "@table " not in each
        }  # made of the answers' own table, without a release
        listed = None if self.kept is None else self.kept["data"]
        if listed and data and listed not in data:
            of = ", ".join(sorted(data))
            raise InputError(
                f"Expected {self.path} to list questions of {of}; found those of {listed}."
            )
        unknown = [key for key in self.ids if key not in known]
        if unknown:
            raise InputError(
                f"Expected ids of questions of {task} in {self.path}, such as"
                f" {next(iter(sorted(known)), '')}; found {counted(len(unknown), 'other')}, the"
                f" first: {', '.join(unknown[:FIRST])}. Correct the list, or name the task that it"
                " is of."
            )


def read_subset(path: Path) -> Subset:
    """Return the questions that a file lists: an id a line, or the `kept.json` of a filtered task.

    Raises InputError: a file that cannot be read, was changed or has no id.
    """
    kept = None
    try:
        text = path.read_text(encoding="utf-8-sig")
        if path.suffix == ".json":
            kept = _unchanged(path, loads(text))
            ids = [str(question["id"]) for question in kept["kept"]]
        else:
            ids = [line.strip() for line in text.splitlines()]
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InputError(
            f"Expected {path} to have the id of a question a line, or to be the kept.json of a "
            f"filtered task; found {found_instead(error)}. Correct it, or name another file."
        ) from error
    distinct = dict.fromkeys(key for key in ids if key)
    if not distinct:
        raise InputError(f"Expected ids of questions in {path}, found none. Correct the list.")
    return Subset(path, tuple(distinct), kept)


def _unchanged(path: Path, kept: dict[str, Any]) -> dict[str, Any]:
    content = {key: value for key, value in kept.items() if key not in ("digest", SOURCE_YAML)}
    if digest_of(content) != kept["digest"]:
        raise InputError(
            f"Expected {path} to have the digest {kept['digest']} that it names, found"
            f" {digest_of(content)}: it was changed. Get it again."
        )
    return kept


def question_of(row: Mapping[str, Any]) -> str:
    """Return the id of the question that a row is of, or is a part of."""
    return str(row.get("question_id") or row["id"])


def _question(answer: Answer) -> str:
    details = {} if answer.record is None else answer.record.details
    return str(details.get("question_id") or answer.id)
