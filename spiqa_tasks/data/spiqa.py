"""SPIQA: the release's three annotation formats become one row per question (paper section 3; DESIGN of the splits).

A row is what every hook gets: {id, paper_id, question, answer, figures: [{path, file, caption, group,
group_released}] in the order shown, referred: positions in `figures`, group, group_released, full_text, split,
settings, data}.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from spiqa_tasks.data.ablation import Ablation, ablated_pictures
from spiqa_tasks.data.archives import is_unsafe, picture_folder
from spiqa_tasks.data.pictures import check_pictures
from spiqa_tasks.data.source import SPIQA, Source, fingerprint
from spiqa_tasks.data.spiqa_formats import READERS, Paper
from spiqa_tasks.errors import DataError
from spiqa_tasks.settings import settings_text

Row = dict[str, Any]


@dataclass(frozen=True)
class Split:
    """Where a split's files are and which of the three annotation formats it has."""

    annotations: str
    pictures: str
    annotation_format: Literal["A", "B", "C"]


SPLITS = {
    "testA": Split("test-A/SPIQA_testA.json", "test-A/SPIQA_testA_Images.zip", "A"),
    "testB": Split("test-B/SPIQA_testB.json", "test-B/SPIQA_testB_Images.zip", "B"),
    "testC": Split("test-C/SPIQA_testC.json", "test-C/SPIQA_testC_Images.zip", "C"),
    "val": Split("train_val/SPIQA_val.json", "train_val/SPIQA_train_val_Images.zip", "A"),
    "train": Split("train_val/SPIQA_train.json", "train_val/SPIQA_train_val_Images.zip", "A"),
}
SPLITS["demo"] = SPLITS["testA"]
PARAGRAPHS = "SPIQA_train_val_test-A_extracted_paragraphs.zip"


@dataclass(frozen=True)
class SpiqaSettings:
    """What a SPIQA task shows.

    Attributes:
        setting: the paper's task (section 3.1) or ablation (section 5.3).
        max_figures: at most so many figures a question; 0 means all of the paper's.
        seed: draws another choice and order of the figures.
        ablation: `grey` shows grey pictures of the same size, `text` no picture.
    """

    setting: Literal["direct", "fullpaper", "cot", "nocaption", "captiononly"] = "direct"
    max_figures: int = 8
    seed: int = 0
    ablation: Ablation = "none"

    @property
    def shows_pictures(self) -> bool:
        """Whether the model sees any picture."""
        return self.setting != "captiononly" and self.ablation != "text"


def load(source: Source, split: str, settings: SpiqaSettings) -> list[Row]:
    """One row per question of `split`, in the order of the file.

    Raises:
        DataError: files missing, unreadable or not in the release's format; a figure that cannot be read.
    """
    files = SPLITS[split]
    annotations = source.files(SPIQA, files.annotations)[0]
    papers = read_papers(annotations, files.annotation_format)
    data = fingerprint([annotations])
    if settings.setting == "fullpaper":
        papers = with_text(source, papers)
    rows = [_row(paper, position, split, settings, data) for paper, position in _questions(papers)]
    return _with_pictures(source, files.pictures, rows, settings)


def read_papers(path: Path, annotation_format: Literal["A", "B", "C"]) -> list[Paper]:
    """The papers of an annotation file.

    Raises:
        DataError: not JSON, or a paper that lacks a field of its format.
    """
    try:
        content = json.loads(path.read_bytes())
    except (ValueError, OSError) as error:
        raise DataError(f"Expected {path} to be a JSON file, found {error}. Fetch it again.") from error
    if not isinstance(content, dict) or not content:
        raise DataError(f"Expected {path} to map paper ids to papers, found {type(content).__name__}. Fetch it again.")
    reader = READERS[annotation_format]
    papers = []
    for paper_id, paper in content.items():
        try:
            papers.append(reader(paper_id, paper))
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise DataError(
                f"Expected paper {paper_id} of {path} in the format of test-{annotation_format}, "
                f"found {type(error).__name__} {error}. Fetch the file again, or name the right split."
            ) from error
    return papers


