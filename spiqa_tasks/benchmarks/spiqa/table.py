"""SPIQA's rows as a columnar table: the train split's 2.1 million figures are taken by index, not copied."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from spiqa_tasks.benchmarks.settings import settings_text
from spiqa_tasks.benchmarks.spiqa.formats import Paper, Question
from spiqa_tasks.benchmarks.spiqa.settings import SpiqaSettings

STEPS = ("helpful", "answer")
"""The two prompts of a figure that is shown alone (released open-model scripts)."""

FIGURE_FIELDS = ("path", "file", "caption", "group", "group_released")
ROW_FIELDS = (
    *("id", "paper_id", "question", "answer", "group", "group_released", "full_text", "question_id"),
    *("no_text", "referred", "step", "documents"),
)
_BATCH = 2000
"""Questions per record batch: their Python objects are freed before the next batch, which bounds memory on train."""


class Shown(NamedTuple):
    """A question of a paper and the files of the figures shown with it, in order."""

    paper: Paper
    question: Question
    files: list[str]

    @property
    def question_id(self) -> str:
        """Paper id and position from 0."""
        return f"{self.paper.paper_id}/{self.question.position}"


def choose_figures(files: Sequence[str], referred: Sequence[str], question_id: str, limit: int, seed: int) -> list[str]:
    """Return the figures to show, in order: the referred ones and randomly chosen others, shuffled (paper section 5.1).

    Depends on the question's identity and `seed` alone, never on process, limit or order of evaluation.

    Args:
        referred: the figures that the answer needs; the first `limit` of them if there are more.
        limit: maximum number of figures; 0 means all.
    """
    needed = list(dict.fromkeys(referred))
    others = [file for file in files if file not in needed]
    if limit and len(needed) + len(others) > limit:
        needed = needed[:limit]
        others = _shuffled(others, f"{question_id}#{seed}#choice")[: limit - len(needed)]
    return _shuffled(needed + others, f"{question_id}#{seed}#order")


def _shuffled(files: Sequence[str], key: str) -> list[str]:
    """Return the files shuffled by `key` alone: by SHAKE-256, as `random` may change between versions of Python."""
    digest = hashlib.shake_256(key.encode()).digest(8 * len(files))
    ranks = iter(struct.unpack(f">{len(files)}Q", digest))
    return sorted(files, key=lambda _: next(ranks))


def questions_shown(papers: Sequence[Paper], settings: SpiqaSettings) -> list[Shown]:
    """Return every question with its shown figures, in the order of the file."""
    result = []
    for paper in papers:
        files = list(paper.figures)
        for question in paper.questions:
            among = files if settings.figures == "all" else [file for file in files if file in question.referred]
            question_id = f"{paper.paper_id}/{question.position}"
            shown = choose_figures(among, question.referred, question_id, settings.max_figures, settings.seed)
            result.append(Shown(paper, question, shown))
    return result


def rows_table(
    questions: Sequence[Shown], paths: Mapping[str, str], settings: SpiqaSettings, split: str, data: str
) -> Any:
    """Return a table with one row per question (`perfigure`: per question, figure and prompt).

    Args:
        paths: member of the archive -> path; absent members become "".
    """
    import pyarrow

    batches = [
        _batch(questions[start : start + _BATCH], paths, settings, {"benchmark": "spiqa", "split": split, "data": data})
        for start in range(0, len(questions), _BATCH)
    ]
    return pyarrow.concat_tables(batches)


def _batch(
    questions: Sequence[Shown], paths: Mapping[str, str], settings: SpiqaSettings, constants: Mapping[str, str]
) -> Any:
    import pyarrow

    figures: list[tuple[str, ...]] = []
    places: dict[str, dict[str, int]] = {}
    rows: list[tuple[Any, ...]] = []
    taken: list[int] = []
    offsets = [0]
    for shown in questions:
        paper = shown.paper
        if paper.paper_id not in places:
            places[paper.paper_id] = {file: len(figures) + index for index, file in enumerate(paper.figures)}
            figures += [
                (paths.get(figure.picture, ""), figure.file, figure.caption, figure.group, figure.group_released)
                for figure in paper.figures.values()
            ]
        place = places[paper.paper_id]
        for row, files in _documents(shown, settings):
            rows.append(row)
            taken += [place[file] for file in files]
            offsets.append(len(taken))
    types = {"referred": pyarrow.list_(pyarrow.int64()), "no_text": pyarrow.bool_()}
    columns = zip(ROW_FIELDS, zip(*rows, strict=True), strict=True)
    arrays = {name: pyarrow.array(values, type=types.get(name)) for name, values in columns}
    structs = pyarrow.StructArray.from_arrays(
        [pyarrow.array(values) for values in zip(*figures, strict=True)], FIGURE_FIELDS
    )
    arrays["figures"] = pyarrow.ListArray.from_arrays(offsets, structs.take(pyarrow.array(taken)))
    same = {**constants, "settings": settings_text(settings)}
    arrays |= {name: pyarrow.repeat(value, len(rows)) for name, value in same.items()}
    return pyarrow.table(arrays)


def _documents(shown: Shown, settings: SpiqaSettings) -> Iterator[tuple[tuple[Any, ...], list[str]]]:
    """Yield (row in the order of `ROW_FIELDS`, files of its figures) of a question."""
    paper, question = shown.paper, shown.question
    first = paper.figures[question.referred[0]]
    text = paper.full_text or "" if settings.setting == "fullpaper" else ""
    no_text = None if paper.full_text is None else not paper.full_text
    question_id = shown.question_id
    about = (paper.paper_id, question.question, question.answer, first.group, first.group_released)
    same = (*about, text, question_id, no_text)
    if settings.setting != "perfigure":
        referred = [index for index, file in enumerate(shown.files) if file in question.referred]
        yield (question_id, *same, referred, "", 1), shown.files
        return
    for index, file in enumerate(shown.files):
        referred = [0] if file in question.referred else []
        for step in STEPS:
            yield (f"{question_id}/{index}/{step}", *same, referred, step, len(STEPS) * len(shown.files)), [file]
