"""Options of questions, in the forms in which datasets and files of answers write them.

Every function takes the cells of one row; a ValueError says what is wrong with it.
"""

import ast
import json
import re
import string
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from typing import Any

_USUAL_NAMES = {
    "question": (
        "question query problem questions question_text problem_text prompt instruction"
        " text q input ctx sentence goal"
    ),
    "answer": (
        "answer correct_answers answers answerkey reference label gold gold_answer target"
        " ground_truth groundtruth correct_answer gt_answer correct_option correct_choice"
        " correct_choice_idx answer_idx answer_index correct correct_options final_answer"
        " answer_number gt a cop final_decision ideal"
    ),
    "options": "options choices candidates option answer_choices multiple_choices endings",
}

# Role -> usual names of its column, the most likely first.
NAMES: Mapping[str, Sequence[str]] = {role: names.split() for role, names in _USUAL_NAMES.items()}

# Labels of options that have none, and names of columns with one option each.
LETTERS = string.ascii_uppercase

# Characters of a label: `A`, `12`.
_LONGEST_LABEL = 2

# A column with one option: `A`, `option_a`, `Choice B`, MedMCQA's `opa`, WinoGrande's `option1`.
_OPTION_COLUMN = re.compile(r"(?i:(?:op|option|choice)[ _]?[a-j]|option[ _]?[1-9])|[A-Z]")

_LABEL_FIELDS = ("label", "key", "letter", "id")

# Fields of an option that is an object, as of ARC and CommonsenseQA.
_TEXT_FIELDS = ("text", "content", "value", "option", "choice")

# A label at the start of an option's text.
_LABEL = re.compile(r"\s*[(\[]?([A-Za-z])(?:[)\].:]|$)\s*")

# A label in lower case within a listing, as of MathQA.
_LOWER_LABEL = re.compile(r"(?<![^\s,;(\[])[a-j]\s?(?=[.):\]])")

# An answer that is a label, with any marks around it.
_NAMED_LABEL = re.compile(r"\W*(\w{1,2})\W*")

# What stands between the labels of several right options: `A, C`, `A/C`, `A and C`.
_BETWEEN_LABELS = re.compile(r"[\W_]+(?:and\b[\W_]*)?")

# No label has another one right behind it: the points A、B, the ratio A:B, `A.B. Smith`.
_NO_LABEL = r"(?![A-J](?![A-Za-z0-9]))"

# Ten letters, as no benchmark of the field lists more options behind letters.
_FORMS_OF_LABELS = (
    # `(A)` and `[A]`, but not the points (A), (B) and (C)
    r"[(（\[]([A-J])[)）\]](?![,，、])",
    # `A.` or `A)`
    rf"([A-J]) ?(?:[)．）]|[.、]{_NO_LABEL})",
    rf"([A-J])[:：]{_NO_LABEL}",
    # of exams in Japanese: the letter and a wide blank
    r"([A-Ja-j])\u3000",
)

# Each form at the start of lines, which is surest.
_LINES = [
    re.compile(rf"(?:^|\n)[^\S\n]*(?:[-*][ \t]+)?{label}[^\S\n]*") for label in _FORMS_OF_LABELS
]

# What stands before a label within a line.
_BEFORE = r"(?:^|[\s,;，；、|。）]|(?=[(（\[]))\s{0,9}"

# The dot of `vitamin C.` ends a line or an option.
_BEHIND = r"(?:(?<=[．)）\]])|(?=[^\n;；]))[^\S\n]?"

_WITHIN = [re.compile(_BEFORE + label + _BEHIND) for label in _FORMS_OF_LABELS]

# So many labels are a whole list: at the start of lines, the `E.` of `D. E. coli` is none.
_WHOLE = 4

# What ends the sentence before a list within a line.
_ENDS = "\n.?!:)。．？！：）"

# What may stand between two options of one line.
_BETWEEN = " \t\r\n;；\u3000"

# A heading between question and options, part of neither.
_HEADING = re.compile(r"\b(?:options|choices)\s*:\s*", re.IGNORECASE)

# A text in quotes or an object, within an array.
_ITEM = r"(?:'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|\{[^{}]*\})"

