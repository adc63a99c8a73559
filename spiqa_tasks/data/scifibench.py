"""SciFIBench: figure -> caption (one picture, five captions) and caption -> figure (one caption, five pictures)."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from spiqa_tasks.data.ablation import Ablation, ablated_pictures
from spiqa_tasks.data.choices import Row
from spiqa_tasks.data.scifibench_questions import Question, read_questions
from spiqa_tasks.data.scifibench_shots import caption_similarities, pair_similarities, random_shots, similar_shots
from spiqa_tasks.data.scifibench_variants import marked_letter, shuffled, with_random_negatives
from spiqa_tasks.data.source import SCIFIBENCH, Source, fingerprint
from spiqa_tasks.errors import InputError
from spiqa_tasks.settings import settings_text

SPLITS = {
    "cs_fig2cap": ("CS_Figure2Caption",),
    "cs_cap2fig": ("CS_Caption2Figure",),
    "general_fig2cap": ("General_Figure2Caption",),
    "general_cap2fig": ("General_Caption2Figure",),
    "captioning": ("CS_Figure2Caption", "General_Figure2Caption"),
    "demo": ("CS_Figure2Caption", "CS_Caption2Figure"),
    "demo_fig2cap": ("CS_Figure2Caption",),
    "demo_cap2fig": ("CS_Caption2Figure",),
}
Switch = Literal["no", "yes"]


@dataclass(frozen=True)
class SciFIBenchSettings:
    """What a SciFIBench task shows.

    Attributes:
        prompt: `letter` is appendix G.1; `reasoning` is I.2, which drops the sentence that asks for a letter only;
            `caption` is G.3, which asks for a caption of the figure.
        ablation: `grey` shows grey pictures of the same size, `text` no picture.
        ocr: show the text that an OCR engine reads in a picture instead of the picture (section 4.1).
        negatives: `adversarial` as released, or `random` ones of the same file; the answer keeps its letter.
        shuffle: another order of the options for each number; 0 is the order of the release (section 4.2).
        mark: the caption marked as <Correct>: the true one, or a random other one (section 4.7).
        ignore: whether the prompt says to ignore the mark.
        shots: how many solved examples precede the question; they are other questions of the same file.
        shot_kind: `random` ones, or the most `similar` ones by TF-IDF of their captions.
        encoder: folder or hub id of a CLIP checkpoint; `similar` then goes by its image and caption embeddings.
        sample: how many questions to draw from the split; 0 is all.
        extractor: `judge` has a judge model find the letter where our matcher finds none (appendix G.2).
        seed: of random negatives, the mark, random examples and the sample.
    """

    prompt: Literal["letter", "reasoning", "caption"] = "letter"
    ablation: Ablation = "none"
    ocr: Switch = "no"
    negatives: Literal["adversarial", "random"] = "adversarial"
    shuffle: int = 0
    mark: Literal["none", "correct", "incorrect"] = "none"
    ignore: Switch = "no"
    shots: int = 0
    shot_kind: Literal["random", "similar"] = "random"
    encoder: str = ""
    sample: int = 0
    extractor: Literal["none", "judge"] = "none"
    seed: int = 0

    def __post_init__(self) -> None:
        wrong = {
            "ocr=yes with ablation=none: the text stands in the place of the picture": (
                self.ocr == "yes" and self.ablation != "none"
            ),
            "ignore=yes with a mark to ignore": self.ignore == "yes" and self.mark == "none",
            "encoder with shot_kind=similar": self.encoder != "" and self.shot_kind != "similar",
            "encoder without ablation=text, which has no pictures": self.encoder != "" and self.ablation == "text",
            "shots and sample of at least 0": self.shots < 0 or self.sample < 0,
            "prompt=caption without mark and shots": (
                self.prompt == "caption" and (self.mark != "none" or self.shots != 0)
            ),
        }
        for expected, found in wrong.items():
            if found:
                raise InputError(f"Expected {expected}; found {settings_text(self)}. Correct the task's YAML.")


def load(source: Source, split: str, settings: SciFIBenchSettings) -> list[Row]:
    """One row per question of `split`, in the order of the file.

    Beyond what every choice row has: `texts` (what OCR reads, parallel to the pictures that it replaces; else empty),
    `marked` (the letter of the marked caption, or ""), `shots` (the examples, each with the fields of a row that are
    shown) and `caption` (the true one). The split `captioning` joins two files, so its ids are `<file>/<ID>`.

    Raises:
        DataError: a file is missing, unreadable or lacks a column; a picture that cannot be decoded.
        InputError: settings that do not suit the split.
    """
    if (settings.mark != "none" or settings.prompt == "caption") and any("Caption2" in name for name in SPLITS[split]):
        raise InputError(f"Expected a split of figure -> caption for mark=... and prompt=caption; found {split!r}.")
    rows: list[Row] = []
    for name in SPLITS[split]:
        paths = source.files(SCIFIBENCH, f"data/{name}-*.parquet")
        data = fingerprint(paths)
        questions = read_questions(paths, name, data, settings.ablation != "text")
        rows += _rows(questions, split, settings, data)
    return _sampled(rows, settings)


def _rows(questions: Sequence[Question], split: str, settings: SciFIBenchSettings, data: str) -> list[Row]:
    if settings.negatives == "random":
        questions = with_random_negatives(questions, settings.seed)
    questions = [shuffled(question, settings.shuffle) for question in questions]
    shots = _shots(questions, settings)
    texts = _texts(questions) if settings.ocr == "yes" else {}
    return [
        {
            **_shown(question, settings, texts),
            "id": f"{question.file}/{question.id}" if split == "captioning" else question.id,
            "caption": question.caption,
            "category": question.category,
            "subcategory": "cap2fig" if question.to_figure else "fig2cap",
            "benchmark": "scifibench",
            "split": split,
            "prompt": settings.prompt,
            "marked": marked_letter(question, settings.mark, settings.seed),
            "ignore": settings.ignore,
            "shots": [_shown(example, settings, texts) for example in examples],
            "settings": settings_text(settings),
            "data": data,
        }
        for question, examples in zip(questions, shots, strict=True)
    ]


def _shown(question: Question, settings: SciFIBenchSettings, texts: dict[str, str]) -> dict[str, Any]:
    shows_pictures = settings.ablation != "text" and not texts
    paths = [figure.path for figure in question.figures] if shows_pictures else []
    return {
        "question": question.text,
        "letters": list(question.letters),
        "options": list(question.options),
        "answer": question.answer,
        "images": ablated_pictures(paths, settings.ablation),
        "texts": [texts[figure.digest] for figure in question.figures] if texts else [],
    }


def _shots(questions: Sequence[Question], settings: SciFIBenchSettings) -> list[list[Question]]:
    if settings.shots == 0:
        return [[] for _ in questions]
    if settings.shot_kind == "random":
        return random_shots(questions, settings.shots, settings.seed)
    if settings.encoder:
        return similar_shots(questions, settings.shots, pair_similarities(questions, settings.encoder))
    return similar_shots(questions, settings.shots, caption_similarities(questions))


def _texts(questions: Sequence[Question]) -> dict[str, str]:
    from spiqa_tasks.data.ocr import figure_texts

    return figure_texts((figure.digest, figure.path) for question in questions for figure in question.figures)


def _sampled(rows: list[Row], settings: SciFIBenchSettings) -> list[Row]:
    if not 0 < settings.sample < len(rows):
        return rows
    places = random.Random(f"sample#{settings.seed}").sample(range(len(rows)), settings.sample)
    return [rows[place] for place in sorted(places)]
