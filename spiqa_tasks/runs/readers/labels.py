"""Labelled answers: EVOUNA's json as published, tables of one's own in any format, and the shipped traps."""

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any

from spiqa_tasks.errors import InputError
from spiqa_tasks.files.records import read_records
from spiqa_tasks.judge.rules import Candidate
from spiqa_tasks.runs.readers.columns import FIELDS

COLUMNS = {name: FIELDS[name] for name in ("question", "reference", "prediction")} | {
    "label": ("label", "verdict")
}
"""Field -> names of its column; those of the traps come last."""
YES = frozenset({"true", "yes", "1", "correct", "right"})
NO = frozenset({"false", "no", "0", "incorrect", "wrong"})
_GOLDEN, _ANSWER, _VERDICT = "golden_answer", "answer_", "judge_"
"""EVOUNA's columns; the last two are followed by a system's name."""


@dataclass(frozen=True)
class Labelled:
    """An answer and whether it is right.

    `candidate` is prediction, question and reference as a judge is shown them; any of `references` is right, for
    metrics that compare words; `system` is the model and `kind` that of the trap, or ''.
    """

    candidate: Candidate
    label: bool
    references: tuple[str, ...]
    system: str = ""
    kind: str = ""

    def as_row(self) -> dict[str, Any]:
        """Return the row that `read_labels` reads as this answer."""
        question, prediction = self.candidate.question, self.candidate.prediction
        texts = {"question": question, "reference": list(self.references), "prediction": prediction}
        return {**texts, "label": self.label, "system": self.system, "kind": self.kind}


@dataclass(frozen=True)
class Labels:
    """The labelled answers of a file with its name and sha256; `left_out` is reason -> number of those without one."""

    name: str
    digest: str
    answers: tuple[Labelled, ...]
    left_out: Mapping[str, int] = field(default_factory=dict)


def traps_path() -> Path:
    """Return the shipped file of traps: answers to the demo's questions that `tools/write_traps.py` made."""
    return Path(str(resources.files("spiqa_tasks.published"))) / "traps.jsonl"


def read_labels(path: Path) -> Labels:
    """Return the labelled answers of EVOUNA's json, or of rows; DataError, InputError: another form, or no label.

    EVOUNA has `golden_answer`, and `answer_NAME` and `judge_NAME` of each system; rows question, reference (a text or a
    list), prediction, label (or verdict: yes/no, true/false, 1/0, correct/incorrect), perhaps system and kind.
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
            yield Labelled(candidate, _label(where, entry[name]), tuple(golden.split("/")), system)


def _of_row(where: str, row: Mapping[str, Any]) -> Labelled | str:
    entry = {
        field: row[name]
        for field, names in COLUMNS.items()
        for name in reversed(names)
        if name in row
    }
    if missing := [name for name in COLUMNS if name not in entry]:
        found = ", ".join(map(str, row)) or "nothing"
        raise InputError(
            f"Expected {where} to have {', '.join(COLUMNS)}; found {found}. Add {', '.join(missing)}."
        )
    if entry["label"] in (None, ""):
        return "no label"
    reference = entry["reference"]
    references = tuple(reference) if isinstance(reference, list) else (reference,)
    if not references or not all(isinstance(text, str) for text in references):
        raise InputError(
            f"Expected the reference of {where} to be text or a list of texts, found {reference!r}."
        )
    candidate = Candidate(
        _text(where, entry, "prediction"), _text(where, entry, "question"), "/".join(references)
    )
    system, kind = (str(row.get(name) or "") for name in ("system", "kind"))
    return Labelled(candidate, _label(where, entry["label"]), references, system, kind)


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
