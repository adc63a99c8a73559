"""Read question, options, references and groups from a row's cells; a ValueError names what is wrong."""

import math
import random
import re
import string
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal

from spiqa_tasks.benchmarks.choice import options_in
from spiqa_tasks.files.json_text import as_value
from spiqa_tasks.files.records import Fields
from spiqa_tasks.scoring.mcq.several import letters_in
from spiqa_tasks.scoring.open_answers import named_answer

AnswerForm = Literal["letter", "letters", "index", "number", "text"]

NAMES: Mapping[str, Sequence[str]] = {
    role: names.split()
    for role, names in {
        "question": "question query problem questions question_text problem_text prompt instruction text q input ctx"
        " sentence goal",
        "answer": "answer correct_answers answers answerkey reference label gold gold_answer target ground_truth"
        " groundtruth correct_answer gt_answer correct_option correct_choice correct_choice_idx answer_idx answer_index"
        " correct correct_options final_answer answer_number gt a cop final_decision ideal",
        "options": "options choices candidates option answer_choices multiple_choices endings",
        "images": "image images image_path img img_path image_paths picture pictures figure figure_path imgname"
        " image_name imagename file_name filename image_file img_file",
        "id": "id question_id problem_id qid pid index uid sample_id data_id idx key questionid query_id sample_index"
        " record_id question_number _id no",
    }.items()
}
"""Role -> usual names of its column, the most likely first."""
LETTERS = string.ascii_uppercase
_LABELS = ("label", "key", "letter", "id")
_TEXTS = ("text", "content", "value", "option", "choice")
"""Fields of an option that is an object, or of all options in one, as ARC and CommonsenseQA have them."""
_LOWER = re.compile(r"(?<![^\s,;(\[])[a-j]\s?(?=[.):\]])")
_LABEL = re.compile(r"\s*[(\[]?([A-Za-z])(?:[)\].:]|$)\s*")
_LETTER = re.compile(r"\W*([A-Za-z])\W*")
_FINAL = re.compile(r"^####\s*(\S.*)\Z", re.MULTILINE)


def cell(record: Fields, column: str) -> Any:
    """Return the value of a column, or of a field in it (`a.b`); None where the row has none."""
    if column in record:
        return record[column]
    name, dot, rest = column.partition(".")
    inner = as_value(record.get(name)) if dot else None
    return cell(inner, rest) if isinstance(inner, Mapping) else None


def is_empty(value: Any) -> bool:
    """Return whether a cell has nothing: no value, no text, an empty list."""
    return (
        value is None or value == "" or value == [] or (isinstance(value, float) and value != value)
    )


def single(value: Any) -> Any:
    """Return the only value of a list of one; any other value as it is."""
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def text_of(record: Fields, column: str) -> str:
    """Return a column's text, stripped; ValueError for a row without one."""
    value = cell(record, column)
    if is_empty(value) or isinstance(value, list | Mapping | bytes) or not str(value).strip():
        raise ValueError(
            f"no text in {column}"
            if is_empty(value)
            else f"{column} is {_shown(value)}, not a text"
        )
    return str(value).strip()


def points_of(record: Fields, column: str) -> float:
    """Return a question's points; ValueError unless they are a number above 0."""
    points = float(text_of(record, column))
    if not 0 < points < math.inf:
        raise ValueError(f"{column} is {points}, not a number above 0")
    return points


