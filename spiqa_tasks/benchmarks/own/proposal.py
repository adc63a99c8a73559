"""What the YAML of a table of questions may say: a guess by the names and the values of its columns."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from spiqa_tasks.benchmarks.choice.listed import options_in
from spiqa_tasks.benchmarks.own import cells
from spiqa_tasks.benchmarks.own.definition import Columns
from spiqa_tasks.benchmarks.own.picture_files import SUFFIXES, PictureFiles
from spiqa_tasks.benchmarks.own.pictures import is_encoded
from spiqa_tasks.benchmarks.own.templates import fields_in_path
from spiqa_tasks.files.records import KEY, Fields

NAMES: Mapping[str, Sequence[str]] = {
    "question": ("question", "query", "problem", "questions", "question_text", "prompt", "instruction", "text", "q"),
    "answer": (
        *("answer", "answers", "label", "gold", "target", "ground_truth", "groundtruth", "correct_answer", "gt_answer"),
        *("correct_option", "correct_choice", "correct_choice_idx", "answer_idx", "answer_index", "correct", "gt", "a"),
    ),
    "options": ("options", "choices", "candidates", "option", "answer_choices", "multiple_choices"),
    "images": (
        *("image", "images", "image_path", "img", "img_path", "image_paths", "picture", "pictures", "figure"),
        *("figure_path", "imgname", "image_name", "imagename", "file_name", "filename", "image_file", "img_file"),
    ),
    "id": ("id", "question_id", "qid", "pid", "index", "uid", "sample_id", "data_id", "idx", "key", "questionid"),
}
"""What a column is taken for by its name, the likeliest first."""
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
    for role in ("id", "question", "answer", "options", "images"):
        if role not in found:
            guess = _GUESSES[role](_Table(names, values, found, files))
            found |= {role: guess} if guess else {}
    folder = ""
    if "images" not in given and isinstance(found.get("images"), str) and found["images"] in values:
        found["images"], folder = _placed(found["images"], records, values, files)
    used = set(_named(found))
    for role in ("groups", "cluster"):
        if role not in found:
            guess = _groups(values, used) if role == "groups" else _cluster(values, found)
            found |= {role: guess} if guess else {}
    used = set(_named(found))
    open_points = [role for role in ("question", "answer") if role not in found]
    if open_points:
        return Proposal(found, "open", unused=[name for name in names if name not in used], open_points=open_points)
    kind, form = _kind(records, found)
    return Proposal(found, kind, form, folder, [name for name in names if name not in used])


@dataclass(frozen=True)
class _Table:
    names: Sequence[str]
    values: Mapping[str, Sequence[Any]]
    found: Mapping[str, Any]
    files: PictureFiles

    def by_name(self, role: str, fits: Callable[[Sequence[Any]], bool]) -> str:
        """Return the first column that has one of a role's names and fitting values."""
        taken = set(_named(self.found))
        known = {name.lower(): name for name in reversed(self.names) if name not in taken}
        return next((known[name] for name in NAMES[role] if name in known and fits(self.values[known[name]])), "")


def _id(table: _Table) -> str:
    return table.by_name(
        "id", lambda values: len({str(value) for value in values}) == len(values) and all(map(_is_short, values))
    )


def _question(table: _Table) -> str:
    return table.by_name("question", lambda values: _share(values, lambda value: isinstance(value, str)) > 0.99)


def _answer(table: _Table) -> str:
    return table.by_name("answer", lambda values: _share(values, lambda value: not cells.is_empty(value)) > 0.5)


def _options(table: _Table) -> str | list[str]:
    named = table.by_name("options", lambda values: any(_is_list(value) for value in values))
    if named:
        return named
    lettered = [name for name in table.names if _OPTION.fullmatch(name)]
    marks = [_OPTION.fullmatch(name)[1].upper() for name in lettered]  # type: ignore[index]
    if len(lettered) > 1 and "".join(sorted(marks)) in [each[: len(marks)] for each in _MARKS]:
        return [name for _, name in sorted(zip(marks, lettered, strict=True))]
    question = table.found.get("question")
    texts = table.values.get(str(question), ())
    return str(question) if _share(texts, lambda text: bool(options_in(str(text)))) >= LISTED else ""


def _images(table: _Table) -> str | list[str]:
    numbered = [name for name in table.names if _NUMBERED.fullmatch(name)]
    if len(numbered) > 1:
        return numbered
    named = table.by_name("images", lambda values: any(map(_is_picture, values)))
    if named or numbered:
        return named or numbered[0]
    other = next((name for name in table.names if any(map(_is_picture, table.values[name]))), "")
    if other:
        return other
    taken = {name for role, name in table.found.items() if role != "id" and isinstance(name, str)}
    short = [name for name in table.names if name not in taken and all(map(_is_short, table.values[name]))]
    return next(filter(None, (table.files.path_of(name, table.values[name]) for name in short)), "")


def _placed(
    column: str, records: Sequence[Fields], values: Mapping[str, Sequence[Any]], files: PictureFiles
) -> tuple[str, str]:
    """What pictures are called whose names are in a column, and the folder in which these begin."""
    names = [cells.single(cells.as_value(value)) for value in values[column]]
    paths = [name for name in names if isinstance(name, str) and name and not is_encoded(name)]
    if not paths or files.are_there(paths):
        return column, ""
    folder = files.folder_of(paths) if 2 * len(set(paths)) > len(paths) else ""
    if folder:
        return column, folder
    others = {KEY: [record.get(KEY) for record in records], **values}
    below = files.path_below(column, names, others)
    return (below, "") if below else (column, files.folder_of(paths))


_GUESSES: Mapping[str, Callable[[_Table], Any]] = {
    "id": _id,
    "question": _question,
    "answer": _answer,
    "options": _options,
    "images": _images,
}


def _groups(values: Mapping[str, Sequence[Any]], used: set[str]) -> list[str]:
    """Columns of few different short values, each of which several rows have."""
    found = []
    for name, column in values.items():
        different = {str(value) for value in column if not cells.is_empty(value)}
        if (
            name not in used
            and all(map(_is_short, column))
            and 2 <= len(different) <= min(MOST_GROUPS, len(column) / 4)
        ):
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
    value = cells.as_value(value)
    return (isinstance(value, list | Mapping) and len(value) > 1) or (
        isinstance(value, str) and bool(options_in(value))
    )


def _is_picture(value: Any) -> bool:
    value = cells.single(cells.as_value(value))
    if isinstance(value, list):
        return bool(value) and _is_picture(value[0])
    if isinstance(value, Mapping):
        return bool(value.keys() & {"bytes", "path"})
    if isinstance(value, bytes):
        return True
    return isinstance(value, str) and (value.lower().endswith(SUFFIXES) or is_encoded(value))
