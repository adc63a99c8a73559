"""The prompt of a row: its template filled in, the pictures in their places, solved questions as turns before it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from spiqa_tasks.benchmarks.own.definition import Definition
from spiqa_tasks.benchmarks.own.templates import IMAGES, fields_of
from spiqa_tasks.benchmarks.prompting import Part, Picture, Turn
from spiqa_tasks.files.image_ablation import Ablation, ablated_pictures

Row = Mapping[str, Any]
MARKER = re.compile(r"<image(?:[ _]?(\d{1,2}))?>")
"""Where a question's or an option's text has a picture: `<image>`, `<image1>`, `<image 1>`, `<image_1>`."""


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


def template(definition: Definition) -> str:
    """Return the wording that the prompts are made with, for the signature."""
    return "".join(definition.prompt.values())


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
