"""Lists of the only questions that count: an id a line, or the kept.json of a filtered task."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from spiqa_tasks.benchmarks.benchmark import question_of
from spiqa_tasks.benchmarks.signature import parse
from spiqa_tasks.errors import InputError, found_instead
from spiqa_tasks.files.json_text import digest_of, loads
from spiqa_tasks.printable import counted
from spiqa_tasks.runs.run import MOST_LISTED, Answer, Run

# Field of a kept.json with a path of the machine that wrote it, which its digest leaves out.
SOURCE_YAML = "source_yaml"


@dataclass(frozen=True)
class Subset:
    """A list of the only questions that count, such as the 20% of SPIQA's Table 7.

    `ids` are in the order of the file, each once; `data` is what a `kept.json` was made of, or ''.
    """

    path: Path
    ids: tuple[str, ...]
    data: str = ""

    @property
    def digest(self) -> str:
        """Twelve hexadecimal digits over the ids, whatever their order, and how many they are."""
        text = "\n".join(sorted(self.ids))
        return f"{hashlib.sha256(text.encode()).hexdigest()[:12]} ({len(self.ids)})"

    def cut_rows(self, task: str, rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        """Return the task's rows that the list names.

        Raises InputError: an unknown id, or a list of other data.
        """
        data = {f"{row['benchmark']}/{row['split']}@{row['data']}" for row in rows}
        self._check(task, data, {question_of(row) for row in rows})
        wanted = set(self.ids)
        return [row for row in rows if question_of(row) in wanted]

    def cut_run(self, run: Run) -> Run:
        """Return a scored run as if the list were its task: coverage counts against it, the
        signature has its digest. Answers that are scored here are cut by `join_questions`.

        Raises InputError: an id that a run over a whole task has no answer to, or a list of
        other data.
        """
        known = {_question(answer) for answer in run.by_id.values()}
        listed = known & set(self.ids)
        # over a part of the task, other ids of the list may be those of questions without an answer
        if run.record_set.part and listed:
            known.update(self.ids)
        data = set(filter(None, run.signature.data.split("+")))
        self._check(run.task, data, known)

        answers = [
            self._signed(answer) for answer in run.by_id.values() if _question(answer) in listed
        ]
        # Groups of a list that is answered in part are withheld, by their sizes in the whole task:
        # which of them lack an answer is not known.
        sizes = {} if len(listed) == len(self.ids) else run.reported.sizes
        return replace(
            run,
            read=lambda: answers,
            asked=len(self.ids),
            answered=len(answers),
            reported=replace(run.reported, values={}, sizes=sizes),
        )

    def _signed(self, answer: Answer) -> Answer:
        """Return the answer with the list in its record's signature."""
        if answer.record is None or not answer.record.signature:
            return answer
        signature = parse(answer.record.signature).with_fields(ids=self.digest).text
        return replace(answer, record=replace(answer.record, signature=signature))

    def _check(self, task: str, data: set[str], known: set[str]) -> None:
        """Raise InputError if the list is of other data, or has ids that are not `known`."""
        # questions in the answers' own table are of no release
        data = {source for source in data if "@table " not in source}
        if self.data and data and self.data not in data:
            of = ", ".join(sorted(data))
            raise InputError(
                f"Expected {self.path} to list questions of {of}; found those of {self.data}."
            )

        unknown = [key for key in self.ids if key not in known]
        if unknown:
            raise InputError(
                f"Expected ids of {task} in {self.path}, such as {min(known, default='')}; found"
                f" {counted(len(unknown), 'other')}, the first: {', '.join(unknown[:MOST_LISTED])}."
                " Correct the list, or name its task."
            )


def read_subset(path: Path) -> Subset:
    """Return the questions that a file lists: an id a line, or the `kept.json` of a filtered task.

    Raises InputError: a file that cannot be read, was changed or has no id.
    """
    data = ""
    try:
        text = path.read_text(encoding="utf-8-sig")
        ids = text.splitlines()
        if path.suffix == ".json":
            kept = loads(text)
            _check_digest(path, kept)
            data = kept["data"]
            ids = [str(question["id"]) for question in kept["kept"]]
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InputError(
            f"Expected {path} to have an id a line, or to be the kept.json of a filtered task; "
            f"found {found_instead(error)}. Correct it, or name another file."
        ) from error

    distinct = dict.fromkeys(filter(None, map(str.strip, ids)))
    if not distinct:
        raise InputError(f"Expected ids of questions in {path}, found none. Correct the list.")
    return Subset(path, tuple(distinct), data)


def _check_digest(path: Path, kept: Mapping[str, Any]) -> None:
    """Raise InputError if a kept.json has not the digest that it names: that of its content,
    without a machine's path.
    """
    content = {key: kept[key] for key in kept if key not in ("digest", SOURCE_YAML)}
    if digest_of(content) != kept["digest"]:
        raise InputError(
            f"Expected {path} to have the digest that it names, found another: it was changed. Get "
            "it again."
        )


def _question(answer: Answer) -> str:
    """Return the id of the question that an answer is to, or to a part of."""
    details = {} if answer.record is None else answer.record.details
    return str(details.get("question_id") or answer.id)