def choose_figures(files: Sequence[str], referred: Sequence[str], question_id: str, limit: int, seed: int) -> list[str]:
    """The figures to show, in order: the referred ones and randomly chosen others, shuffled (paper section 5.1).

    Depends on the question's identity and `seed` alone, never on process, limit or order of evaluation.

    Args:
        files: all figures of the paper.
        referred: those that the answer needs; kept first when they alone exceed `limit`.
        question_id: the row's id.
        limit: at most so many; 0 means all.
        seed: 0 is the default order; other seeds draw others.
    """
    generator = random.Random(f"{question_id}#{seed}")
    needed = list(dict.fromkeys(referred))
    others = [file for file in files if file not in needed]
    if limit:
        needed = needed[:limit]
        others = generator.sample(others, min(len(others), limit - len(needed)))
    shown = needed + others
    generator.shuffle(shown)
    return shown


def with_text(source: Source, papers: Sequence[Paper]) -> list[Paper]:
    """The papers with their full text, which A, val and train keep in an archive of its own.

    Raises:
        DataError: a paper whose text is missing or empty.
    """
    absent = {f"{paper.paper_id}.txt" for paper in papers if not paper.full_text}
    texts: dict[str, str] = {}
    if absent:
        folder = picture_folder(source, SPIQA, PARAGRAPHS, sorted(absent))
        texts = {name: (folder / name).read_text(encoding="utf-8", errors="replace").strip() for name in absent}
    whole = [paper.with_text(paper.full_text or texts[f"{paper.paper_id}.txt"]) for paper in papers]
    empty = [paper.paper_id for paper in whole if not paper.full_text]
    if empty:
        raise DataError(
            f"Expected the full text of every paper, found {len(empty)} papers without any, the first is {empty[0]}. "
            f"Fetch {PARAGRAPHS} again, or run the task without _fullpaper."
        )
    return whole


def _questions(papers: Sequence[Paper]) -> Iterator[tuple[Paper, int]]:
    return ((paper, position) for paper in papers for position in range(len(paper.questions)))


def _row(paper: Paper, position: int, split: str, settings: SpiqaSettings, data: str) -> Row:
    question = paper.questions[position]
    row_id = f"{paper.paper_id}/{position}"
    shown = choose_figures(list(paper.figures), question.referred, row_id, settings.max_figures, settings.seed)
    figures = [{"path": paper.figures[file].picture, **paper.figures[file].row()} for file in shown]
    first = paper.figures[question.referred[0]].row()
    return {
        "id": row_id,
        "paper_id": paper.paper_id,
        "question": question.question,
        "answer": question.answer,
        "figures": figures,
        "referred": [index for index, file in enumerate(shown) if file in question.referred],
        "group": first["group"],
        "group_released": first["group_released"],
        "full_text": paper.full_text if settings.setting == "fullpaper" else "",
        "split": split,
        "settings": settings_text(settings),
        "data": data,
    }


def _with_pictures(source: Source, archive: str, rows: list[Row], settings: SpiqaSettings) -> list[Row]:
    """Turn every figure's path within the archive into a path on disk; empty where no picture is shown."""
    names = sorted({figure["path"] for row in rows for figure in row["figures"]}) if settings.shows_pictures else []
    paths: Mapping[str, str] = {}
    if names:
        unsafe = [name for name in names if is_unsafe(name)]
        if unsafe:
            raise DataError(f"Expected figure names inside the archive, found {unsafe[0]!r}. Fetch the file again.")
        folder = picture_folder(source, SPIQA, archive, names)
        on_disk = [str(folder / name) for name in names]
        check_pictures(on_disk)
        paths = dict(zip(names, ablated_pictures(on_disk, settings.ablation), strict=True))
    for row in rows:
        for figure in row["figures"]:
            figure["path"] = paths.get(figure["path"], "")
    return rows
