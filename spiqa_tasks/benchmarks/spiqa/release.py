"""SPIQA: one row per question of a split (paper section 3).

A row is {id, paper_id, question, answer, figures: [{path, file, caption, group, group_released}] in
the order shown, referred: indices of `figures`, group, group_released, full_text, no_text: whether
the paper has no text (None if texts were not read), question_id, step, documents, benchmark, split,
settings, data}. The setting `perfigure` has `documents` rows per question: one per figure and
`step`.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from spiqa_tasks.benchmarks.spiqa.formats import Paper, Reader, read_a, read_b, read_c
from spiqa_tasks.benchmarks.spiqa.settings import (
    SMALL,
    Shown,
    SpiqaSettings,
    questions_shown,
    rows_table,
)
from spiqa_tasks.errors import DataError
from spiqa_tasks.files.archives import is_unsafe, packed_pictures, picture_folder
from spiqa_tasks.files.json_text import entries
from spiqa_tasks.files.pictures import check_pictures
from spiqa_tasks.files.source import SPIQA, Repository, Source, fingerprint
from spiqa_tasks.printable import counted

logger = logging.getLogger("spiqa_tasks")


@dataclass(frozen=True)
class Split:
    """Files of a split, and the reader of its annotations.

    `packed` pictures are extracted when first shown, not before the run: the train split has
    270,000 in 25 GB.
    """

    annotations: str
    pictures: str
    read: Reader
    packed: bool = False

    def archive(self, settings: SpiqaSettings) -> str:
        """Return the archive of pictures.

        That of 224px pictures is released for the test splits only.
        """
        if settings.resolution != SMALL or self.pictures.startswith("train_val"):
            return self.pictures
        return self.pictures.replace(".zip", "_224px.zip")


SPLITS = {
    "testA": Split("test-A/SPIQA_testA.json", "test-A/SPIQA_testA_Images.zip", read_a),
    "testB": Split("test-B/SPIQA_testB.json", "test-B/SPIQA_testB_Images.zip", read_b),
    "testC": Split("test-C/SPIQA_testC.json", "test-C/SPIQA_testC_Images.zip", read_c),
    "val": Split("train_val/SPIQA_val.json", "train_val/SPIQA_train_val_Images.zip", read_a),
    "train": Split(
        "train_val/SPIQA_train.json", "train_val/SPIQA_train_val_Images.zip", read_a, packed=True
    ),
}
SPLITS["demo"] = SPLITS["testA"]
PARAGRAPHS = "SPIQA_train_val_test-A_extracted_paragraphs.zip"


def load(source: Source, split: str, settings: SpiqaSettings) -> Any:
    """Return a pyarrow table with one row per question of `split` (per question, figure and prompt
    for `perfigure`).

    Raises DataError: files missing, unreadable or not in the release's format; a figure that cannot
    be read.
    """
    files = SPLITS[split]
    annotations = source.files(SPIQA, files.annotations)[0]
    papers = answered(read_papers(annotations, files.read), annotations)
    if settings.setting == "fullpaper":
        papers = with_text(source, papers)
    questions = questions_shown(papers, settings)
    paths = _picture_paths(source, files, questions, settings)
    return rows_table(questions, paths, settings, split, fingerprint([annotations]))


def files_of(split: str, settings: SpiqaSettings) -> list[tuple[Repository, str]]:
    """Return the (repository, pattern) pairs that a task reads.

    An extracted folder may replace an archive.
    """
    files = SPLITS[split]
    patterns = [files.annotations, *([files.archive(settings)] if settings.shows_pictures else [])]
    patterns += [PARAGRAPHS] if settings.setting == "fullpaper" and files.read is read_a else []
    return [(SPIQA, pattern) for pattern in patterns]


def figures_of(source: Source, split: str) -> dict[str, frozenset[str]]:
    """Return paper id -> files of its figures; raises as `load`."""
    return {paper.paper_id: frozenset(paper.figures) for paper in papers_of(source, split)}


def papers_of(source: Source, split: str) -> list[Paper]:
    """Return the papers of a split, with the questions that have no answer; raises as `load`."""
    files = SPLITS[split]
    return read_papers(source.files(SPIQA, files.annotations)[0], files.read)


def read_papers(path: Path, read: Reader) -> list[Paper]:
    """Return the papers of an annotation file, the last of a repeated id.

    Raises DataError: not JSON, no papers, or a paper that lacks a field of its format.
    """
    papers: dict[str, Paper] = {}
    paper_id = None
    try:
        for paper_id, released in entries(path):
            papers[paper_id] = read(paper_id, released)
        if not papers:
            raise ValueError("no paper")
    except (KeyError, TypeError, AttributeError, ValueError, OSError, RecursionError) as error:
        raise DataError(
            f"Expected {path} to map paper ids to papers in the JSON format of its split, found"
            f" {type(error).__name__} {error} at {paper_id or 'its start'}. Fetch it again, or name"
            " the right split."
        ) from error
    return list(papers.values())


def answered(papers: Sequence[Paper], path: Path) -> list[Paper]:
    """Return the papers without unanswered questions, whose ids are logged.

    Raises DataError if no question is left.
    """
    names = [
        f"{paper.paper_id}/{item.position}"
        for paper in papers
        for item in paper.questions
        if not item.answer
    ]
    if names:
        found = counted(len(names), "question has", "questions have")
        logger.warning("%s no answer in %s, left out: %s", found, path, ", ".join(names))
    kept = [
        replace(paper, questions=tuple(item for item in paper.questions if item.answer))
        for paper in papers
    ]
    if not any(paper.questions for paper in kept):
        raise DataError(
            f"Expected questions in {path}, found none in its {len(papers)} papers. Fetch the file"
            " again."
        )
    return kept


def with_text(source: Source, papers: Sequence[Paper]) -> list[Paper]:
    """Return the papers with their full text, which is in a separate archive for A, val and train.

    Questions of papers without a text are asked without, as in the released scripts; their number
    is logged.

    Raises DataError: the archive is missing or has no text of these papers.
    """
    names = sorted(f"{paper.paper_id}.txt" for paper in papers if paper.full_text is None)
    if names:
        folder = picture_folder(source, SPIQA, PARAGRAPHS, names, some=True)
        papers = [_with_text(paper, folder) for paper in papers]

    _warn_of_missing_texts(papers)
    return list(papers)


def _warn_of_missing_texts(papers: Sequence[Paper]) -> None:
    empty = [paper for paper in papers if not paper.full_text and paper.questions]
    if empty:
        number = sum(len(paper.questions) for paper in empty)
        questions = counted(number, "question is", "questions are")
        ids = ", ".join(paper.paper_id for paper in empty)
        logger.warning("%s asked without a text, which these papers lack: %s", questions, ids)


def _with_text(paper: Paper, folder: Path) -> Paper:
    """Return the paper with the text in a folder, '' if there is none."""
    if paper.full_text is not None:
        return paper
    file = folder / f"{paper.paper_id}.txt"
    if not file.is_file():
        return replace(paper, full_text="")
    return replace(paper, full_text=file.read_text(encoding="utf-8", errors="replace").strip())


def _picture_paths(
    source: Source, files: Split, questions: Sequence[Shown], settings: SpiqaSettings
) -> Mapping[str, str]:
    if not settings.shows_pictures:
        return {}

    names = _picture_names(questions)
    archive = files.archive(settings)
    is_extracted = source.folder(SPIQA, archive.removesuffix(".zip")) is not None
    if files.packed and not is_extracted:
        return packed_pictures(source.files(SPIQA, archive)[0], names)

    folder = picture_folder(source, SPIQA, archive, names)
    paths = {name: f"{folder}/{name}" for name in names}
    if not files.packed:
        check_pictures(list(paths.values()))
    return paths


def _picture_names(questions: Sequence[Shown]) -> list[str]:
    """Return the members of the archive that are shown. Raises DataError: a name outside it."""
    names: set[str] = set()
    for shown in questions:
        names |= {shown.paper.figures[file].picture for file in shown.files}
    for name in sorted(names):
        if is_unsafe(name):
            raise DataError(
                f"Expected figure names inside the archive, found {name!r}. Fetch the file again."
            )
    return sorted(names)
