"""SciFIBench's release files: one `ChoiceQuestion` per row, its figures written to the cache."""

import hashlib
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from spiqa_tasks.benchmarks.choice import check_answer
from spiqa_tasks.errors import DataError
from spiqa_tasks.files.pictures import check_pictures, encoded, write_pictures
from spiqa_tasks.files.records import read_rows

COLUMNS = ("ID", "Question", "Options", "Answer", "Category", "Images")


class OptionFigure(NamedTuple):
    """A figure: sha256 of its encoded bytes, and its file or "" if it is not shown."""

    digest: str
    path: str


@dataclass(frozen=True)
class ChoiceQuestion:
    """A question with its options in the order shown.

    Attributes:
        file: name of the release file, such as `CS_Figure2Caption`; unique together with `id`.
        asked, text: the released question; of it the question (figure -> caption) or the caption (caption -> figure).
        options: parallel to `letters`: captions, or "" if the options are figures.
        figures: one, or one per letter.
    """

    file: str
    id: str
    asked: str
    text: str
    letters: tuple[str, ...]
    options: tuple[str, ...]
    answer: str
    category: str
    figures: tuple[OptionFigure, ...]

    @property
    def to_figure(self) -> bool:
        """Whether the options are figures."""
        return self.file.endswith("Caption2Figure")

    @property
    def position(self) -> int:
        """The index of the answer among the options, from 0."""
        return self.letters.index(self.answer)

    @property
    def caption(self) -> str:
        """The true caption."""
        return self.text if self.to_figure else self.options[self.position]

    @property
    def figure(self) -> OptionFigure:
        """The true figure."""
        return self.figures[self.position if self.to_figure else 0]

    def generator(self, purpose: str, seed: int) -> random.Random:
        """Return a generator seeded by the question's identity, so that draws do not depend on other questions."""
        return random.Random(f"{purpose}#{seed}#{self.file}/{self.id}")

    def content(self) -> set[str]:
        """Return the normalised captions and figure digests of the question, to compare questions by."""
        captions = {self.text} if self.to_figure else set(self.options)
        return {plain(caption) for caption in captions} | {figure.digest for figure in self.figures}


def plain(caption: str) -> str:
    """Return a caption without case, spacing and final full stop: near-duplicates compare equal."""
    return " ".join(caption.casefold().split()).rstrip(" .")


def read_questions(
    paths: Sequence[Path], file: str, data: str, with_files: bool
) -> list[ChoiceQuestion]:
    """Return the questions of a release file, in order; `with_files`: figures are written to the cache and checked.

    Raises DataError: a file that cannot be read, a row that is not complete, a picture that cannot be decoded.
    """
    records = read_rows(paths, COLUMNS)
    named = [
        (f"{record['ID']}-{position}", encoded(cell, f"row {record['ID']} of {file}"))
        for record in records
        for position, cell in enumerate(record["Images"] or [])
    ]
    stored = [""] * len(named)
    if with_files:
        stored = write_pictures(f"scifibench-{file}-{data}", named)
        check_pictures(stored)
    digests = (hashlib.sha256(content).hexdigest() for _, content in named)
    figures = iter(
        [OptionFigure(digest, path) for digest, path in zip(digests, stored, strict=True)]
    )
    return [
        _question(file, record, tuple(next(figures) for _ in record["Images"] or []))
        for record in records
    ]


def _question(
    file: str, record: dict[str, Any], figures: tuple[OptionFigure, ...]
) -> ChoiceQuestion:
    row_id, asked = str(record["ID"]), record["Question"]
    to_figure = file.endswith("Caption2Figure")
    labelled = [
        re.fullmatch(r"([A-Z])\)?\s*(.*)", option, flags=re.DOTALL)
        for option in record["Options"] or []
    ]
    options = {match[1]: match[2] for match in labelled if match is not None}
    is_whole = len(figures) == (len(options) if to_figure else 1) and 2 <= len(options) == len(
        labelled
    )
    if not asked or not is_whole:
        raise DataError(
            f"Expected question {row_id} of {file} to have a text, options such as 'A) text' and their pictures; found "
            f"{asked!r}, {record['Options']} and {len(figures)} pictures. Fetch the file again."
        )
    caption = re.sub(
        r"\s*Which (?:image|figure) best matches the caption\?\s*$", "", asked
    ).removeprefix("Caption:")
    return ChoiceQuestion(
        file=file,
        id=row_id,
        asked=asked,
        text=caption.strip() if to_figure else asked,
        letters=tuple(options),
        options=("",) * len(options) if to_figure else tuple(options.values()),
        answer=check_answer(row_id, record["Answer"], list(options)),
        category=record["Category"],
        figures=figures,
    )