# An array as numpy prints it, without commas.
_PRINTED = re.compile(rf"\[\s*{_ITEM}(?:\s+{_ITEM})+\s*\]")

# An array of numpy as pandas writes it into csv.
_ARRAY = re.compile(r"\barray\((\[[^\]]{0,9999}\])(?:,\s*dtype=\w+)?\)")


class SeveralOptionsError(ValueError):
    """A true answer names several options."""


def row_options(row: Mapping[str, Any], names: Sequence[str] = NAMES["options"]) -> dict[str, str]:
    """Return label -> text of a row's options, or {}; ValueError as `options_of`.

    They are in the first column of `names` that is there, else in columns with one option each,
    such as `A` or `option_a`.
    """
    cell_of = {option_letter(column): cell for column, cell in row.items()}
    letters = sorted(cell_of.keys() - {""})
    has_columns = len(letters) > 1

    options: dict[str, str] = {}
    columns = [name for name in names if name in row][:1]
    try:
        options = options_of(row, columns) if columns else {}
    except ValueError:
        # beside columns A, B, ... it may be of something else, such as their number
        if not has_columns:
            raise
    return options_of(cell_of, letters) if has_columns and not options else options


@cache
def option_letter(column: str) -> str:
    """Return the option that a column is of by its name, such as `B` of `option_b`, or ''."""
    return column[-1].upper() if _OPTION_COLUMN.fullmatch(column) else ""


def options_of(row: Mapping[str, Any], columns: Sequence[str]) -> dict[str, str]:
    """Return label -> text of the options in one column, or in a column for each; {} if empty.

    One column has an object label -> text, a list of texts, a list of objects or an object of lists
    with labels and texts, or a text that lists the options. Labels of at most two letters or digits
    are kept; other options get letters in order.

    Raises ValueError: another form, a label twice, an empty option before the last one, or not 2 to
    26 options.
    """
    if len(columns) > 1:
        return _separate_options(row, columns)

    value = as_value(row.get(columns[0]))
    if _is_empty(value) or value == {}:
        return {}

    if isinstance(value, str):
        in_upper_case = _LOWER_LABEL.sub(lambda label: label[0].strip().upper(), value)
        listed = options_in(value) or options_in(in_upper_case)
        if not listed:
            raise ValueError(f"{columns[0]} is {_shown(value)}, not a list")
        return listed

    labels, texts = _labels_and_texts(value, columns[0])
    return _labelled(labels, texts) if labels else _lettered(texts)


def answer_label(answer: Any, options: Mapping[str, str], among_texts: bool = False) -> str:
    """Return the label of the right option, which an answer names by its label or its text.

    `among_texts` if the file has texts as true answers: one that is the label of one option and the
    text of another then names both.
    Raises ValueError: it names no option; SeveralOptionsError: it names several.
    """
    text = str(answer).strip()
    labels = {label.upper(): label for label in options}
    label = labels.get(label_in(text))
    same = [label for label, option in options.items() if _normalised(option) == _normalised(text)]

    if label is None and len(same) != 1:
        raise _no_single_option(answer, same, labels)
    if label is None:
        return same[0]
    if among_texts and same and label not in same:
        raise SeveralOptionsError(f"{_shown(answer)}, the label of one option and another's text")
    return label


def label_in(answer: str) -> str:
    """Return the label that an answer is, `B` of `(b)`; '' if it is more than a label."""
    named = _NAMED_LABEL.fullmatch(answer)
    return named[1].upper() if named else ""


def _no_single_option(answer: Any, same: Collection[str], labels: Mapping[str, str]) -> ValueError:
    """Return the error of an answer that is no label, and the text of none or several options."""
    no_label = f"and none of the labels {', '.join(labels.values())}"
    if same:
        return SeveralOptionsError(f"{_shown(answer)}, the text of {len(same)} options {no_label}")

    count = _count_of_labels(str(answer), labels)
    if count > 1:
        return SeveralOptionsError(f"{_shown(answer)}, the labels of {count} options")
    return ValueError(f"{_shown(answer)}, no option's text {no_label}")


