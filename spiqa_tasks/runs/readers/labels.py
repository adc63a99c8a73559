"""Answers with people's verdicts: EVOUNA's json as published, and tables in any format."""

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from spiqa_tasks.errors import InputError
from spiqa_tasks.files.records import read_records
from spiqa_tasks.judge.rules import Candidate
from spiqa_tasks.runs.readers.columns import FIELDS

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
    """The labelled answers of a file with its name and sha256; `left_out` is reason -> number of
    those without one.
    """

    name: str
    digest: str
    answers: tuple[Labelled, ...]
    left_out: Mapping[str, int] = field(default_factory=dict)


def read_labels(path: Path) -> Labels:
    """Return the labelled answers of EVOUNA's json, or of rows.

    EVOUNA has `golden_answer`, and `answer_NAME` and `judge_NAME` of each system. Rows have
    question, reference (a text or a list), prediction, and label (or verdict): yes/no, true/false,
    1/0, correct/incorrect. Raises DataError, InputError: another form, or no answer with a label.
    """
    left_out: Counter[str] = Counter()
    answers: list[Labelled] = []
    for number, entry in enumerate(read_records([path]), 1):
        where = f"row {number} of {path}"
        for answer in _of_evouna(where, entry) if _GOLDEN in entry else [_of_row(where, entry)]:
            if isinstance(answer, str):
                left_out[answer] += 1
            else:
                answers.append(answer)
    if not answers:
        raise InputError(
            f"Expected answers with a label in {path}, found none. Name a file that has some."
        )
    digest = hashlib.sha256(path.read_bytes()).hexdigest()[:12]
    return Labels(path.name, digest, tuple(answers), dict(left_out))


def _of_evouna(where: str, entry: Mapping[str, Any]) -> Iterator[Labelled | str]:
    for name in entry:
        if not name.startswith(_VERDICT):
            continue
        system = name.removeprefix(_VERDICT)
        if entry.get("improper"):
            yield "improper questions"
        elif entry[name] is None:
            yield "no label"
        else:
            golden = _text(where, entry, _GOLDEN)
            prediction = (
                "" if entry.get(_ANSWER + system) is None else _text(where, entry, _ANSWER + system)
            )
            candidate = Candidate(prediction, _text(where, entry, "question"), golden)
            yield Labelled(candidate, _label(where, entry[name]))


def _of_row(where: str, row: Mapping[str, Any]) -> Labelled | str:
    entry = {field: row[name] for field, names in COLUMNS.items() for name in names if name in row}
    _check_columns(where, row, entry)
    if entry["label"] in (None, ""):
        return "no label"
    references = _references(where, entry["reference"])
    candidate = Candidate(
        _text(where, entry, "prediction"), _text(where, entry, "question"), "/".join(references)
    )
    return Labelled(candidate, _label(where, entry["label"]))


def _check_columns(where: str, row: Mapping[str, Any], entry: Mapping[str, Any]) -> None:
    missing = [name for name in COLUMNS if name not in entry]
    if missing:
        found = ", ".join(map(str, row)) or "nothing"
        raise InputError(
            f"Expected {where} to have {', '.join(COLUMNS)}; found {found}. Add "
            f"{', '.join(missing)}."
        )


def _references(where: str, reference: Any) -> list[str]:
    references = reference if isinstance(reference, list) else [reference]
    if not references or not all(isinstance(text, str) for text in references):
        raise InputError(
            f"Expected the reference of {where} to be text or a list of texts, found {reference!r}."
        )
    return references


def _text(where: str, entry: Mapping[str, Any], name: str) -> str:
    text = entry.get(name)
    if not isinstance(text, str):
        raise InputError(
            f"Expected the {name} of {where} to be a text, found {text!r}. Correct it."
        )
    return text


def _label(where: str, value: Any) -> bool:
    word = str(value).strip().lower()
    if word not in YES | NO:
        raise InputError(
            f"Expected the label of {where} to be yes or no, found {value!r}. Correct it."
        )
    return word in YES
