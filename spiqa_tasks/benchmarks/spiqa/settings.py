"""Settings of SPIQA tasks, and the rows that they make: a columnar table, with the figures shown
in their order.
"""

import hashlib
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from spiqa_tasks.benchmarks.benchmark import parse_settings, settings_text
from spiqa_tasks.benchmarks.open_metrics import metric_of
from spiqa_tasks.benchmarks.spiqa.formats import Figure, Paper, Question
from spiqa_tasks.errors import InputError
from spiqa_tasks.files.pictures import Ablation

# The resolution of the release's archives of small pictures.
SMALL = "224px"

# The two prompts of a figure that is shown alone (released open-model scripts).
STEPS = ("helpful", "answer")

# Questions per record batch: their Python objects are freed before the next batch, which bounds
# memory on train.
_BATCH = 2000


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
        protocol: `corrected` follows the paper; `released` the released scripts, as metrics named
            `..._released`; `both` computes both, for up to twice the judge calls.
        figures: `all` figures of the paper, or the `referred` ones only, as the released open-model
            scripts show (always for `perfigure` with `released`).
        rule: the judge's rule, whose metric is the headline, one in `judge.rules.RULE_OF`.
    """

    setting: Literal["direct", "fullpaper", "cot", "nocaption", "captiononly", "perfigure"] = (
        "direct"
    )
    max_figures: int = 8
    seed: int = 0
    resolution: str = "full"
    ablation: Ablation = "none"
    protocol: Literal["corrected", "released", "both"] = "corrected"
    figures: Literal["all", "referred"] = "all"
    rule: str = "l3score"

    def __post_init__(self) -> None:
        if self.max_figures < 0:
            raise InputError(
                f"Expected max_figures to be 0 (all figures) or more; found {self.max_figures}."
            )
        metric_of(self.rule)
        if self.resolution not in ("full", SMALL) and not (
            self.resolution.isdecimal() and int(self.resolution) > 0
        ):
            raise InputError(
                f"Expected resolution to be full, {SMALL} or a number of pixels; found"
                f" {self.resolution}."
            )
        if self.setting == "perfigure" and self.protocol == "released":
            object.__setattr__(self, "figures", "referred")

    @property
    def judged(self) -> str:
        """The name of the judge-scored metric."""
        return metric_of(self.rule)

    @property
    def shows_pictures(self) -> bool:
        """Whether the model sees any picture."""
        return self.setting != "captiononly" and self.ablation != "text"


def settings_of(row: Mapping[str, Any]) -> SpiqaSettings:
    """Return the settings of a row."""
    settings: SpiqaSettings = parse_settings(SpiqaSettings, row["settings"])
    return settings


class Shown(NamedTuple):
    """A question of a paper, and the files of the figures shown with it, in order."""

    paper: Paper
    question: Question
    files: list[str]


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
    ranks = iter(struct.unpack(f">{len(files)}Q", digest))
    return sorted(files, key=lambda _: next(ranks))


def questions_shown(papers: Sequence[Paper], settings: SpiqaSettings) -> list[Shown]:
    """Return every question with its shown figures, in the order of the file."""
    result = []
    for paper in papers:
        for question in paper.questions:
            files = [
                file
                for file in paper.figures
                if settings.figures == "all" or file in question.referred
            ]
            question_id = f"{paper.paper_id}/{question.position}"
            chosen = choose_figures(
                files, question.referred, question_id, settings.max_figures, settings.seed
            )
            result.append(Shown(paper, question, chosen))
    return result


def rows_table(
    questions: Sequence[Shown],
    paths: Mapping[str, str],
    settings: SpiqaSettings,
    split: str,
    data: str,
) -> Any:
    """Return a pyarrow table with one row per question (`perfigure`: per question, figure and
    prompt).

    `paths`: member of the archive -> path; absent members become "".
    """
    import pyarrow as pa

    text, number = pa.string(), pa.int64()
    # `referred` may be empty and `no_text` None in all rows, from which no type could be inferred
    kinds = {"referred": pa.list_(number), "no_text": pa.bool_(), "documents": number}
    same = {"benchmark": "spiqa", "split": split, "data": data, "settings": settings_text(settings)}
    batches = []
    for start in range(0, len(questions), _BATCH):
        rows = [
            row | same
            for shown in questions[start : start + _BATCH]
            for row in _rows(shown, paths, settings)
        ]
        kinds["figures"] = pa.list_(pa.struct([(name, text) for name in rows[0]["figures"][0]]))
        schema = pa.schema([(name, kinds.get(name, text)) for name in rows[0]])
        batches.append(pa.Table.from_pylist(rows, schema=schema))
    return pa.concat_tables(batches)


def _rows(
    shown: Shown, paths: Mapping[str, str], settings: SpiqaSettings
) -> Iterator[dict[str, Any]]:
    paper, question, files = shown
    first = paper.figures[question.referred[0]]
    question_id = f"{paper.paper_id}/{question.position}"
    row: dict[str, Any] = {
        "id": question_id,
        "paper_id": paper.paper_id,
        "question": question.question,
        "answer": question.answer,
        "group": first.group,
        "group_released": first.group_released,
        "full_text": (paper.full_text or "") if settings.setting == "fullpaper" else "",
        "question_id": question_id,
        "no_text": None if paper.full_text is None else not paper.full_text,
        "referred": [index for index, file in enumerate(files) if file in question.referred],
        "step": "",
        "documents": 1,
        "figures": [_figure(paper.figures[file], paths) for file in files],
    }
    if settings.setting == "perfigure":
        yield from _documents(row)
    else:
        yield row


def _figure(figure: Figure, paths: Mapping[str, str]) -> dict[str, str]:
    return {
        "path": paths.get(figure.picture, ""),
        "file": figure.file,
        "caption": figure.caption,
        "group": figure.group,
        "group_released": figure.group_released,
    }


def _documents(row: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
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