def _count_of_labels(text: str, labels: Collection[str]) -> int:
    """Return how many different labels a text consists of, such as 2 for `A, C`; else 0."""
    letters = _BETWEEN_LABELS.sub("", text).upper()
    are_labels = len(set(letters) & set(labels)) == len(letters)
    return len(letters) if are_labels else 0


def options_in(text: str) -> dict[str, str]:
    """Return letter -> text of the options listed in a question, or {} unless A and B are.

    Known forms: lines with the labels `(A)`, `A.`, `A)`, `A:` or `[A]`, also with full-width marks;
    these in one line behind a blank, a comma or a semicolon. After "Options:" or "Choices:" only
    the rest is read. If each option is a line, the last one ends with its line.
    """
    *_, tail = _HEADING.split(text)
    labels = _listed_labels(tail)
    ends = [*(label.start() for label in labels[1:]), len(tail)]
    options = {
        label[1]: tail[label.end() : end].strip(_BETWEEN)
        for label, end in zip(labels, ends, strict=False)
    }
    if options:
        *others, last = options
        if not any("\n" in options[letter] for letter in others):
            options[last] = options[last].partition("\n")[0].strip()
    return options


def question_before(text: str) -> str:
    """Return the text before the options that `options_in` reads and their heading, stripped."""
    headings = list(_HEADING.finditer(text))
    start = headings[-1].end() if headings else 0
    labels = _listed_labels(text[start:])
    if not labels:
        return text.strip()

    first = headings[-1] if headings else labels[0]
    return text[: first.start()].strip()


def as_value(cell: Any) -> Any:
    """Return the list or object that a cell's text writes out, else the value.

    JSON, Python and numpy print them.
    """
    if not isinstance(cell, str) or cell.strip()[:1] not in ("[", "{"):
        return cell

    text = cell.strip()
    if _PRINTED.fullmatch(text):
        text = f"[{', '.join(re.findall(_ITEM, text))}]"

    for read, form in (
        (json.loads, text),
        (ast.literal_eval, text),
        (ast.literal_eval, _ARRAY.sub(r"\1", text)),
    ):
        try:
            return read(form)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
    return cell


def _separate_options(row: Mapping[str, Any], columns: Sequence[str]) -> dict[str, str]:
    """Return label -> text of options in one column each.

    The labels are the columns' names if these are letters, else letters in order.
    """
    texts = [row.get(column) for column in columns]
    if not set(columns) <= set(LETTERS):
        return _lettered(texts)

    filled = {
        letter: _text(text, letter)
        for letter, text in zip(columns, texts, strict=True)
        if not _is_empty(text)
    }
    return filled if len(filled) > 1 else {}


def _labels_and_texts(value: Any, column: str) -> tuple[list[str], list[Any]]:
    """Return labels and texts of the options in an object or a list; labels that cannot be kept
    are [].
    """
    if isinstance(value, list) and all(isinstance(each, dict) for each in value):
        value = {name: [each.get(name) for each in value] for name in value[0]}

    labels, texts = _fields_of(value) if isinstance(value, dict) else ([], value)
    if not isinstance(texts, list):
        raise ValueError(f"{column} is {_shown(value)}, not a list")
    return _kept_labels(labels, len(texts)), texts


def _kept_labels(labels: Sequence[Any], count: int) -> list[str]:
    """Return the labels, or [] unless each option has one of at most two letters or digits.

    Raises ValueError: two options have the same label.
    """
    names = [str(label).strip() for label in labels]
    if len({name.upper() for name in names}) < len(names):
        raise ValueError(f"a letter twice among {', '.join(names)}")

    are_short = all(len(name) <= _LONGEST_LABEL and name.isalnum() for name in names)
    return names if are_short and len(names) == count else []


def _fields_of(value: Mapping[str, Any]) -> tuple[list[Any], Any]:
    """Return labels and texts of an object: its fields for them, else its keys and values.

    An object with the keys A, B, ... and long ones is a whole row of a table: only its letters are
    labels.
    """
    text_field = _list_field(value, _TEXT_FIELDS)
    if text_field is None:
        letters = [label for label in value if str(label).strip().upper() in {*LETTERS}]
        has_others = max(map(len, map(str, value)), default=0) > _LONGEST_LABEL
        is_row = has_others and "".join(map(str, letters)).upper().startswith("AB")
        labels = letters if is_row else [*value]
        return labels, [value[label] for label in labels]

    label_field = _list_field(value, _LABEL_FIELDS)
    return [] if label_field is None else value[label_field], value[text_field]


