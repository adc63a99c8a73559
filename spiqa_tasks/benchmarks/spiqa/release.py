"""SPIQA: the settings of its tasks, and one row per question of a split (paper section 3).

A row is {id, paper_id, question, answer, figures: [{path, file, caption}] in the order shown,
referred: indices of `figures`, figure_type, figure_type_released, full_text, question_id, step,
documents, benchmark, split, settings, data}. The setting `perfigure` has `documents` rows per
question: one per figure and `step`.
"""

import hashlib
import logging
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

from spiqa_tasks.benchmarks.benchmark import Row, parse_settings, settings_text
from spiqa_tasks.benchmarks.open_metrics import metric_of
from spiqa_tasks.benchmarks.prompting import Ablation
from spiqa_tasks.benchmarks.spiqa.formats import Paper, Question, Reader, read_a, read_b, read_c
from spiqa_tasks.errors import DataError, InputError, found_instead
from spiqa_tasks.files.archives import archive_folder, is_unsafe, packed_pictures
from spiqa_tasks.files.json_text import entries
from spiqa_tasks.files.pictures import check_pictures
from spiqa_tasks.files.source import SPIQA, Source, fingerprint
from spiqa_tasks.printable import counted

logger = logging.getLogger("spiqa_tasks")

# The resolution of the release's archives of small pictures.
SMALL = "224px"

# The two prompts of a figure that is shown alone (released open-model scripts).
STEPS = ("helpful", "answer")


@dataclass(frozen=True)
class SpiqaSettings:
    """Settings of a SPIQA task: the keys of its `dataset_name`.

    Attributes:
        setting: the paper's task (section 3.1), ablation (section 5.3), or one figure a turn
            (section 5.1).
        max_figures: maximum of figures per question; 0 means all.
        seed: seed of the choice and order of the figures.
        resolution: `full` is as released; `224px` the release's 224px archive, or squares where a
            split has none (section 5.1, Figure B.1); a number N squares of N pixels, bicubic as in
            the scripts of the open models (Gemini's are bilinear, those of the other closed models
            show figures as they are).
        ablation: `grey` shows grey pictures of the same size, `text` no picture.
        protocol: `corrected` follows the paper; `both` has the released scripts' metrics beside
            it, named `..._released`, for up to twice the judge calls.
        figures: `all` figures of the paper, or the `referred` ones only, as the released open-model
            scripts show.
        rule: the judge's rule, whose metric is the headline, one in `judge.rules.METRIC_OF`.
    """

    setting: Literal["direct", "fullpaper", "cot", "nocaption", "captiononly", "perfigure"] = (
        "direct"
    )
    max_figures: int = 8
    seed: int = 0
    resolution: str = "full"
    ablation: Ablation = "none"
    protocol: Literal["corrected", "both"] = "corrected"
    figures: Literal["all", "referred"] = "all"
    rule: str = "l3score"

    def __post_init__(self) -> None:
        metric_of(self.rule)  # raises for an unknown rule
        is_side = self.resolution.isdecimal() and int(self.resolution) > 0
        if self.resolution not in ("full", SMALL) and not is_side:
            raise InputError(
                f"Expected resolution to be full, {SMALL} or a number of pixels; found"
                f" {self.resolution}."
            )

    @property
    def judged(self) -> str:
        """The name of the judge-scored metric."""
        return metric_of(self.rule)

    @property
    def shows_pictures(self) -> bool:
        """Whether the model sees any picture."""
        return self.setting != "captiononly" and self.ablation != "text"


def settings_of(row: Row) -> SpiqaSettings:
    """Return the settings of a row."""
    settings: SpiqaSettings = parse_settings(SpiqaSettings, row["settings"])
    return settings


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
# Made in the format of test-A.
SPLITS["demo"] = SPLITS["testA"]
# Full texts of test-A, val and train.
PARAGRAPHS = "SPIQA_train_val_test-A_extracted_paragraphs.zip"


