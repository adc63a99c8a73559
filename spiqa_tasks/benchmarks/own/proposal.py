"""Guess the YAML of a table of questions from the names and the values of its columns."""

import contextlib
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from spiqa_tasks.benchmarks.own import cells
from spiqa_tasks.benchmarks.own.cells import AnswerForm
from spiqa_tasks.benchmarks.own.definition import Columns
from spiqa_tasks.benchmarks.own.pictures import is_encoded
from spiqa_tasks.benchmarks.own.prompts import fields_in_path
from spiqa_tasks.errors import InputError
from spiqa_tasks.files.json_text import as_value
from spiqa_tasks.files.records import KEY, Fields

Values = Mapping[str, Sequence[Any]]
"""Column -> its values, one per row."""
Files = Mapping[str, Sequence[str]]
"""Name of a picture -> the paths, from the data's folder, of all of that name."""
SUFFIXES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp")
_NUMBERED = re.compile(r"(?:image|img|picture|figure)[_ ]?\d+", re.IGNORECASE)
_PICTURE = re.compile(r"image|img|picture|figure", re.IGNORECASE)
"""A column's name that says that its values name pictures."""
_OPTION = re.compile(
    r"(?:(?:option|choice|ending|sol|op|answer(?=[_ ]?[A-Ja-j]))[_ ]?)?([A-Ja-j]|\d)"
)
_MARKS = ("ABCDEFGHIJ", "0123456789", "123456789")
_WRONG = re.compile(r"(?:incorrect|wrong|distractor).*\d", re.IGNORECASE)
LONGEST = 60  # characters of a column's name
LOOKED_AT = 50
"""Values of a column that are looked up as files."""
DEEPEST = 4
"""Levels of folders in which pictures are searched."""


