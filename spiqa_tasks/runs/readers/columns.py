"""Map the columns of a file of answers to fields: `--columns prediction=answer,reference=ground_truth`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from spiqa_tasks.errors import InputError
from spiqa_tasks.files.records import KEY
from spiqa_tasks.files.tables import ID_COLUMNS
from spiqa_tasks.hosts.failed_requests import response_of
from spiqa_tasks.runs.answer import Answer
from spiqa_tasks.scoring.options import LETTERS, NAMES, as_value, options_of

FIELDS: Mapping[str, tuple[str, ...]] = {
    "id": (*ID_COLUMNS, KEY),
    "prediction": (
        *(
            "prediction",
            "candidate",
            "response",
            "output",
            "pred",
            "model_answer",
            "model_prediction",
        ),
        *(
            "predicted_answer",
            "model_response",
            "model_output",
            "generated_text",
            "generation",
            "completion",
        ),
    ),
    "question": ("question",),
    "reference": ("reference", "answer"),
    "options": ("options", "choices"),
    "figures": ("figures", "all_figures_names", "selected_figures_names", "selected_figures"),
}
"""What is read of an answer -> the names of columns that it is known by, the first that is there; of `figures` the only
one, as of several nobody knows which the model saw."""
PAPER = "paper_id"
"""The column that is an id together with the question, where none is alone."""
_GUESSES: Mapping[str, Sequence[str]] = {
    "id": (*FIELDS["id"], *NAMES["id"], "doc_id", "questionId"),
    "prediction": (*FIELDS["prediction"], "raw_output", "answer"),
    "question": NAMES["question"],
    "reference": sorted(NAMES["answer"], key="answer".__eq__),
    "figures": (
        "selected_figures_names",
        "selected_figures",
        "figures",
        "all_figures_names",
        "images",
    ),
}
"""Field -> names that a message guesses it by, the likeliest first."""
_RELEASED = ("all_figures_names", "referred_figures_indices", "referred_figures_names")
_LONGEST_NAME, _MOST_NAMES = 60, 12
"""Characters of a column's name, and names, that a message quotes; an object of answers by id has thousands."""


@dataclass(frozen=True)
class Columns:
    """The columns of a file of answers."""

    named: Mapping[str, str] = field(default_factory=dict)
    """Field of `FIELDS` -> the column that the user named ("": none)."""

    @classmethod
    def parse(cls, text: str) -> Columns:
        """Return the columns of `FIELD=COLUMN,...`; InputError: a field that is unknown, doubled or without `=`."""
        pairs = [part.partition("=") for part in text.split(",") if part.strip()]
        named = {key.strip(): column.strip() for key, _, column in pairs}
        if (
            len(named) < len(pairs)
            or not named.keys() <= FIELDS.keys()
            or not all(sign for _, sign, _ in pairs)
        ):
            raise InputError(
                f"Expected --columns FIELD=COLUMN,... with fields among {', '.join(FIELDS)}, each once; found {text!r}."
            )
        return cls(named)

    def name(self, what: str, found: Collection[str], known: Iterable[str] = ()) -> str | None:
        """Return the column of a field among those `found`, `known` by the names of `FIELDS` or others; else None."""
        if what in self.named:
            return self.named[what] if self.named[what] in found else None
        taken = set(self.named.values())
        known = known or FIELDS[what]
        there = [name for name in known if name in found and name not in taken]
        return None if not there or (what == "figures" and len(there) > 1) else there[0]

    def ids(self, found: Collection[str]) -> tuple[str, ...]:
        """Return the column of a row's id, or those of its paper and its question; () without these."""
        name, question = self.name("id", found), self.name("question", found)
        if name is not None:
            return (name,)
        return (
            ()
            if question is None or PAPER not in found or "id" in self.named
            else (PAPER, question)
        )

    def check(self, found: Collection[str], where: object) -> None:
        """Raise InputError where none of the rows has a column that the user named."""
        missing = [name for name in self.named.values() if name and name not in found]
        if missing:
            raise InputError(
                f"Expected the column {missing[0]} of --columns in {where}, found {listed(found)}. Correct --columns."
            )

    def answer(self, row: Mapping[str, Any], answer_id: str, text: str, place: int = 0) -> Answer:
        """Return the answer of a row, with whatever it has to compare with the release; ValueError: wrong figures."""
        figures = as_value(self._value("figures", row))
        if figures and not (
            isinstance(figures, list) and all(isinstance(name, str) for name in figures)
        ):
            raise ValueError(f"the figures {str(figures)[:60]!r}, which are no list of names")
        given = self._value("reference", row)
        listed = as_value(given)  # of a table a list of texts, as `[0, 1]` is an answer
        is_list = isinstance(listed, list) and (
            listed is given or all(isinstance(each, str) for each in listed)
        )
        true = tuple(map(str, listed)) if is_list else (_text(given),)
        return Answer(
            answer_id,
            response_of(text, tuple(figures or ())),
            place=place,
            question=_text(self._value("question", row)),
            reference=true[0] if len(true) == 1 else "",
            options=self._options(row),
            needed=_needed(row),
            references=true,
        )

    def _value(self, what: str, row: Mapping[str, Any]) -> Any:
        column = self.name(what, row)
        return None if column is None else row[column]

    def _options(self, row: Mapping[str, Any]) -> dict[str, str]:
        """Label -> text of the options, in a column of their own or in columns called by their letters."""
        name = self.name("options", row)
        for columns in ([name] if name else [], [letter for letter in LETTERS if letter in row]):
            with suppress(ValueError):
                found = options_of(row, columns) if columns else {}
                if filled := {label: text for label, text in found.items() if text}:
                    return filled
        return {}


USUAL = Columns()


def listed(found: Iterable[str]) -> str:
    """Return names of columns for a message."""
    names = [name[:_LONGEST_NAME] for name in found]
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return f"{', '.join(names[:_MOST_NAMES])}{more}" or "none"


def advice(found: Collection[str], needed: Iterable[str] = ("prediction", "id")) -> str:
    """Return the sentences that say how to name the columns, and which of the needed fields none looks like."""
    taken: dict[str, str] = {}
    for what, names in _GUESSES.items():
        name = next((name for name in names if name in found and name not in taken.values()), None)
        if name is not None:
            taken[what] = name
    known = {
        (what, name)
        for what, names in FIELDS.items()
        for name in names
        if what != "figures" or name == what
    }
    told = ",".join(f"{what}={name}" for what, name in taken.items() if (what, name) not in known)
    free = {"question", "reference"} - taken.keys()
    missing = [what for what in needed if what not in taken and (what != "id" or free)]
    lacks = [
        f"id (or, without a task, {' and '.join(sorted(free))})" if what == "id" else what
        for what in missing
    ]
    said = [f"Say which column is what, such as --columns {told}."] if told else []
    said += (
        [f"No column looks like {' or '.join(lacks)}: add it, or name it with --columns."]
        if lacks
        else []
    )
    return " ".join(said)


def _needed(row: Mapping[str, Any]) -> tuple[str, ...]:
    """The figures that the true answer needs, as the released scripts write them; ValueError for others' places."""
    shown, indices, needed = (as_value(row.get(name)) for name in _RELEASED)
    names = tuple(map(str, needed)) if isinstance(needed, list) else ()
    if names and isinstance(shown, list) and isinstance(indices, list):
        at = {str(place): str(name) for place, name in enumerate(shown)}
        if {at.get(str(index)) for index in indices} != set(names):
            raise ValueError(f"the figures {shown} whose {indices} are not {needed}")
    return names


def _text(value: Any) -> str:
    return "" if value is None or isinstance(value, list | dict) else str(value)
