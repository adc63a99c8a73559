"""What the YAML of a table of questions may say: a guess by the names and the values of its columns."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from spiqa_tasks.benchmarks.choice import options_in
from spiqa_tasks.benchmarks.own import cells
from spiqa_tasks.benchmarks.own.definition import Columns
from spiqa_tasks.benchmarks.own.pictures import SUFFIXES, PictureFiles, is_encoded
from spiqa_tasks.benchmarks.own.prompts import fields_in_path
from spiqa_tasks.files.json_text import as_value
from spiqa_tasks.files.records import KEY, Fields

_NUMBERED = re.compile(r"(?:image|img|picture|figure)[_ ]?\d+", re.IGNORECASE)
_OPTION = re.compile(r"(?:(?:option|choice)[_ ]?)?([A-Ja-j]|\d)")
_MARKS = ("ABCDEFGHIJ", "0123456789", "123456789")
MOST_GROUPS = 30
"""Largest number of different values of a column by which scores are broken down."""
LISTED = 0.5
"""Share of questions with options in their text from which on they are looked for there."""


@dataclass(frozen=True)
class Proposal:
    """What the YAML may say, in its own form, and the columns that it has no use for."""

    columns: Mapping[str, Any]
    kind: str
    answer_is: str = "letter"
    image_folder: str = ""
    unused: Sequence[str] = ()
    open_points: Sequence[str] = ()

    def values(self) -> dict[str, Any]:
        """Return the YAML's values; what is the default is left out."""
        columns = {role: name for role, name in self.columns.items() if name}
        more = {"answer_is": self.answer_is if self.answer_is != "letter" else "", "image_folder": self.image_folder}
        return {"kind": self.kind, "columns": columns, **{key: value for key, value in more.items() if value}}


def propose(records: Sequence[Fields], given: Mapping[str, Any], files: PictureFiles) -> Proposal:
    """Return a proposal for a table.

    Args:
        records: its rows.
        given: what the user says columns are; they are not guessed.
        files: the pictures beside the data.
    """
    names = list(dict.fromkeys(str(name) for record in records for name in record if name != KEY))
    values = {name: [record.get(name) for record in records] for name in names}
    found: dict[str, Any] = dict(given)
    for role in _FITS:
        if role not in found:
            guess = _guess(role, values, found, files)
            found |= {role: guess} if guess else {}
    folder = ""
    if "images" not in given and isinstance(found.get("images"), str) and found["images"] in values:
        found["images"], folder = _placed(found["images"], records, values, files)
    used = set(_named(found))
    guesses = {"groups": _groups(values, used), "cluster": _cluster(values, found)}
    found |= {role: guess for role, guess in guesses.items() if guess and role not in found}
    used = set(_named(found))
    open_points = [role for role in ("question", "answer") if role not in found]
    if open_points:
        return Proposal(found, "open", unused=[name for name in names if name not in used], open_points=open_points)
    kind, form = _kind(records, found)
    return Proposal(found, kind, form, folder, [name for name in names if name not in used])


_FITS: Mapping[str, Callable[[Sequence[Any]], bool]] = {
    "id": lambda values: len(set(map(str, values))) == len(values) and all(map(_is_short, values)),
    "question": lambda values: _share(values, lambda value: isinstance(value, str)) > 0.99,
    "answer": lambda values: _share(values, lambda value: not cells.is_empty(value)) > 0.5,
    "options": lambda values: any(map(_is_list, values)),
    "images": lambda values: any(map(_is_picture, values)),
}
"""What the values of a column that has a usual name are like."""


def _guess(
    role: str, values: Mapping[str, Sequence[Any]], found: Mapping[str, Any], files: PictureFiles
) -> str | list[str]:
    """The first column with one of a role's names and fitting values; else what has options or pictures otherwise."""
    taken = set(_named(found))
    known = {name.lower(): name for name in reversed(list(values)) if name not in taken}
    usual = (known[name] for name in cells.NAMES[role] if name in known and _FITS[role](values[known[name]]))
    named = next(usual, "")
    if role == "options":
        return named or _lettered_options(values, str(found.get("question")))
    return _images(named, values, found, files) if role == "images" else named


def _lettered_options(values: Mapping[str, Sequence[Any]], question: str) -> str | list[str]:
    """The columns that have a letter or a number each, or the question where its text lists options."""
    marks = {name: mark[1].upper() for name in values if (mark := _OPTION.fullmatch(name))}
    if len(marks) > 1 and "".join(sorted(marks.values())) in [each[: len(marks)] for each in _MARKS]:
        return sorted(marks, key=lambda name: marks[name])
    return question if _share(values.get(question, ()), lambda text: bool(options_in(str(text)))) >= LISTED else ""