def propose(records: Sequence[Fields], given: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Return the YAML's values for a table's rows; what is `given` (role -> column, "" for none) is not guessed.

    Pictures are below `folder`. Raises InputError: no column for the question or the answer.
    """
    names = dict.fromkeys(str(name) for record in records for name in record if name != KEY)
    values = {name: [record.get(name) for record in records] for name in names}
    files = {} if "images" in given else _pictures_below(folder)
    found = dict(given)
    for role, fits in _FITS.items():
        if role not in found and (guess := _guess(role, fits, values, found, files)):
            found[role] = guess
    if (
        "options" not in found
        and len(wrong := [name for name in values if _WRONG.fullmatch(name)]) > 1
    ):
        found.setdefault("distractors", wrong)
    paths = [cells.single(as_value(value)) for value in values.get(str(found.get("images")), ())]
    paths = [path for path in paths if isinstance(path, str) and path and not is_encoded(path)]
    image_folder = _folder_of(paths, files)
    if image_folder is None and (
        path := _path_by_columns(records, str(found.get("images")), files)
    ):
        found["images"] = path
    found.setdefault("cluster", _cluster(values, found))
    columns = {role: name for role, name in found.items() if name}
    remedy = (
        "Write the columns' names above the first row, or name"
        if max(map(len, names), default=0) > LONGEST
        else "Name"
    )
    for role in ("question", "answer"):
        if role not in found:
            raise InputError(
                f"Expected a column with the {role}, found no usual name among {', '.join(names) or 'no columns'}. "
                f"{remedy} it with --column {role}=COLUMN."
            )
    kind, answer_is = _kind(records, Columns.model_validate(columns))
    more = {"answer_is": "" if answer_is == "letter" else answer_is, "image_folder": image_folder}
    return {
        "kind": kind,
        "columns": columns,
        **{key: value for key, value in more.items() if value},
    }


_FITS: Mapping[str, Callable[[Sequence[Any]], bool]] = {
    "id": lambda values: len(set(map(str, values))) == len(values) and all(map(_is_short, values)),
    "question": lambda values: sum(isinstance(value, str) for value in values) > 0.99 * len(values),
    "answer": lambda values: sum(map(cells.is_empty, values)) < 0.5 * len(values),
    "options": lambda values: any(map(_is_list, values)),
    "images": lambda values: any(map(_is_picture, values)),
}
"""Role -> whether a column's values can have it."""


def _guess(
    role: str,
    fits: Callable[[Sequence[Any]], bool],
    values: Values,
    found: Mapping[str, Any],
    files: Files,
) -> str | list[str]:
    """The first column with a usual name and fitting values; else options or pictures by what the columns have."""
    shared = (
        ("options",) if role == "question" else ("question",) if role == "id" else ()
    )  # may be the same column
    used = set(_named({each: name for each, name in found.items() if each not in shared}))
    known = {
        name.lower().replace(" ", "_"): name for name in reversed(list(values)) if name not in used
    }
    for name in cells.NAMES[role]:
        if name in known and fits(values[known[name]]):
            return known[name]
    if role == "options":
        return _options(values)
    return _images(values, found, files) if role == "images" else ""


def _options(values: Values) -> str | list[str]:
    """The columns that have a letter or a number each, or the first one with an object of letters."""
    marks = {name: mark[1].upper() for name in values if (mark := _OPTION.fullmatch(name))}
    if len(marks) > 1 and "".join(sorted(marks.values())) in [
        each[: len(marks)] for each in _MARKS
    ]:
        return sorted(marks, key=lambda name: marks[name])
    there = {
        name: [value for value in values[name] if not cells.is_empty(value)] for name in values
    }
    return next(
        (name for name, objects in there.items() if objects and all(map(_has_letters, objects))), ""
    )


def _images(values: Values, found: Mapping[str, Any], files: Files) -> str | list[str]:
    """Numbered columns, the first one with pictures, or the path of files called as a column's values."""
    numbered = [name for name in values if _NUMBERED.fullmatch(name)]
    if not all(cells.is_empty(value) for name in numbered for value in values[name]):
        return numbered
    if shown := [name for name in values if any(map(_is_picture, values[name]))]:
        return shown[0]
    used = {name for role, name in found.items() if role != "id" and isinstance(name, str)}
    for name in values:
        tried = (
            [value for value in values[name] if value not in (None, "")] if name not in used else []
        )
        if not tried or not all(map(_is_short, tried)):
            continue
        for suffix in SUFFIXES:
            names = [f"{value}{suffix}" for value in tried]
            folder = _folder_of(names, files)
            if folder is not None and (_PICTURE.search(name) or _are_all(names, folder, files)):
                return os.path.join(folder, f"{{{name}}}{suffix}")
    return ""


def _pictures_below(folder: Path) -> Files:
    found: dict[str, list[str]] = {}
    for depth in range(DEEPEST + 1):
        for path in folder.glob("*/" * depth + "*.*"):
            if path.suffix.lower() in SUFFIXES:
                found.setdefault(path.name, []).append(path.relative_to(folder).as_posix())
    return found


def _folder_of(paths: Sequence[str], files: Files) -> str | None:
    """Return the folder from which most of the first paths are pictures, "" for the data's own; None for none."""
    tried = [path.replace("\\", "/").removeprefix("./") for path in paths[:LOOKED_AT]]
    found: Counter[str] = Counter()
    for path in tried:
        for whole in files.get(os.path.basename(path), ()):
            if f"/{whole}".endswith(f"/{path}"):
                found[whole.removesuffix(path).rstrip("/")] += 1
    (best, count), (_, other) = [*found.most_common(2), ("", 0), ("", 0)][:2]
    return best if 2 * count > len(tried) and count > other else None


def _path_by_columns(records: Sequence[Fields], column: str, files: Files) -> str:
    """Return a path of pictures in folders called as their row's values (`{split}/{_key}/{image}`), or ""."""
    row = next((record for record in records if not cells.is_empty(record.get(column))), {})
    names = {str(value): f"{{{name}}}" for name, value in reversed([*row.items()])}
    paths = [
        "/".join(names.get(part, part) for part in path.split("/"))
        for path in files.get(str(row.get(column)), ())
    ]
    return max(
        (path for path in paths if path.count("{") > 1),
        key=lambda path: path.count("{"),
        default="",
    )


def _are_all(names: Sequence[str], folder: str, files: Files) -> bool:
    """Return whether the folder's pictures have just these names: others may belong to anything."""
    wanted = {os.path.normpath(os.path.join(folder, name)).replace("\\", "/") for name in names}
    return wanted == {
        path for paths in files.values() for path in paths if os.path.dirname(path) == folder
    }


def _cluster(values: Values, found: Mapping[str, Any]) -> str:
    """The column of pictures if several questions share one."""
    named = [name for name in _named({"images": found.get("images", "")}) if name in values]
    if len(named) != 1 or not all(map(_is_short, values[named[0]])):
        return ""
    counts = Counter(str(value) for value in values[named[0]] if not cells.is_empty(value))
    return named[0] if sum(count > 1 for count in counts.values()) > 0.1 * len(counts) else ""


def _kind(records: Sequence[Fields], columns: Columns) -> tuple[str, str]:
    """The kind, and the form in which most right options can be read; indices only if one is 0, else numbers."""
    if not columns.options:
        return "choice" if columns.has_options else "open", "letter"
    choices: list[tuple[Any, Mapping[str, str]]] = []
    for record in records:
        with contextlib.suppress(ValueError):
            if options := cells.options_of(record, columns.options, columns.question):
                choices.append(
                    (cells.single(as_value(cells.cell(record, columns.answer[0]))), options)
                )

    def read(form: AnswerForm) -> int:
        found = []
        for answer, options in choices:
            with contextlib.suppress(ValueError):
                found.append(cells.answers_of(answer, options, form))
        return len(found)

    has_zero = any(is_zero(answer) for answer, _ in choices)
    forms: list[AnswerForm] = ["letter", "text", "index" if has_zero else "number", "letters"]
    return "both" if len(choices) < len(records) else "choice", max(forms, key=read)


def is_zero(answer: Any) -> bool:
    """Return whether an answer is 0, so that the right options of its table are indices and not numbers."""
    return str(answer).strip().removesuffix(".0") == "0"


def _named(found: Mapping[str, Any]) -> Iterable[str]:
    for value in found.values():
        for each in [value] if isinstance(value, str) else value:
            yield from fields_in_path(each) or [each]


def _is_short(value: Any) -> bool:
    return value is None or (isinstance(value, str | int | float) and len(str(value)) <= 128)


def _is_list(value: Any) -> bool:
    value = as_value(value)
    if isinstance(value, str):
        return bool(cells.listed_options(value))
    return isinstance(value, list | Mapping) and len(value) > 1


def _has_letters(value: Any) -> bool:
    value = as_value(value)
    return (
        isinstance(value, Mapping)
        and bool(value)
        and all(str(key).upper() in cells.LETTERS for key in value)
    )


def _is_picture(value: Any) -> bool:
    value = cells.single(as_value(value))
    if isinstance(value, list):
        return bool(value) and _is_picture(value[0])
    if isinstance(value, Mapping):
        return bool(value.keys() & {"bytes", "path"})
    return isinstance(value, bytes) or (
        isinstance(value, str) and (value.lower().endswith(SUFFIXES) or is_encoded(value))
    )