def options_of(
    record: Fields, columns: Sequence[str], question: str = "", *, with_empty: bool = False
) -> dict[str, str]:
    """Return label -> text of a row's options in a column, or in one for each; {} for none.

    Labels are the published ones: an object's keys, the field `label` of objects, the letters in a text, also in that
    of the column `question`; letters from A by place for other forms, and for keys that are words or have marks.
    Options without a text are left out; with `with_empty` those of an object keep their labels, as files of answers
    have them. Raises ValueError: options in no known form, a single one, or more than 26.
    """
    if not columns or (*columns,) == (question,):
        return options_in(str(cell(record, question) or "")) if columns else {}
    value = (
        as_value(cell(record, columns[0]))
        if len(columns) == 1
        else [cell(record, column) for column in columns]
    )
    value = list(_marks(value)) or value
    if is_empty(value) or value == {}:
        return {}
    if isinstance(value, str):
        if not (found := listed_options(value)):
            raise ValueError(f"{columns[0]} is {_shown(value)}, not a list")
        return found
    named = _labelled(value, columns[0])
    if (
        with_empty
        and isinstance(value, Mapping)
        and [label for label, _ in named] == [*map(str, value)]
    ):
        return {
            label: "" if is_empty(text) else _text(text, label)
            for label, text in named
            if text is not None
        }
    while named and is_empty(named[-1][1]):
        named.pop()
    if isinstance(value, Mapping):
        named = [(label, text) for label, text in named if not is_empty(text)]
    elif missing := [label for label, text in named if is_empty(text)]:
        raise ValueError(f"no text in option {missing[0]}")
    found = {label: _text(text, label) for label, text in named}
    if found:
        _check_count(found)
    return (
        found
        if isinstance(value, Mapping)
        else dict(zip(found, _unlabelled(list(found.values())), strict=True))
    )


def listed_options(text: str) -> dict[str, str]:
    """Return label -> text of the options that a cell lists, under letters of either case; {} for none."""
    return options_in(text) or options_in(_LOWER.sub(lambda label: label[0].strip().upper(), text))


def mixed_options(
    record: Fields, answer: str, distractors: Sequence[str], seed: str
) -> dict[str, str]:
    """Return letter -> text of answer and distractors, in an order by `seed`; ValueError without one of them."""
    values = [as_value(cell(record, column)) for column in distractors]
    wrong = [each for value in values for each in (value if isinstance(value, list) else [value])]
    texts = [text_of(record, answer), *(_text(each, "") for each in wrong if not is_empty(each))]
    _check_count(texts)
    random.Random(seed).shuffle(texts)
    return dict(zip(LETTERS, texts, strict=False))


def row_options(record: Fields, named: Sequence[str] = ()) -> dict[str, str]:
    """Return label -> text of a row's options, {} for none; ValueError as `options_of`.

    They are in the columns `named`, else in one with a usual name, in A, B, ..., or in the question.
    """
    question = next((name for name in NAMES["question"] if name in record), "")
    usual = [name for name in NAMES["options"] if name in record][:1]
    lettered = [letter for letter in LETTERS if not is_empty(record.get(letter))]
    columns = lettered if len(lettered) > 1 else [question] if question else []
    return options_of(record, named or usual or columns, question, with_empty=True)


def _labelled(value: Any, column: str) -> list[tuple[str, Any]]:
    """Return (label, text) of options in an object, in a list, or in an object or list with labels and texts."""
    if isinstance(value, list) and value and all(isinstance(each, Mapping) for each in value):
        value = {name: [each.get(name) for each in value] for name in value[0]}
    texts: Any = value
    labels: Sequence[Any] = ()
    if isinstance(value, Mapping):
        name = next((name for name in _TEXTS if isinstance(value.get(name), list)), None)
        texts = list(value.values()) if name is None else value[name]
        keys = [value[each] for each in _LABELS if name and isinstance(value.get(each), list)]
        labels = list(value) if name is None else keys[0] if keys else ()
    if not isinstance(texts, list):
        raise ValueError(f"{column} is {_shown(value)}, not a list")
    names = [str(label).strip() for label in labels]
    are_short = all(len(name) <= 2 and name.isalnum() for name in names)
    if len({name.upper() for name in names}) < len(names):
        raise ValueError(f"a letter twice among {', '.join(names)}")
    if not are_short or len(names) != len(texts):
        names = list(LETTERS)
    if len(texts) > len(names):
        _check_count(texts)
    return list(zip(names, texts, strict=False))


def _check_count(options: Collection[Any]) -> None:
    if not 2 <= len(options) <= len(LETTERS):
        raise ValueError(f"{len(options)} options, where 2 to {len(LETTERS)} can be asked")


def _text(value: Any, label: str) -> str:
    if isinstance(value, list | Mapping | bytes):
        raise ValueError(f"option {label} is {_shown(value)}, not a text")
    return str(value).strip()


