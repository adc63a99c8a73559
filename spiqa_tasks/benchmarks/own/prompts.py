"""The prompt of a row: its template filled in, the pictures in their places, solved questions as turns before it.

A template has `{question}`, `{options}`, `{images}` and `{any column}`, in the form of Python's format.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from spiqa_tasks.benchmarks.prompting import Part, Picture, Turn
from spiqa_tasks.errors import InputError
from spiqa_tasks.files.image_ablation import Ablation, ablated_pictures

if TYPE_CHECKING:
    from spiqa_tasks.benchmarks.own.definition import Definition

Row = Mapping[str, Any]
MARKER = re.compile(r"<image(?:[ _]?(\d{1,2}))?>")
"""Where a question's or an option's text has a picture: `<image>`, `<image1>`, `<image 1>`, `<image_1>`."""
_FIELD = re.compile(r"\{([^{}:]+)(?::(0\d{1,2})d)?\}")
IMAGES = "images"
PARTS = ("question", "options", IMAGES)
_LETTER = "Answer with the option's letter from the given choices directly."
TEMPLATES = {
    "choice": f"{{images}}{{question}}\n{{options}}\n{_LETTER}",
    "listed": f"{{images}}{{question}}\n{_LETTER}",
    "open": "{images}{question}\nAnswer the question with a word, a number or a short phrase.",
}
"""What is asked where the YAML has no prompt; `listed` of questions whose text has the options."""


def prompt(definition: Definition, row: Row, shots: Sequence[Row], ablation: Ablation) -> list[Part]:
    """Return the prompt of a row.

    Args:
        definition: of the benchmark.
        row: the question's.
        shots: solved questions; each becomes a turn of the user's and one of the assistant's.
        ablation: what is done to the pictures.
    """
    own = _question(definition, row, ablation)
    if not shots:
        return own
    parts: list[Part] = []
    for shot in shots:
        parts += [Turn("user"), *_question(definition, shot, ablation), Turn("assistant"), shot["answer"]]
    return [*parts, Turn("user"), *own]


def fields_of(template: str, where: str) -> list[tuple[str, str | None]]:
    """Return (text, name of the field behind it) of a template; None behind the last text.

    Raises InputError: braces that are no field's, or a field without a name.
    """
    try:
        found = [(text, field) for text, field, _, _ in string.Formatter().parse(template)]
        if any(field == "" for _, field in found):
            raise ValueError("a field without a name")
    except ValueError as error:
        raise InputError(
            f"Expected prompt: to have names of columns in braces in {where}; found {error}. Write a brace that is "
            "text twice."
        ) from error
    return found


def fields_in_path(path: str) -> list[str]:
    """Return the columns in braces in a path of pictures."""
    return [field[1] for field in _FIELD.finditer(path)]


def filled_path(path: str, values: Mapping[str, object]) -> str:
    """Return a path of pictures with its columns filled in; `{id:012d}` has numbers of twelve digits.

    Raises:
        ValueError: a value that is no number where the path wants one.
    """

    def filled(field: re.Match[str]) -> str:
        name, form = field.groups()
        return f"{int(str(values[name])):{form}d}" if form else str(values[name])

    return _FIELD.sub(filled, path)


def are_placed(texts: Sequence[str], pictures: int) -> bool:
    """Return whether texts have markers, each of a picture that is there."""
    numbers = _numbers(texts)
    return bool(numbers) and max(numbers) <= pictures


def _question(definition: Definition, row: Row, ablation: Ablation) -> list[Part]:
    listed = [f"{letter}. {text}" for letter, text in zip(row["letters"], row["options"], strict=True)]
    options = "" if definition.columns.in_question else "\n".join(listed)
    texts = {**row["fields"], "question": row["question"], "options": options}
    pictures: list[Part] = [Picture(path) for path in ablated_pictures(row["images"], ablation)]
    if definition.columns.images and not pictures:
        texts |= {name: MARKER.sub("", texts[name]).strip() for name in ("question", "options")}
    marked = are_placed([texts["question"], texts["options"]], len(pictures))
    placed = {number - 1 for number in _numbers([texts["question"], texts["options"]])} if marked else set()
    parts: list[Part] = []
    counter = iter(range(len(pictures)))
    for text, field in fields_of(definition.prompt["choice" if row["letters"] else "open"], definition.benchmark):
        parts.append(text)
        if field == IMAGES:
            others = [picture for place, picture in enumerate(pictures) if place not in placed]
            parts += [*others, "\n"] if others else []
        elif field in ("question", "options") and marked:
            parts += _with_pictures(texts[field], pictures, counter)
        elif field is not None:
            parts.append(texts[field])
    return [part for part in parts if part != ""]


def _numbers(texts: Sequence[str]) -> list[int]:
    """The numbers of the pictures that markers stand for, from 1; those without a number count on."""
    found = [marker for text in texts for marker in MARKER.finditer(text)]
    return [int(marker[1]) if marker[1] else place for place, marker in enumerate(found, 1)]


def _with_pictures(text: str, pictures: Sequence[Part], counter: Iterator[int]) -> Iterator[Part]:
    done = 0
    for marker in MARKER.finditer(text):
        place = next(counter)
        yield text[done : marker.start()]
        yield pictures[int(marker[1]) - 1 if marker[1] else place]
        done = marker.end()
    yield text[done:]
