"""SPIQA: one row per question of a split (paper section 3).

A row is {id, paper_id, question, answer, figures: [{path, file, caption, group,
group_released}] in the order shown, referred: indices of `figures`, group, group_released, full_text, no_text:
whether the paper has no text (None if texts were not read), question_id, step, documents, benchmark, split, settings,
data}. The setting `perfigure` has `documents` rows per question: one per figure and `step`.
"""

import dataclasses
import gc
import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spiqa_tasks.benchmarks.spiqa.formats import READERS, Paper
from spiqa_tasks.benchmarks.spiqa.settings import SMALL, Shown, SpiqaSettings, questions_shown, rows_table
from spiqa_tasks.errors import DataError
from spiqa_tasks.files.archives import is_unsafe, packed_pictures, picture_folder
from spiqa_tasks.files.json_text import entries
from spiqa_tasks.files.pictures import check_pictures
from spiqa_tasks.files.source import SPIQA, Repository, Source, fingerprint
from spiqa_tasks.printable import counted

logger = logging.getLogger("spiqa_tasks")


@dataclass(frozen=True)
class Split:
    """Files and annotation format of a split.

    `packed` pictures are extracted when first shown, not before the run: the train split has 270,000 in 25 GB.
    """

    annotations: str
    pictures: str
    annotation_format: str
    packed: bool = False

    @property
    def small_pictures(self) -> str | None:
        """The archive of 224px pictures, released for the test splits only, or None."""
        return None if self.pictures.startswith("train_val") else self.pictures.replace(".zip", "_224px.zip")


SPLITS = {
    "testA": Split("test-A/SPIQA_testA.json", "test-A/SPIQA_testA_Images.zip", "A"),
    "testB": Split("test-B/SPIQA_testB.json", "test-B/SPIQA_testB_Images.zip", "B"),
    "testC": Split("test-C/SPIQA_testC.json", "test-C/SPIQA_testC_Images.zip", "C"),
    "val": Split("train_val/SPIQA_val.json", "train_val/SPIQA_train_val_Images.zip", "A"),
    "train": Split("train_val/SPIQA_train.json", "train_val/SPIQA_train_val_Images.zip", "A", packed=True),
}
SPLITS["demo"] = SPLITS["testA"]
PARAGRAPHS = "SPIQA_train_val_test-A_extracted_paragraphs.zip"


def load(source: Source, split: str, settings: SpiqaSettings) -> Any:
    """Return a pyarrow table with one row per question of `split` (per question, figure and prompt for `perfigure`).

    Raises DataError: files missing, unreadable or not in the release's format; a figure that cannot be read.
    """
    files = SPLITS[split]
    annotations = source.files(SPIQA, files.annotations)[0]
    was_collecting = gc.isenabled()
    gc.disable()  # it would scan the millions of objects of the train split again and again
    try:
        papers = answered(read_papers(annotations, files.annotation_format), annotations)
        if settings.setting == "fullpaper":
            papers = with_text(source, papers)
        questions = questions_shown(papers, settings)
        paths = _picture_paths(source, files, questions, settings)
        return rows_table(questions, paths, settings, split, fingerprint([annotations]))
    finally:
        if was_collecting:
            gc.enable()


def files_of(split: str, settings: SpiqaSettings) -> list[tuple[Repository, str]]:
    """Return the (repository, pattern) pairs that a task reads; an extracted folder may replace an archive."""
    files = SPLITS[split]
    patterns = [files.annotations]
    if settings.shows_pictures:
        small = files.small_pictures if settings.resolution == SMALL else None
        patterns.append(small or files.pictures)
    if settings.setting == "fullpaper" and files.annotation_format == "A":
        patterns.append(PARAGRAPHS)
    return [(SPIQA, pattern) for pattern in patterns]


def figures_of(source: Source, split: str) -> dict[str, frozenset[str]]:
    """Return paper id -> files of its figures; raises as `load`."""
    files = SPLITS[split]
    papers = read_papers(source.files(SPIQA, files.annotations)[0], files.annotation_format)
    return {paper.paper_id: frozenset(paper.figures) for paper in papers}


def read_papers(path: Path, annotation_format: str) -> list[Paper]:
    """Return the papers of an annotation file, the last of a repeated id; raises as `each_paper`."""
    return list({paper.paper_id: paper for paper, _ in each_paper(path, annotation_format)}.values())


