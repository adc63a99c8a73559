"""Columns of answer files: the names that each field is known by, and one reader of a cell."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from spiqa_tasks.benchmarks.record import Response
from spiqa_tasks.errors import InputError
from spiqa_tasks.files.records import ID_COLUMNS, KEY, text_of
from spiqa_tasks.hosts.failed_requests import LONGEST_REASON, response_of
from spiqa_tasks.runs.answer import Answer
from spiqa_tasks.scoring.options import LETTERS, as_value, options_of

_FIELDS = {
    "id": "question_id questionId qid pid problem_id sample_id data_id idx uid key",
    "prediction": (
        "prediction candidate response output pred model_answer model_prediction"
        " predicted_answer model_response model_output generated_text generation completion"
        " raw_output raw_response text"
    ),
    "question": "question query problem question_text problem_text prompt instruction",
    "reference": (
        "reference answer ground_truth groundtruth gt_answer gold_answer correct_answer gold target"
    ),
    "options": "options choices candidates answer_choices",
    "figures": "figures all_figures_names selected_figures_names selected_figures",
}
# Field -> names of its column; the first that is there counts, in every command.
#
# Of figures the only one counts: of several nobody knows which the model saw.
FIELDS: Mapping[str, tuple[str, ...]] = {
    name: tuple(columns.split()) for name, columns in _FIELDS.items()
} | {"id": (*ID_COLUMNS, KEY, *_FIELDS["id"].split())}

# Columns that are an id together with the question, for files without ids of questions; the second
# is VisDoM's, which asks SPIQA's questions.
PAPERS = ("paper_id", "doc_id")

# Values of a column `status` that say that there is no answer.
FAILED_STATUSES = frozenset({"error", "failed", "failure", "timeout", "request_failed"})

# Columns of SPIQA's released scripts: figures as shown, and those that the answer needs.
_RELEASED = ("all_figures_names", "referred_figures_indices", "referred_figures_names")

_LONGEST_NAME = 60
# Names in a message, and characters of each; an object of answers by id has thousands.
_MOST_NAMES = 12


@dataclass(frozen=True)
class Columns:
    """The columns of a file of answers; `named` is field -> column as the user says ("": none).

    A column with dots is a path into objects and lists: `doc.question`, `resps.0`.
    """

    named: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def parse(cls, text: str) -> Columns:
        """Return the columns of `FIELD=COLUMN,...`.

        Raises InputError: a field that is unknown, doubled or without `=`.
        """
        pairs = [part.partition("=") for part in text.split(",") if part.strip()]
        named = {key.strip(): column.strip() for key, _, column in pairs}
        has_signs = all(sign for _, sign, _ in pairs)
        if len(named) < len(pairs) or not named.keys() <= FIELDS.keys() or not has_signs:
            raise InputError(
                f"Expected --columns FIELD=COLUMN,... with fields among {', '.join(FIELDS)}, each "
                f"once; found {text!r}."
            )
        return cls(named)

    def name(self, what: str, found: Collection[str]) -> str | None:
        """Return the column of a field among those `found`, or None."""
        if what in self.named:
            return self.named[what] if self.named[what] in found else None

        taken = set(self.named.values())
        present = [name for name in FIELDS[what] if name in found and name not in taken]
        is_unclear = what == "figures" and len(present) > 1
        return present[0] if present and not is_unclear else None

    def ids(self, found: Collection[str]) -> tuple[str, ...]:
        """Return the column of a row's id, or those of its paper and its question; or ()."""
        name = self.name("id", found)
        question = self.name("question", found)
        is_sure = "id" in self.named or name in (*ID_COLUMNS, KEY)
        papers = [column for column in PAPERS if column in found]
        if question is not None and papers and not is_sure:
            return (papers[0], question)
        return () if name is None else (name,)

    def check(self, found: Collection[str], where: object) -> None:
        """Raise InputError if none of the rows has a column that the user named."""
        missing = [name for name in self.named.values() if name and name not in found]
        if missing:
            raise InputError(
                f"Expected the column {missing[0]} of --columns in {where}, found "
                f"{listed(found)}. Correct --columns."
            )

    def is_answer(self, found: Collection[str]) -> bool:
        """Return whether a row with these columns is an answer.

        It has a prediction, and an id or its question and reference.
        """
        if self.name("prediction", found) is None:
            return False
        has_question = self.name("question", found) and self.name("reference", found)
        return bool(self.ids(found) or has_question)

    def resolved(self, row: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a row with a column for each path that the user named and the row has."""
        paths = [name for name in self.named.values() if "." in name and name not in row]
        values = {path: _value_at(row, path.split(".")) for path in paths}
        return {**row, **{path: value for path, value in values.items() if value is not None}}

    def answer(self, row: Mapping[str, Any], answer_id: str, text: Any, place: int = 0) -> Answer:
        """Return the answer of a row, with whatever it has to compare with the release.

        Raises ValueError: figures that are no list of names, or others than the answer needs.
        """
        references = _references(self._value("reference", row))
        return Answer(
            answer_id,
            self._response(row, text),
            place=place,
            question=_plain_text(self._value("question", row)),
            reference=references[0] if len(references) == 1 else "",
            options=self.options(row),
            needed=_needed(row),
            references=references,
        )

    def options(self, row: Mapping[str, Any]) -> dict[str, str]:
        """Return label -> text of the options, in one column or in columns of letters; or {}."""
        name = self.name("options", row)
        letters = [letter for letter in LETTERS if letter in row]
        for columns in [[name] if name else [], letters]:
            with suppress(ValueError):
                found = options_of(row, columns) if columns else {}
                filled = {label: text for label, text in found.items() if text}
                if filled:
                    return filled
        return {}

    def _response(self, row: Mapping[str, Any], text: Any) -> Response:
        figures = as_value(self._value("figures", row)) or []
        if not (isinstance(figures, list) and all(isinstance(name, str) for name in figures)):
            raise ValueError(f"the figures {str(figures)[:60]!r}, which are no list of names")

        answer = cell_text(text)
        reason = failure_of(row, taken=[self.name("prediction", row)])
        if answer is None or reason:
            return Response("", reason or "no answer in the file", tuple(figures))
        return response_of(answer, tuple(figures))

    def _value(self, what: str, row: Mapping[str, Any]) -> Any:
        column = self.name(what, row)
        return None if column is None else row[column]


USUAL = Columns()


def cell_text(value: Any) -> str | None:
    """Return the text of a cell in any form of file, or None of a null.

    A whole float is its integer, a number its text, a list of one text that text.
    Raises ValueError: an object, a truth value or a longer list.
    """
    if isinstance(value, list) and len(value) == 1:
        return cell_text(value[0])
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, bool | list | dict):
        raise ValueError(f"{value!r:.60}, no text or number")
    return text_of(value)


def failure_of(row: Mapping[str, Any], taken: Collection[str | None] = ()) -> str:
    """Return why a row has no answer, by its columns `error` and `status`, or ''."""
    error = row.get("error") if "error" not in taken else None
    if error and error == error:  # NaN is a cell without an error, too
        return str(error)[:LONGEST_REASON]

    status = str(row.get("status", "")).strip()
    is_http_error = status[:1] in ("4", "5") and status.isdigit() and len(status) == 3
    has_failed = status.lower() in FAILED_STATUSES or is_http_error
    return f"status {status}" if has_failed else ""


def listed(found: Iterable[str]) -> str:
    """Return names of columns for a message."""
    names = [name[:_LONGEST_NAME] for name in found]
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return f"{', '.join(names[:_MOST_NAMES])}{more}" or "none"


def advice(
    found: Collection[str], columns: Columns = USUAL, needed: Sequence[str] = ("prediction", "id")
) -> str:
    """Return the sentence that says how to name the needed columns that no column looks like."""
    missing = [what for what in needed if columns.name(what, found) is None]
    if "id" in missing and columns.name("question", found):
        missing.remove("id")  # an answer with its question and reference needs none
        if not missing and columns.name("reference", found) is None:
            return "No column looks like id (or, without a task, reference): add it."
    if not missing:
        return ""

    free = _free_columns(found, columns)
    if "prediction" in missing and "answer" in found:
        free.insert(0, "answer")  # without another column more often the model's than the true one
    if not free:
        return f"No column looks like {' or '.join(missing)}: add it."
    pairs = [f"{what}={name[:_LONGEST_NAME]}" for what, name in zip(missing, free, strict=False)]
    named = f"Name the columns, such as --columns {','.join(pairs)}"
    if missing == ["id"]:
        named += f" (without a task: --columns question={free[0][:_LONGEST_NAME]})"
    return f"{named}."


def _free_columns(found: Collection[str], columns: Columns) -> list[str]:
    known = {*_RELEASED, *(columns.name(what, found) for what in FIELDS)}
    return [name for name in found if name not in known]


def _value_at(value: Any, path: list[str]) -> Any:
    """The value at a path of keys and places, or None."""
    for step in path:
        if isinstance(value, Mapping):
            value = value.get(step)
        elif isinstance(value, list) and step.isdigit() and int(step) < len(value):
            value = value[int(step)]
        else:
            return None
    return value


def _references(given: Any) -> tuple[str, ...]:
    """The true answers: a list, also one that a cell's text writes out if it is of texts.

    `[0, 1]` in a cell of a table is one answer.
    """
    value = as_value(given)
    is_list = isinstance(value, list)
    if is_list and (value is given or all(isinstance(each, str) for each in value)):
        return tuple(map(str, value))
    return (_plain_text(given),)


def _needed(row: Mapping[str, Any]) -> tuple[str, ...]:
    """The figures that the true answer needs, as the released scripts write them.

    Raises ValueError: they are at other places among the figures shown.
    """
    shown, indices, needed = (as_value(row.get(name)) for name in _RELEASED)
    names = tuple(map(str, needed)) if isinstance(needed, list) else ()
    if names and isinstance(shown, list) and isinstance(indices, list):
        by_place = {str(place): str(name) for place, name in enumerate(shown)}
        if {by_place.get(str(index)) for index in indices} != set(names):
            raise ValueError(f"the figures {shown} whose {indices} are not {needed}")
    return names


def _plain_text(value: Any) -> str:
    if isinstance(value, list) and len(value) == 1:
        return _plain_text(value[0])
    return "" if isinstance(value, list | dict) else text_of(value)