def _unlabelled(texts: Sequence[str]) -> list[str]:
    """The texts without the labels (`A) ...`), if every one has its own."""
    labels = [label for text in texts if (label := _LABEL.match(text))]
    rests = [label.string[label.end() :] for label in labels]
    are_labelled = [label[1].upper() for label in labels] == list(LETTERS[: len(texts)]) and all(
        rests
    )
    return rests if are_labelled else list(texts)


def lettered(options: Mapping[str, str]) -> dict[str, str]:
    """Return letter -> text of options: their labels in upper case if these are letters, else letters from A."""
    are_letters = all(len(label) == 1 and label in string.ascii_letters for label in options)
    return {
        label.upper() if are_letters else LETTERS[place]: options[label]
        for place, label in enumerate(options)
    }


def letter_of(value: Any, options: Mapping[str, str], form: AnswerForm) -> str:
    """Return the letter of a choice's right option, of the published labels; ValueError for none, or several."""
    text = str(value).strip()
    letters = lettered(options)
    if form == "text":
        same = [letter for letter, option in letters.items() if _plain(option) == _plain(text)]
        if len(same) != 1:
            raise ValueError(f"the answer {_shown(value)} is the text of {len(same)} options")
        return same[0]
    if form == "letter":
        found = _LETTER.fullmatch(text)
        letter = dict(zip(options, letters, strict=True)).get(text) or (
            found[1].upper() if found else ""
        )
    else:
        whole = text.removesuffix(".0")
        place = int(whole) - (form == "number") if whole.isdecimal() else -1
        letter = dict(enumerate(letters)).get(place, "")
    if letter not in letters:
        raise ValueError(f"the answer {_shown(value)} is no option among {', '.join(letters)}")
    return letter


def answers_of(value: Any, options: Mapping[str, str], form: AnswerForm) -> list[str]:
    """Return the letters of all right options, in order; several only with `letters`. Raises ValueError: see above."""
    value = single(as_value(value))
    if right := [letter_of(text, options, "text") for text, mark in _marks(value).items() if mark]:
        if len(right) > 1 and form != "letters":
            raise ValueError(f"{len(right)} right options")
        return right
    if form != "letters":
        return [letter_of(value, options, form)]
    letters = (
        letters_in(value)
        if isinstance(value, str)
        else value
        if isinstance(value, list)
        else [value]
    )
    return sorted({letter_of(each, options, "letter") for each in letters or [value]})


def _marks(value: Any) -> Mapping[str, Any]:
    """Return option -> 1 or 0 of an object that says so (BIG-bench), also in two lists (TruthfulQA); else {}."""
    if isinstance(value, Mapping) and value.keys() == {"choices", "labels"}:
        value = dict(zip(value["choices"], value["labels"], strict=True))
    are_marks = isinstance(value, Mapping) and all(mark in (0, 1) for mark in value.values())
    return (
        value if are_marks and (len(value) > 2 or any(len(str(key)) > 1 for key in value)) else {}
    )


def references_of(record: Fields, columns: Sequence[str]) -> list[str]:
    """Return the references of an open question, each once; ValueError without one.

    They are the values of the columns, of lists, of the field `text` (SQuAD), and of a list of texts that a text writes
    out; a list of numbers is one answer. Of a solution it is what follows `####` (GSM8K), or its `\\boxed{...}` (MATH).
    """
    found: dict[str, None] = {}
    for column in columns:
        written = _texts_in(as_value(value := cell(record, column)))
        if isinstance(written, str) and column.lower().endswith("correct answers"):  # TruthfulQA
            written = written.split(";")
        if isinstance(written, list) and all(isinstance(each, str) for each in written):
            value = written
        for each in map(_texts_in, value if isinstance(value, list) else [value]):
            if isinstance(each, Mapping | bytes):
                raise ValueError(f"{column} has {_shown(each)}, not a text")
            text = "" if is_empty(each) else str(each).strip()
            if text:
                final = _FINAL.search(text)
                found[final[1] if final else ("\\boxed" in text and named_answer(text)) or text] = (
                    None
                )
    if not found:
        raise ValueError(f"no answer in {', '.join(columns)}")
    return list(found)


def _texts_in(value: Any) -> Any:
    return value["text"] if isinstance(value, Mapping) and "text" in value else value


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