def _list_field(value: Mapping[str, Any], names: Sequence[str]) -> str | None:
    """Return the first of some fields that holds a list, or None."""
    return next((name for name in names if isinstance(value.get(name), list)), None)


def _labelled(labels: Sequence[str], texts: Sequence[Any]) -> dict[str, str]:
    """Return label -> text; an empty text stands for a picture, None for no option."""
    _check_count(texts)
    return {
        label: _text(text, label)
        for label, text in zip(labels, texts, strict=True)
        if text is not None
    }


def _lettered(values: Sequence[Any]) -> dict[str, str]:
    """Return letter -> text of options in order, up to the last that has a text."""
    values = list(values)
    while values and _is_empty(values[-1]):
        values.pop()
    if not values:
        return {}

    _check_count(values)
    found = dict(zip(LETTERS, values, strict=False))
    if missing := [letter for letter, value in found.items() if _is_empty(value)]:
        raise ValueError(f"no text in option {missing[0]}")

    texts = [_text(value, letter) for letter, value in found.items()]
    return dict(zip(found, _without_labels(texts), strict=True))


def _without_labels(texts: Sequence[str]) -> Sequence[str]:
    """Return the texts without their labels (`A) ...`) if they are labelled A, B, ... in order."""
    letters = []
    rests = []
    for text in texts:
        if label := _LABEL.match(text):
            letters.append(label[1].upper())
            rests.append(text[label.end() :])
    are_labelled = letters == list(LETTERS[: len(texts)]) and all(rests)
    return rests if are_labelled else texts


def _check_count(options: Sequence[Any]) -> None:
    """Raise ValueError for fewer than two options, or more than there are letters."""
    if not 2 <= len(options) <= len(LETTERS):
        raise ValueError(f"{len(options)} options, where 2 to {len(LETTERS)} can be asked")


def _text(value: Any, label: str) -> str:
    """Return an option as text. Raises ValueError: it is a list, an object or bytes."""
    if isinstance(value, list | dict | bytes):
        raise ValueError(f"option {label} is {_shown(value)}, not a text")
    return str(value).strip()


def _listed_labels(text: str) -> list[re.Match[str]]:
    """Return the labels of a list, from A on: at the start of lines, else within a line."""
    for lines, within in zip(_LINES, _WITHIN, strict=True):
        labels = _series(lines.finditer(text))
        if len(labels) >= _WHOLE:
            return labels
        if len(labels) > 1:
            return labels + _series(within.finditer(text, labels[-1].end()), len(labels))

    series = (_series(within.finditer(text)) for within in _WITHIN)
    return max((labels for labels in series if _is_list(text, labels)), key=len, default=[])


def _is_list(text: str, labels: Sequence[re.Match[str]]) -> bool:
    """Return whether labels within a line are of options: four, or behind the end of a sentence.

    Labels of points or people (`A. Smith or B. Jones`) are fewer and stand within a sentence.
    """
    if len(labels) < 2:
        return False

    before = text[: labels[0].start(1)].rstrip(" \t(（[")
    return len(labels) >= _WHOLE or before[-1:] in _ENDS


def _series(labels: Iterable[re.Match[str]], start: int = 0) -> list[re.Match[str]]:
    """Return the labels that follow each other in the alphabet, from letter number `start` on."""
    series: list[re.Match[str]] = []
    for label in labels:
        if label[1].upper() == LETTERS[start + len(series)]:
            series.append(label)
    return series


def _is_empty(value: Any) -> bool:
    """Return whether a cell has nothing: None, '', [] or NaN."""
    # NaN, an empty cell of a table, differs from itself
    is_nan = isinstance(value, float) and value != value
    return value is None or value == "" or value == [] or is_nan


def _normalised(text: str) -> str:
    """Return a text without case and with single blanks, for comparison."""
    return " ".join(text.split()).casefold()


def _shown(value: Any) -> str:
    """Return a value for a sentence, at most 40 characters of it."""
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