def load(source: Source, split: str, settings: SpiqaSettings) -> list[Row]:
    """Return one row per question of `split` (per question, figure and prompt for `perfigure`).

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
    return rows_of(questions, paths, settings, split, fingerprint([annotations]))


def papers_of(source: Source, split: str) -> list[Paper]:
    """Return the papers of a split, unanswered questions included; raises as `load`."""
    files = SPLITS[split]
    return read_papers(source.files(SPIQA, files.annotations)[0], files.read)


def read_papers(path: Path, read: Reader) -> list[Paper]:
    """Return the papers of an annotation file, the last of a repeated id, which is logged.

    Raises DataError: not JSON, no papers, or a paper that lacks a field of its format.
    """
    papers: dict[str, Paper] = {}
    paper_id = None
    try:
        for paper_id, released in entries(path):
            if paper_id in papers:
                logger.warning("%s has the paper %s twice; the last one counts.", path, paper_id)
            papers[paper_id] = read(paper_id, released)
        if not papers:
            raise ValueError("no paper")
    except (KeyError, TypeError, AttributeError, ValueError, OSError, RecursionError) as error:
        raise DataError(
            f"Expected {path} to be the JSON of its split, found {found_instead(error)} at"
            f" {paper_id or 'its start'}. Fetch it again, or name the right split."
        ) from error
    return list(papers.values())


def answered(papers: Sequence[Paper], path: Path) -> list[Paper]:
    """Return the papers without unanswered questions, whose ids are logged.

    Raises DataError if no question is left.
    """
    kept = []
    unanswered = []
    for paper in papers:
        unanswered += [item.id for item in paper.questions if not item.answer]
        with_answer = tuple(item for item in paper.questions if item.answer)
        kept.append(replace(paper, questions=with_answer))

    if unanswered:
        number = counted(len(unanswered), "question has", "questions have")
        logger.warning("%s no answer in %s, left out: %s", number, path, ", ".join(unanswered))
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
    if papers[0].full_text is None:  # of a split all papers or none
        names = sorted(f"{paper.paper_id}.txt" for paper in papers)
        folder = archive_folder(source, PARAGRAPHS, names, some=True)
        papers = [_with_text(paper, folder) for paper in papers]

    if lacking := [paper for paper in papers if not paper.full_text and paper.questions]:
        number = sum(len(paper.questions) for paper in lacking)
        questions = counted(number, "question is", "questions are")
        ids = ", ".join(paper.paper_id for paper in lacking)
        logger.warning("%s asked without a text, which these papers lack: %s", questions, ids)
    return list(papers)


def _with_text(paper: Paper, folder: Path) -> Paper:
    """Return the paper with the text in a folder, '' if there is none."""
    file = folder / f"{paper.paper_id}.txt"
    if not file.is_file():
        return replace(paper, full_text="")
    return replace(paper, full_text=file.read_text(encoding="utf-8", errors="replace").strip())


class Shown(NamedTuple):
    """A question of a paper, and the files of the figures shown with it, in order."""

    paper: Paper
    question: Question
    files: list[str]


def questions_shown(papers: Sequence[Paper], settings: SpiqaSettings) -> list[Shown]:
    """Return every question with its shown figures, in the order of the file."""
    result = []
    for paper in papers:
        for question in paper.questions:
            files = list(paper.figures)
            if settings.figures == "referred":
                files = [file for file in files if file in question.referred]
            chosen = choose_figures(
                files, question.referred, question.id, settings.max_figures, settings.seed
            )
            result.append(Shown(paper, question, chosen))
    return result


def choose_figures(
    files: Sequence[str], referred: Sequence[str], question_id: str, limit: int, seed: int
) -> list[str]:
    """Return the figures to show, in order: the referred ones and randomly chosen others, shuffled
    (paper section 5.1).

    Depends on the question's identity and `seed` alone, never on process or order of evaluation.
    `limit` 0 means all; if there are more `referred` ones, the first of them are shown.
    """
    needed = list(dict.fromkeys(referred))
    others = [file for file in files if file not in needed]
    if limit and len(needed) + len(others) > limit:
        needed = needed[:limit]
        others = _shuffled(others, f"{question_id}#{seed}#choice")[: limit - len(needed)]
    return _shuffled(needed + others, f"{question_id}#{seed}#order")


def _shuffled(files: Sequence[str], key: str) -> list[str]:
    """Return the files shuffled by `key` alone: by SHAKE-256, as `random` may change between
    versions of Python.
    """
    digest = hashlib.shake_256(key.encode()).digest(8 * len(files))
    # A number of eight bytes for each file, by which they are sorted.
    ranks = struct.unpack(f">{len(files)}Q", digest)
    return [file for _, file in sorted(zip(ranks, files, strict=True))]


def _picture_paths(
    source: Source, files: Split, questions: Sequence[Shown], settings: SpiqaSettings
) -> Mapping[str, str]:
    """Return member of the archive -> path, of the pictures that are shown."""
    if not settings.shows_pictures:
        return {}

    names = _picture_names(questions)
    archive = files.archive(settings)
    # Nothing to unpack for people who extracted the archive themselves.
    is_extracted = source.extracted(SPIQA, archive) is not None
    if files.packed and not is_extracted:
        return packed_pictures(source.files(SPIQA, archive)[0], names)

    folder = archive_folder(source, archive, names)
    paths = {name: f"{folder}/{name}" for name in names}
    # A broken picture stops the run here, and not hours later; of train that takes too long.
    if not files.packed:
        check_pictures(list(paths.values()))
    return paths


def _picture_names(questions: Sequence[Shown]) -> list[str]:
    """Return the members of the archive that are shown. Raises DataError: a name outside it."""
    names = {shown.paper.figures[file].picture for shown in questions for file in shown.files}
    for name in sorted(names):
        if is_unsafe(name):
            raise DataError(
                f"Expected figure names inside the archive, found {name!r}. Fetch the file again."
            )
    return sorted(names)


def rows_of(
    questions: Sequence[Shown],
    paths: Mapping[str, str],
    settings: SpiqaSettings,
    split: str,
    data: str,
) -> list[Row]:
    """Return a row per question (`perfigure`: per question, figure and prompt).

    `paths`: member of the archive -> path; absent members become "".
    """
    shared = {
        "benchmark": "spiqa",
        "split": split,
        "data": data,
        "settings": settings_text(settings),
    }
    return [row | shared for shown in questions for row in _rows(shown, paths, settings)]


def _rows(
    shown: Shown, paths: Mapping[str, str], settings: SpiqaSettings
) -> Iterator[dict[str, Any]]:
    """Yield the row of a question with the figures that it is shown, or a row per figure."""
    paper, question, files = shown
    first = paper.figures[question.referred[0]]
    figures = []
    for file in files:
        figure = paper.figures[file]
        path = paths.get(figure.picture, "")
        figures.append({"path": path, "file": file, "caption": figure.caption})
    row: dict[str, Any] = {
        "id": question.id,
        "paper_id": paper.paper_id,
        "question": question.question,
        "answer": question.answer,
        "figure_type": first.type,
        "figure_type_released": first.type_released,
        "full_text": (paper.full_text or "") if settings.setting == "fullpaper" else "",
        "question_id": question.id,
        "referred": [index for index, file in enumerate(files) if file in question.referred],
        "step": "",
        "documents": 1,
        "figures": figures,
    }
    if settings.setting == "perfigure":
        yield from _documents(row)
    else:
        yield row


def _documents(row: Row) -> Iterator[dict[str, Any]]:
    """Yield the rows of a question whose figures are shown one by one, with two prompts each."""
    documents = len(STEPS) * len(row["figures"])
    for index, figure in enumerate(row["figures"]):
        alone = {
            "referred": [0] if index in row["referred"] else [],
            "figures": [figure],
            "documents": documents,
        }
        for step in STEPS:
            row_id = f"{row['question_id']}/{index}/{step}"
            yield {**row, **alone, "id": row_id, "step": step}
