"""SciFIBench's release files: one `ChoiceQuestion` per row, its figures written to the cache."""

import hashlib
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from spiqa_tasks.benchmarks.choice import check_answer, check_unique
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
        asked, text: the released question; of it the question (figure -> caption) or the caption
            (caption -> figure).
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
        """Return a generator seeded by the question's identity, so that draws do not depend on
        other questions.
        """
        return random.Random(f"{purpose}#{seed}#{self.file}/{self.id}")

    def content(self) -> set[str]:
        """Return the normalised captions and figure digests of the question, to compare
        questions by.
        """
        captions = {self.text} if self.to_figure else set(self.options)
        return {plain(caption) for caption in captions} | {figure.digest for figure in self.figures}


def plain(caption: str) -> str:
    """Return a caption without case, spacing and final full stop: near-duplicates compare equal."""
    return " ".join(caption.casefold().split()).rstrip(" .")


def read_questions(
    paths: Sequence[Path], file: str, data: str, with_files: bool
) -> list[ChoiceQuestion]:
    """Return the questions of a release file, in order.

    `with_files`: figures are written to the cache and checked.

    Raises DataError: a file that cannot be read, a row that is not complete, a picture that cannot
    be decoded.
    """
    records = read_rows(paths, COLUMNS)
    named = []
    for record in records:
        for position, cell in enumerate(record["Images"] or []):
            picture = encoded(cell, f"row {record['ID']} of {file}")
            named.append((f"{record['ID']}-{position}", picture))

    stored = [""] * len(named)
    if with_files:
        stored = write_pictures(f"scifibench-{file}-{data}", named)
        check_pictures(stored)
    figures = iter(
        OptionFigure(hashlib.sha256(content).hexdigest(), path)
        for (_, content), path in zip(named, stored, strict=True)
    )

    questions = []
    for record in records:
        of_question = tuple(islice(figures, len(record["Images"] or [])))
        questions.append(_question(file, record, of_question))
    check_unique([question.id for question in questions], file)
    return questions


def _question(
    file: str, record: dict[str, Any], figures: tuple[OptionFigure, ...]
) -> ChoiceQuestion:
    row_id = str(record["ID"])
    asked = record["Question"]
    to_figure = file.endswith("Caption2Figure")
    options = _options(record["Options"] or [])
    needed = len(options) if to_figure else 1
    if not asked or len(options) < 2 or len(figures) != needed:
        raise DataError(
            f"Expected question {row_id} of {file} to have a text, options such as 'A) text' and"
            f" their pictures; found {asked!r}, {record['Options']} and {len(figures)} pictures."
            " Fetch the file again."
        )
    return ChoiceQuestion(
        file=file,
        id=row_id,
        asked=asked,
        text=_caption(asked) if to_figure else asked,
        letters=tuple(options),
        options=("",) * len(options) if to_figure else tuple(options.values()),
        answer=check_answer(row_id, record["Answer"], list(options)),
        category=record["Category"],
        figures=figures,
    )


def _options(released: Sequence[str]) -> dict[str, str]:
    """Return letter -> text of options such as `A) text`.

    {} if one has no letter, or two the same.
    """
    options = {}
    for option in released:
        labelled = re.fullmatch(r"([A-Z])\)?\s*(.*)", option, flags=re.DOTALL)
        if labelled is None:
            return {}
        options[labelled[1]] = labelled[2]
    return options if len(options) == len(released) else {}


def _caption(asked: str) -> str:
    """Return the caption in a question caption -> figure."""
    closing = r"\s*Which (?:image|figure) best matches the caption\?\s*$"
    return re.sub(closing, "", asked).removeprefix("Caption:").strip()
