"""Answers with a person's verdict: EVOUNA's json as published, or tables of one's own in any form."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from spiqa_tasks.errors import InputError
from spiqa_tasks.files.records import read_records
from spiqa_tasks.judge.rules import Candidate

COLUMNS = ("question", "reference", "prediction", "label")
YES = frozenset({"true", "yes", "1", "correct", "right"})
NO = frozenset({"false", "no", "0", "incorrect", "wrong"})
_GOLDEN, _ANSWER, _VERDICT = "golden_answer", "answer_", "judge_"


@dataclass(frozen=True)
class Labelled:
    """An answer and whether it is right.

    Attributes:
        candidate: the answer, its question and the reference as a judge is shown it.
        label: whether it means what the reference means.
        references: the texts of which any is right, for what compares words.
        system: who answered; empty where that is not known.
        trap: the rule by which the answer was made; empty for one that was given.
    """

    candidate: Candidate
    label: bool
    references: tuple[str, ...]
    system: str = ""
    trap: str = ""

    def as_row(self) -> dict[str, Any]:
        """Return the row of a file of one's own that reads as this answer."""
        question, prediction = self.candidate.question, self.candidate.prediction
        texts = {"question": question, "reference": list(self.references), "prediction": prediction}
        return {**texts, "label": self.label, "system": self.system, "trap": self.trap}


@dataclass(frozen=True)
class Labels:
    """Labelled answers.

    Attributes:
        name: of the file, or of what made them.
        digest: twelve hexadecimal digits of its content's sha256.
        answers: those with a label.
        left_out: why others are not among them -> how many.
    """

    name: str
    digest: str
    answers: tuple[Labelled, ...]
    left_out: Mapping[str, int] = field(default_factory=dict)


def read_labels(path: Path) -> Labels:
    """Return the labelled answers of a file.

    It is EVOUNA's json (`golden_answer`, and `answer_NAME` and `judge_NAME` of each system; improper questions are left
    out, and a missing answer is an empty one), or a file of `files.records` with the columns question, reference,
    prediction and label (yes/no, true/false, 1/0, correct/incorrect), and system and trap where there are such. A
    reference may be a list; EVOUNA's is several, divided by slashes.

    Raises:
        DataError: the file cannot be read.
        InputError: it lacks a column or any labelled answer, or a label says something else.
    """
    left_out: Counter[str] = Counter()
    answers: list[Labelled] = []
    for number, entry in enumerate(read_records([path]), 1):
        where = f"row {number} of {path}"
        found = _of_evouna(where, entry) if _GOLDEN in entry else [_of_row(where, entry)]
        for each in found:
            if isinstance(each, str):
                left_out[each] += 1
            else:
                answers.append(each)
    if not answers:
        raise InputError(f"Expected answers with a label in {path}, found none. Name a file that has some.")
    digest = hashlib.sha256(path.read_bytes()).hexdigest()[:12]
    return Labels(path.name, digest, tuple(answers), dict(left_out))


def _of_evouna(where: str, entry: Mapping[str, Any]) -> Iterator[Labelled | str]:
    """The answers to one question of EVOUNA, or why they are left out."""
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
            prediction = "" if entry.get(_ANSWER + system) is None else _text(where, entry, _ANSWER + system)
            candidate = Candidate(prediction, _text(where, entry, "question"), golden)
            yield Labelled(candidate, _label(where, entry[name]), tuple(golden.split("/")), system)


def _of_row(where: str, entry: Mapping[str, Any]) -> Labelled | str:
    missing = [name for name in COLUMNS if name not in entry]
    if missing:
        raise InputError(
            f"Expected {where} to have {', '.join(COLUMNS)}; found {', '.join(map(str, entry)) or 'nothing'}. "
            f"Add {', '.join(missing)}."
        )
    if entry["label"] in (None, ""):
        return "no label"
    given = entry["reference"]
    references = tuple(given) if isinstance(given, list) else (given,)
    if not references or not all(isinstance(each, str) for each in references):
        raise InputError(f"Expected the reference of {where} to be text or a list of texts, found {given!r}.")
    candidate = Candidate(_text(where, entry, "prediction"), _text(where, entry, "question"), "/".join(references))
    system, trap = (str(entry.get(name) or "") for name in ("system", "trap"))
    return Labelled(candidate, _label(where, entry["label"]), references, system, trap)


def _text(where: str, entry: Mapping[str, Any], name: str) -> str:
    text = entry.get(name)
    if not isinstance(text, str):
        raise InputError(f"Expected the {name} of {where} to be a text, found {text!r}. Correct it.")
    return text


def _label(where: str, value: Any) -> bool:
    said = str(value).strip().lower()
    if said not in YES | NO:
        raise InputError(f"Expected the label of {where} to be yes or no, found {value!r}. Correct it.")
    return said in YES