def each_paper(path: Path, annotation_format: str) -> Iterator[tuple[Paper, Mapping[str, Any]]]:
    """Yield (paper, released JSON) of an annotation file; only one paper is in memory.

    Raises DataError: not JSON, no papers, or a paper that lacks a field of its format.
    """
    paper_id = None
    try:
        for paper_id, released in entries(path):
            yield READERS[annotation_format](paper_id, released), released
        if paper_id is None:
            raise ValueError("no paper")
    except (KeyError, TypeError, AttributeError, ValueError, OSError, RecursionError) as error:
        raise DataError(
            f"Expected {path} to map paper ids to papers in the JSON format of test-{annotation_format}, found "
            f"{type(error).__name__} {error} at {paper_id or 'its start'}. Fetch it again, or name the right split."
        ) from error


def answered(papers: Sequence[Paper], path: Path) -> list[Paper]:
    """Return the papers without unanswered questions, whose ids are logged. Raises DataError if no question is left."""
    names = [f"{paper.paper_id}/{item.position}" for paper in papers for item in paper.questions if not item.answer]
    if names:
        found = counted(len(names), "question has", "questions have")
        logger.warning("%s no answer in %s, left out: %s", found, path, ", ".join(names))
    kept = [
        dataclasses.replace(paper, questions=tuple(question for question in paper.questions if question.answer))
        for paper in papers
    ]
    if not any(paper.questions for paper in kept):
        raise DataError(f"Expected questions in {path}, found none in its {len(papers)} papers. Fetch the file again.")
    return kept


def with_text(source: Source, papers: Sequence[Paper]) -> list[Paper]:
    """Return the papers with their full text, which is in a separate archive for A, val and train.

    Questions of papers without a text are asked without, as in the released scripts; their number is logged.

    Raises DataError: the archive is missing or has no text of these papers.
    """
    names = {f"{paper.paper_id}.txt" for paper in papers if paper.full_text is None}
    texts: dict[str, str] = {}
    if names:
        folder = picture_folder(source, SPIQA, PARAGRAPHS, sorted(names), some=True)
        paths = [folder / name for name in names if (folder / name).is_file()]
        texts = {path.stem: path.read_text(encoding="utf-8", errors="replace").strip() for path in paths}
    whole = [
        dataclasses.replace(paper, full_text=texts.get(paper.paper_id, "")) if paper.full_text is None else paper
        for paper in papers
    ]
    empty = [paper for paper in whole if not paper.full_text and paper.questions]
    if empty:
        questions = counted(sum(len(paper.questions) for paper in empty), "question is", "questions are")
        ids = ", ".join(paper.paper_id for paper in empty)
        logger.warning("%s asked without a text, which these papers lack: %s", questions, ids)
    return whole


def _picture_paths(
    source: Source, files: Split, questions: Sequence[Shown], settings: SpiqaSettings
) -> Mapping[str, str]:
    """Return member of the archive -> path; {} if no picture is shown."""
    if not settings.shows_pictures:
        return {}
    names = sorted({shown.paper.figures[file].picture for shown in questions for file in shown.files})
    unsafe = [name for name in names if is_unsafe(name)]
    if unsafe:
        raise DataError(f"Expected figure names inside the archive, found {unsafe[0]!r}. Fetch the file again.")
    archive = _picture_archive(source, files, settings)
    if files.packed and source.folder(SPIQA, archive.removesuffix(".zip")) is None:
        return packed_pictures(source.files(SPIQA, archive)[0], names)
    folder = picture_folder(source, SPIQA, archive, names)
    on_disk = [f"{folder}/{name}" for name in names]
    if not files.packed:
        check_pictures(on_disk)
    return dict(zip(names, on_disk, strict=True))


def _picture_archive(source: Source, files: Split, settings: SpiqaSettings) -> str:
    """Return the archive to read: that of small pictures if the settings ask for it and the source has it."""
    small = files.small_pictures
    if settings.resolution == SMALL and small is not None:
        try:
            if source.folder(SPIQA, small.removesuffix(".zip")) is not None or source.files(SPIQA, small):
                return small
        except DataError as error:
            logger.warning("The pictures are resized to 224 pixels here, for want of the release's own: %s", error)
    return files.pictures
