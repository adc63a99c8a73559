"""Answers with people's verdicts: EVOUNA's json as published, and tables in any format."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spiqa_tasks.errors import InputError
from spiqa_tasks.files.records import read_records
from spiqa_tasks.judge.rules import Candidate
from spiqa_tasks.runs.columns import USUAL, Columns, answers_of_rows, listed
from spiqa_tasks.runs.run import Answer

# Words for a right and a wrong answer, in lower case.
YES = frozenset({"true", "yes", "1", "correct", "right", "pass"})
NO = frozenset({"false", "no", "0", "incorrect", "wrong", "fail"})

# EVOUNA's columns; the last two are followed by a system's name.
_GOLDEN, _ANSWER, _VERDICT = "golden_answer", "answer_", "judge_"


@dataclass(frozen=True)
class Labelled:
    """An answer as a judge is shown it, and whether it is right."""

    candidate: Candidate
    label: bool


@dataclass(frozen=True)
class Labels:
    """The labelled answers of a file with its name and sha256; `left_out` are the labels of the
    others, which are neither yes nor no: none, unclear, or of an improper question of EVOUNA's.
    """

    name: str
    digest: str
    answers: tuple[Labelled, ...]
    left_out: tuple[str, ...] = ()


def read_labels(path: Path, columns: Columns = USUAL) -> Labels:
    """Return the labelled answers of EVOUNA's json, or of rows.

    EVOUNA has `golden_answer`, and `answer_NAME` and `judge_NAME` of each system. Rows have
    question, reference (a text or a list), prediction, and label: yes/no, true/false, 1/0,
    correct/incorrect, pass/fail.
    Raises DataError, InputError: another form, or no answer with a label.
    """
    entries = map(columns.resolved, read_records(path))
    rows = [row for entry in entries for row in _rows_of(entry, columns)]
    for row in rows:
        row["label"] = str(row["label"]).strip().lower()

    numbered = enumerate(rows, 1)
    labelled = {f"verdict {number}": row for number, row in numbered if row["label"] in YES | NO}
    left_out = tuple(row["label"] for row in rows if row["label"] not in YES | NO)
    if not labelled:
        raise InputError(
            f"Expected labels yes and no, or 1 and 0, in {path}, found {listed({*left_out})}. "
            "Correct them, or name their column: --columns label=COLUMN."
        )

    asked = answers_of_rows(path, labelled, columns)
    answers = [
        Labelled(_candidate(answer, f"{where} of {path}"), row["label"] in YES)
        for (where, row), answer in zip(labelled.items(), asked, strict=True)
    ]
    digest = hashlib.sha256(path.read_bytes()).hexdigest()[:12]
    return Labels(path.name, digest, tuple(answers), left_out)


def _candidate(answer: Answer, where: str) -> Candidate:
    """Return an answer with its question and reference. Raises InputError: it lacks one."""
    # EVOUNA writes several references with slashes
    references = "/".join(answer.references)
    if not answer.question or not any(answer.references):
        raise InputError(
            f"Expected question and reference in {where}, found {answer.question!r:.60} and "
            f"{references!r:.60}. Correct it."
        )
    return Candidate(answer.response.text, answer.question, references)


def _rows_of(entry: Mapping[str, Any], columns: Columns) -> list[dict[str, Any]]:
    """Return the row with its label, or one for each system that EVOUNA has a verdict on."""
    if _GOLDEN not in entry:
        return [{**entry, "label": entry.get(columns.column_of("label", entry) or "")}]

    rows = []
    for name, verdict in entry.items():
        if name.startswith(_VERDICT):
            rows.append(
                {
                    "question": entry.get("question"),
                    "reference": entry[_GOLDEN],
                    "prediction": entry.get(_ANSWER + name.removeprefix(_VERDICT)) or "",
                    "label": "improper" if entry.get("improper") else verdict,
                }
            )
    return rows
