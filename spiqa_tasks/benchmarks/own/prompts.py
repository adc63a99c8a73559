"""The prompt of a row: its template filled in, pictures at their markers, solved questions as turns before it.

A template has `{question}`, `{options}`, `{images}` and `{any column}`, in the syntax of `str.format`.
"""

from __future__ import annotations

import itertools
import re
import string
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from spiqa_tasks.benchmarks.prompting import Part, Picture, Turn
from spiqa_tasks.errors import InputError
from spiqa_tasks.files.pictures import Ablation, ablated_pictures

if TYPE_CHECKING:
    from spiqa_tasks.benchmarks.own.definition import Definition

Row = Mapping[str, Any]
MARKER = re.compile(r"<image(?:[ _]?(\d{1,2}))?>|<img=\"[^\"]*\">")
"""Position of a picture in a question or option: `<image>`, `<image1>`, `<image 1>`, `<image_1>`, `<img="a.png">`."""
_FIELD = re.compile(r"\{([^{}:]+)(?::(0\d{1,2})d)?\}")
_MARKED = ("question", "options")
IMAGES = "images"
PARTS = (*_MARKED, IMAGES)
ONE_LETTER = "Answer with the option's letter from the given choices directly."
SEVERAL_LETTERS = "Answer with the letters of all right options, separated by commas, directly."
TEMPLATES = {
    "choice": f"{{images}}{{question}}\n{{options}}\n{ONE_LETTER}",
    "listed": f"{{images}}{{question}}\n{ONE_LETTER}",
    "open": "{images}{question}\nAnswer the question with a word, a number or a short phrase.",
}
"""Default prompts; `listed` is for questions whose text has the options."""


def prompt(
    definition: Definition, row: Row, shots: Sequence[Row], ablation: Ablation
) -> list[Part]:
    """Return the prompt of a row; each of `shots` (solved questions) becomes a user and an assistant turn."""
    parts: list[Part] = []
    for shot in shots:
        parts += [
            Turn("user"),
            *_question(definition, shot, ablation),
            Turn("assistant"),
            shot["answer"],
        ]
    return [*parts, *([Turn("user")] if shots else []), *_question(definition, row, ablation)]


def fields_of(template: str, where: str) -> list[tuple[str, str | None]]:
    """Return (text, field behind it or None) of a template; InputError: unbalanced braces, a field without a name."""
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
    """Return a path of pictures with its columns filled in; `{id:012d}` has twelve digits: ValueError for no number."""

    def filled(field: re.Match[str]) -> str:
        name, form = field.groups()
        return f"{int(str(values[name])):{form}d}" if form else str(values[name])

    return _FIELD.sub(filled, path)


def _question(definition: Definition, row: Row, ablation: Ablation) -> list[Part]:
    listed = [
        f"{letter}. {text}" for letter, text in zip(row["letters"], row["options"], strict=True)
    ]
    options = "" if definition.columns.in_question else "\n".join(listed)
    texts = {**row["fields"], "question": row["question"], "options": options}
    pictures = [Picture(path) for path in ablated_pictures(row["images"], ablation)]
    if definition.columns.images and not pictures:
        texts |= {name: MARKER.sub("", texts[name]).strip() for name in _MARKED}
    marked = [texts[name] for name in _MARKED]
    filled: dict[str, list[Part]] = {name: [text] for name, text in texts.items()}
    template = fields_of(definition.prompts["choice" if listed else "open"], definition.benchmark)
    others = pictures
    if 0 < max(_numbers(marked), default=0) <= len(pictures):  # else not every marker has a picture
        placed = set(_numbers(marked))
        others = [picture for number, picture in enumerate(pictures, 1) if number not in placed]
        counter = itertools.count(1)
        for name in dict.fromkeys(field for _, field in template if field in _MARKED):
            first, *rest = MARKER.split(texts[name])
            filled[name] = [first]
            for number, text in zip(rest[::2], rest[1::2], strict=True):
                place = next(counter)
                filled[name] += [pictures[int(number or place) - 1], text]
    filled[IMAGES] = [*others, "\n"] if others else []
    parts = [part for text, field in template for part in (text, *(filled[field] if field else ()))]
    return [part for part in parts if part != ""]


def _numbers(texts: Sequence[str]) -> list[int]:
    """The numbers of the pictures that markers stand for, from 1; those without a number count on."""
    found = [marker for text in texts for marker in MARKER.finditer(text)]
    return [int(marker[1]) if marker[1] else place for place, marker in enumerate(found, 1)]
