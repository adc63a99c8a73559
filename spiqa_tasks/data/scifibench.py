"""SciFIBench: figure -> caption (one picture, five captions) and caption -> figure (one caption, five pictures)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from spiqa_tasks.data.ablation import Ablation, ablated_pictures
from spiqa_tasks.data.choices import Row, check_answer
from spiqa_tasks.data.parquet import read_rows
from spiqa_tasks.data.pictures import check_pictures, encoded, write_pictures
from spiqa_tasks.data.source import SCIFIBENCH, Source, fingerprint
from spiqa_tasks.errors import DataError
from spiqa_tasks.settings import settings_text

SPLITS = {
    "cs_fig2cap": ("CS_Figure2Caption",),
    "cs_cap2fig": ("CS_Caption2Figure",),
    "general_fig2cap": ("General_Figure2Caption",),
    "general_cap2fig": ("General_Caption2Figure",),
    "demo": ("CS_Figure2Caption", "CS_Caption2Figure"),
}
COLUMNS = ("ID", "Question", "Options", "Answer", "Category", "Images")


@dataclass(frozen=True)
class SciFIBenchSettings:
    """What a SciFIBench task shows.

    Attributes:
        prompt: `letter` is appendix G.1; `reasoning` is I.2, which drops the sentence that asks for a letter only.
        ablation: `grey` shows grey pictures of the same size, `text` no picture.
    """

    prompt: Literal["letter", "reasoning"] = "letter"
    ablation: Ablation = "none"


def load(source: Source, split: str, settings: SciFIBenchSettings) -> list[Row]:
    """One row per question of `split`, in the order of the file.

    Raises:
        DataError: a file is missing, unreadable or lacks a column; a picture that cannot be decoded.
    """
    rows: list[Row] = []
    for name in SPLITS[split]:
        paths = source.files(SCIFIBENCH, f"data/{name}-*.parquet")
        data = fingerprint(paths)
        records = read_rows(paths, COLUMNS)
        pictures = _pictures(name, data, records, settings.ablation)
        for record, images in zip(records, pictures, strict=True):
            rows.append(_row(name, record, images, split, settings, data))
    return rows


def _pictures(name: str, data: str, records: Sequence[dict[str, Any]], ablation: Ablation) -> list[list[str]]:
    """The paths of each row's pictures; empty lists where none is shown."""
    if ablation == "text":
        return [[] for _ in records]
    named = [
        (f"{record['ID']}-{position}", encoded(cell, f"row {record['ID']} of {name}"))
        for record in records
        for position, cell in enumerate(record["Images"] or [])
    ]
    paths = write_pictures(f"scifibench-{name}-{data}", named)
    check_pictures(paths)
    shown = iter(ablated_pictures(paths, ablation))
    return [[next(shown) for _ in record["Images"] or []] for record in records]


def _row(
    name: str, record: dict[str, Any], images: list[str], split: str, settings: SciFIBenchSettings, data: str
) -> Row:
    row_id = str(record["ID"])
    options = _options(row_id, record["Options"] or [])
    to_figure = name.endswith("Caption2Figure")
    expected = len(options) if to_figure else 1
    if len(record["Images"] or []) != expected:
        raise DataError(
            f"Expected question {row_id} of {name} to have {expected} pictures, found {len(record['Images'] or [])}. "
            "Fetch the file again."
        )
    if not record["Question"]:
        raise DataError(f"Expected question {row_id} of {name} to have a text, found none. Fetch the file again.")
    return {
        "id": row_id,
        "question": _caption(record["Question"]) if to_figure else record["Question"],
        "letters": list(options),
        "options": [""] * len(options) if to_figure else list(options.values()),
        "answer": check_answer(row_id, record["Answer"], list(options)),
        "images": images,
        "category": record["Category"],
        "subcategory": "cap2fig" if to_figure else "fig2cap",
        "benchmark": "scifibench",
        "split": split,
        "prompt": settings.prompt,
        "settings": settings_text(settings),
        "data": data,
    }


def _caption(question: str) -> str:
    """The caption of a caption -> figure question, which the release writes as `Caption: ... Which image ...?`."""
    return (
        re.sub(r"\s*Which (?:image|figure) best matches the caption\?\s*$", "", question)
        .removeprefix("Caption:")
        .strip()
    )


def _options(row_id: str, options: Sequence[str]) -> dict[str, str]:
    """Letter -> text of options such as `A)  caption`."""
    read: dict[str, str] = {}
    for option in options:
        match = re.fullmatch(r"([A-Z])\)?\s*(.*)", option, flags=re.DOTALL)
        if match is None:
            raise DataError(f"Expected the options of question {row_id} as 'A) text', found {option!r}.")
        read[match.group(1)] = match.group(2)
    if len(read) < 2 or len(read) != len(options):
        raise DataError(f"Expected question {row_id} to have options with letters of their own, found {list(options)}.")
    return read
