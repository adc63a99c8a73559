"""Read question, options, references and groups from a row's cells; a ValueError names what is wrong."""

from __future__ import annotations

import re
import string
from collections.abc import Mapping, Sequence
from typing import Any

from spiqa_tasks.benchmarks.choice import options_in
from spiqa_tasks.benchmarks.own.definition import AnswerForm, Columns
from spiqa_tasks.files.json_text import as_value
from spiqa_tasks.files.records import Fields

NAMES: Mapping[str, Sequence[str]] = {
    "question": ("question", "query", "problem", "questions", "question_text", "prompt", "instruction", "text", "q"),
    "answer": (
        *("answer", "answers", "reference", "label", "gold", "gold_answer", "target", "ground_truth", "groundtruth"),
        *(
            "correct_answer",
            "gt_answer",
            "correct_option",
            "correct_choice",
            "correct_choice_idx",
            "answer_idx",
            "answer_index",
            "correct",
            "gt",
            "a",
        ),
    ),
    "options": ("options", "choices", "candidates", "option", "answer_choices", "multiple_choices"),
    "images": (
        *("image", "images", "image_path", "img", "img_path", "image_paths", "picture", "pictures", "figure"),
        *("figure_path", "imgname", "image_name", "imagename", "file_name", "filename", "image_file", "img_file"),
    ),
    "id": ("id", "question_id", "qid", "pid", "index", "uid", "sample_id", "data_id", "idx", "key", "questionid"),
}
"""Role -> usual names of its column, the most likely first."""
LETTERS = string.ascii_uppercase
_LABEL = re.compile(r"\s*[(\[]?([A-Za-z])(?:[)\].:]|$)\s*")
_LETTER = re.compile(r"\W*([A-Za-z])\W*")


def cell(record: Fields, column: str) -> Any:
    """Return the value of a column, or of a field in it (`a.b`); None where the row has none."""
    if column in record:
        return record[column]
    name, dot, rest = column.partition(".")
    inner = as_value(record.get(name)) if dot else None
    return cell(inner, rest) if isinstance(inner, Mapping) else None


def is_empty(value: Any) -> bool:
    """Return whether a cell has nothing: no value, no text, an empty list."""
    return value is None or value == "" or value == [] or (isinstance(value, float) and value != value)


def single(value: Any) -> Any:
    """Return the only value of a list of one; any other value as it is."""
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def text_of(record: Fields, column: str) -> str:
    """Return a column's text, stripped; ValueError for a row without one."""
    value = cell(record, column)
    if is_empty(value) or isinstance(value, list | Mapping | bytes) or not str(value).strip():
        raise ValueError(f"no text in {column}" if is_empty(value) else f"{column} is {_shown(value)}, not a text")
    return str(value).strip()


def options_of(record: Fields, columns: Columns) -> dict[str, str]:
    """Return letter -> text of a row's options, {} for none.

    Raises ValueError: options in no known form, a single one, or more than 26.
    """
    if not columns.options:
        return {}
    if columns.in_question:
        return options_in(str(cell(record, columns.question) or ""))
    if len(columns.options) > 1:
        texts = [cell(record, column) for column in columns.options]
        while texts and is_empty(texts[-1]):
            texts.pop()
        for column, text in zip(columns.options, texts, strict=False):
            if is_empty(text):
                raise ValueError(f"no text in {column}")
        return _lettered(texts) if texts else {}
    value = as_value(cell(record, columns.options[0]))
    if is_empty(value) or value == {}:
        return {}
    if isinstance(value, Mapping):
        keys = [str(key).upper() for key in value]
        return _lettered(list(value.values()), keys if "".join(keys) == LETTERS[: len(keys)] else LETTERS)
    if isinstance(value, list):
        return _lettered(value)
    found = options_in(str(value))
    if not found:
        raise ValueError(f"{columns.options[0]} is {_shown(value)}, not a list")
    return found


def row_options(record: Fields, named: Sequence[str] = ()) -> dict[str, str]:
    """Return letter -> text of a row's options, {} for none; an object keeps the letters that are its keys.

    Args:
        record: column -> value.
        named: the column with the options, or one for each; by default one with a usual name, the columns A, B, ...,
            or the question.

    Raises ValueError: options in no known form.
    """
    columns = tuple(named) or _usual(record)
    value = as_value(record.get(columns[0])) if len(columns) == 1 else None
    if isinstance(value, Mapping) and all(len(key) == 1 and key in string.ascii_letters for key in map(str, value)):
        found = {str(key): "" if is_empty(text) else str(text) for key, text in value.items() if text is not None}
        if len({key.upper() for key in found}) < len(found):
            raise ValueError(f"a letter twice among {', '.join(found)}")
        return found
    return options_of(record, Columns(options=columns))


def _usual(record: Fields) -> tuple[str, ...]:
    lettered = [letter for letter in LETTERS if not is_empty(record.get(letter))]
    options, question = ([name for name in NAMES[role] if name in record][:1] for role in ("options", "question"))
    return tuple(options or (lettered if len(lettered) > 1 else []) or question)


def letter_of(value: Any, options: Mapping[str, str], form: AnswerForm) -> str:
    """Return the letter of a choice's right option; ValueError if the value names none, or several."""
    text = str(value).strip()
    if form == "text":
        same = [letter for letter, option in options.items() if _plain(option) == _plain(text)]
        if len(same) != 1:
            raise ValueError(f"the answer {_shown(value)} is the text of {len(same)} options")
        return same[0]
    if form == "letter":
        found = _LETTER.fullmatch(text)
        letter = found[1].upper() if found else ""
    else:
        whole = text.removesuffix(".0")
        place = int(whole) - (form == "number") if whole.isdecimal() else -1
        letter = LETTERS[place] if 0 <= place < len(options) else ""
    if letter not in options:
        raise ValueError(f"the answer {_shown(value)} is no option among {', '.join(options)}")
    return letter


def references_of(record: Fields, columns: Sequence[str]) -> list[str]:
    """Return the references of an open question, each once; ValueError without one."""
    found: dict[str, None] = {}
    for column in columns:
        value = cell(record, column)
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, Mapping | bytes):
                raise ValueError(f"{column} has {_shown(each)}, not a text")
            if not is_empty(each) and str(each).strip():
                found[str(each).strip()] = None
    if not found:
        raise ValueError(f"no answer in {', '.join(columns)}")
    return list(found)


def _lettered(values: Sequence[Any], letters: Sequence[str] = LETTERS) -> dict[str, str]:
    """The options by letter; labels (`A) ...`) that every one has are removed."""
    texts = ["" if value is None else str(value).strip() for value in values]
    if not 2 <= len(texts) <= len(LETTERS):
        raise ValueError(f"{len(texts)} options, where 2 to {len(LETTERS)} can be asked")
    labels = [_LABEL.match(text) for text in texts]
    if all(label and label[1].upper() == letter for label, letter in zip(labels, LETTERS, strict=False)):
        rests = [text[label.end() :] for text, label in zip(texts, labels, strict=True) if label]
        texts = rests if all(rests) else texts
    return dict(zip(letters, texts, strict=False))


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