def _images(
    named: str, values: Mapping[str, Sequence[Any]], found: Mapping[str, Any], files: PictureFiles
) -> str | list[str]:
    """Numbered columns, the one with a usual name or any with pictures, or the path of files called as a column's."""
    numbered = [name for name in values if _NUMBERED.fullmatch(name)]
    if len(numbered) > 1:
        return numbered
    named = named or "".join(numbered) or next((name for name in values if any(map(_is_picture, values[name]))), "")
    if named:
        return named
    taken = {name for role, name in found.items() if role != "id" and isinstance(name, str)}
    short = [name for name in values if name not in taken and all(map(_is_short, values[name]))]
    return next(filter(None, (files.path_of(name, values[name]) for name in short)), "")


def _placed(
    column: str, records: Sequence[Fields], values: Mapping[str, Sequence[Any]], files: PictureFiles
) -> tuple[str, str]:
    """What pictures are called whose names are in a column, and the folder in which these begin."""
    names = [cells.single(as_value(value)) for value in values[column]]
    paths = [name for name in names if isinstance(name, str) and name and not is_encoded(name)]
    if not paths or files.are_there(paths):
        return column, ""
    folder = files.folder_of(paths) if 2 * len(set(paths)) > len(paths) else ""
    if folder:
        return column, folder
    others = {KEY: [record.get(KEY) for record in records], **values}
    below = files.path_below(column, names, others)
    return (below, "") if below else (column, files.folder_of(paths))


def _groups(values: Mapping[str, Sequence[Any]], used: set[str]) -> list[str]:
    """Columns of few different short values, each of which several rows have."""
    found = []
    for name, column in values.items():
        different = {str(value) for value in column if not cells.is_empty(value)}
        is_few = 2 <= len(different) <= min(MOST_GROUPS, len(column) / 4)
        if is_few and name not in used and all(map(_is_short, column)):
            found.append(name)
    return found[:6]


def _cluster(values: Mapping[str, Sequence[Any]], found: Mapping[str, Any]) -> str:
    """The column of pictures where several questions share one."""
    named = [name for name in _named({"images": found.get("images", "")}) if name in values]
    if len(named) != 1 or not all(map(_is_short, values[named[0]])):
        return ""
    counts = Counter(str(value) for value in values[named[0]])
    return named[0] if sum(count > 1 for count in counts.values()) > 0.1 * len(counts) else ""


def _kind(records: Sequence[Fields], found: Mapping[str, Any]) -> tuple[str, str]:
    """The kind, and the form in which right options are given."""
    if not found.get("options"):
        return "open", "letter"
    given = {name: (value,) if isinstance(value, str) else tuple(value) for name, value in found.items()}
    columns = Columns(question=str(found["question"]), options=given["options"])
    choices: list[tuple[Any, Mapping[str, str]]] = []
    for record in records:
        try:
            options = cells.options_of(record, columns)
        except ValueError:
            continue
        if options:
            choices.append((cells.single(cells.cell(record, given["answer"][0])), options))
    return "both" if len(choices) < len(records) else "choice", _form(choices)


def _form(choices: Sequence[tuple[Any, Mapping[str, str]]]) -> str:
    """The form that reads most answers; indices only where one is 0, else numbers."""

    def read(form: str) -> int:
        count = 0
        for answer, options in choices:
            try:
                cells.letter_of(answer, options, form)  # type: ignore[arg-type]
                count += 1
            except ValueError:
                pass
        return count

    forms = ["letter", "text", "index" if any(str(answer) == "0" for answer, _ in choices) else "number"]
    return max(forms, key=read)


def _named(found: Mapping[str, Any]) -> Iterable[str]:
    """The columns in what is found, those in paths too."""
    for value in found.values():
        for each in [value] if isinstance(value, str) else value:
            yield from fields_in_path(each) or [each]


def _share(values: Sequence[Any], holds: Callable[[Any], bool]) -> float:
    return sum(map(holds, values)) / len(values) if values else 0.0


def _is_short(value: Any) -> bool:
    return value is None or (isinstance(value, str | int | float) and len(str(value)) <= 60)


def _is_list(value: Any) -> bool:
    value = as_value(value)
    return (isinstance(value, list | Mapping) and len(value) > 1) or (
        isinstance(value, str) and bool(options_in(value))
    )


def _is_picture(value: Any) -> bool:
    value = cells.single(as_value(value))
    if isinstance(value, list):
        return bool(value) and _is_picture(value[0])
    if isinstance(value, Mapping):
        return bool(value.keys() & {"bytes", "path"})
    if isinstance(value, bytes):
        return True
    return isinstance(value, str) and (value.lower().endswith(SUFFIXES) or is_encoded(value))
