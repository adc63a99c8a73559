"""Answers with people's verdicts: EVOUNA's json as published, and tables in any format."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spiqa_tasks.errors import InputError
from spiqa_tasks.files.records import read_records
from spiqa_tasks.judge.rules import Candidate
from spiqa_tasks.runs.columns import FIELDS

# Field -> names of its column, the likeliest first.
COLUMNS = {name: FIELDS[name] for name in ("question", "reference", "prediction")} | {
    "label": ("label", "verdict")
}
YES = frozenset({"true", "yes", "1", "correct", "right"})
NO = frozenset({"false", "no", "0", "incorrect", "wrong"})

# EVOUNA's columns; the last two are followed by a system's name.
_GOLDEN, _ANSWER, _VERDICT = "golden_answer", "answer_", "judge_"


@dataclass(frozen=True)
class Labelled:
    """An answer as a judge is shown it, and whether it is right."""

    candidate: Candidate
    label: bool


@dataclass(frozen=True)
class Labels:
    """The labelled answers of a file with its name and sha256; `left_out` is the number of those
    without a label, or of questions that EVOUNA calls improper.
    """

    name: str
    digest: str
    answers: tuple[Labelled, ...]
    left_out: int = 0


def read_labels(path: Path) -> Labels:
    """Return the labelled answers of EVOUNA's json, or of rows.

    EVOUNA has `golden_answer`, and `answer_NAME` and `judge_NAME` of each system. Rows have
    question, reference (a text or a list), prediction, and label (or verdict): yes/no, true/false,
    1/0, correct/incorrect. Raises DataError, InputError: another form, or no answer with a label.
    """
    left_out = 0
    answers = []
    for number, entry in enumerate(read_records([path]), 1):
        where = f"row {number} of {path}"
        for row in _of_evouna(entry) if _GOLDEN in entry else [_of_table(where, entry)]:
            if row["label"] in (None, ""):
                left_out += 1
            else:
                answers.append(_labelled(where, row))

    if not answers:
        raise InputError(
            f"Expected answers with a label in {path}, found none. Name a file that has some."
        )
    digest = hashlib.sha256(path.read_bytes()).hexdigest()[:12]
    return Labels(path.name, digest, tuple(answers), left_out)


def _of_evouna(entry: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the row of each system's answer to a question."""
    for name, verdict in entry.items():
        if name.startswith(_VERDICT):
            prediction = entry.get(_ANSWER + name.removeprefix(_VERDICT))
            yield {
                "question": entry.get("question"),
                "reference": entry[_GOLDEN],
                "prediction": "" if prediction is None else prediction,
                "label": None if entry.get("improper") else verdict,
            }


def _of_table(where: str, row: Mapping[str, Any]) -> dict[str, Any]:
    """The cells of a row by field. Raises InputError: a field without a column."""
    cells = {field: row[name] for field, names in COLUMNS.items() for name in names if name in row}
    missing = [name for name in COLUMNS if name not in cells]
    if missing:
        found = ", ".join(map(str, row)) or "nothing"
        raise InputError(
            f"Expected {where} to have {', '.join(COLUMNS)}; found {found}. Add "
            f"{', '.join(missing)}."
        )
    return cells


def _labelled(where: str, row: Mapping[str, Any]) -> Labelled:
    reference = row["reference"]
    references = reference if isinstance(reference, list) else [reference]
    texts = {"question": [row["question"]], "prediction": [row["prediction"]]}
    for name, values in {**texts, "reference": references}.items():
        if not values or not all(isinstance(value, str) for value in values):
            raise InputError(
                f"Expected the {name} of {where} to be a text, found {row[name]!r}. Correct it."
            )

    word = str(row["label"]).strip().lower()
    if word not in YES | NO:
        raise InputError(
            f"Expected the label of {where} to be yes or no, found {row['label']!r}. Correct it."
        )
    # EVOUNA writes several references with slashes
    candidate = Candidate(row["prediction"], row["question"], "/".join(references))
    return Labelled(candidate, word in YES)
