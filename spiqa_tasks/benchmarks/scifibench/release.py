"""SciFIBench: figure -> caption (one picture, five captions) and caption -> figure (one caption,
five pictures).
"""

import random
from dataclasses import dataclass
from typing import Any, Literal

from PIL import Image

from spiqa_tasks.benchmarks.benchmark import Row, settings_text
from spiqa_tasks.benchmarks.prompting import Ablation, ablated_pictures
from spiqa_tasks.benchmarks.scifibench.questions import (
    ChoiceQuestion,
    examples,
    marked_letter,
    read_questions,
    shuffled,
    similarities_of,
    with_random_negatives,
)
from spiqa_tasks.errors import InputError
from spiqa_tasks.files.source import SCIFIBENCH, Source, fingerprint

# Split -> release files.
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


@dataclass(frozen=True)
class SciFIBenchSettings:
    """Settings of a SciFIBench task: the keys of its `dataset_name`.

    Attributes:
        prompt: `letter` is appendix G.1; `reasoning` is I.2, without the sentence that asks for a
            letter only; `caption` is G.3, which asks for a caption; `released` is that of the
            authors' README.
        ablation: `grey` shows grey pictures of the same size, `text` no picture.
        ocr: whether the OCR text of a picture replaces it (section 4.1).
        negatives: `adversarial` as released, or `random` ones of the same file; the answer keeps
            its letter.
        shuffle: seed of the order of the options; 0 is the released order (section 4.2).
        mark, ignore: the caption marked as <Correct> (section 4.7), and whether the prompt says to
            ignore the mark.
        shots, shot_kind: number of solved examples, other questions of the same file: `random`, or
            the most `similar` by TF-IDF of the captions.
        sample: number of questions drawn from the split; 0 is all.
        extractor: `judge` asks a judge for the letter if our matcher finds none (appendix G.2);
            `released` does so in the words of the authors' README.
        seed: seed of random negatives, marks, random examples and the sample.
    """

    prompt: Literal["letter", "reasoning", "caption", "released"] = "letter"
    ablation: Ablation = "none"
    ocr: Literal["no", "yes"] = "no"
    negatives: Literal["adversarial", "random"] = "adversarial"
    shuffle: int = 0
    mark: Literal["none", "correct", "incorrect"] = "none"
    ignore: Literal["no", "yes"] = "no"
    shots: int = 0
    shot_kind: Literal["random", "similar"] = "random"
    sample: int = 0
    extractor: Literal["none", "judge", "released"] = "none"
    seed: int = 0

    def __post_init__(self) -> None:
        is_bare = self.mark == "none" and self.shots == 0
        expected = {  # expectation -> whether it holds
            "ocr=yes with ablation=none": self.ocr == "no" or self.ablation == "none",
            "prompt=released without mark, shots and ocr": (
                self.prompt != "released" or (is_bare and self.ocr == "no")
            ),
            "prompt=caption without mark and shots": self.prompt != "caption" or is_bare,
        }
        for expectation, holds in expected.items():
            if not holds:
                raise InputError(
                    f"Expected {expectation}; found {settings_text(self)}. Correct the task's YAML."
                )


def load(source: Source, split: str, settings: SciFIBenchSettings) -> list[Row]:
    """Return one row per question of `split`, in the order of the file.

    Fields beyond those of every choice row: `texts` (OCR texts that replace the pictures, or []),
    `marked` (letter of the marked caption, or ""), `shots` (examples with the fields that are
    shown) and `caption` (the true one). The split `captioning` joins two files, so its ids are
    `<file>/<ID>`.

    Raises DataError: a missing or unreadable file, column or picture; InputError: settings that do
    not suit the split.
    """
    needs_one_figure = settings.mark != "none" or settings.prompt == "caption"
    if needs_one_figure and any("Caption2" in name for name in SPLITS[split]):
        raise InputError(
            "Expected a split of figure -> caption for mark=... and prompt=caption; found"
            f" {split!r}."
        )

    rows: list[Row] = []
    for name in SPLITS[split]:
        paths = source.files(SCIFIBENCH, f"data/{name}-*.parquet")
        data = fingerprint(paths)
        questions = read_questions(paths, name, data, settings.ablation != "text")
        rows += _rows(questions, split, settings, data)
    return _sample(rows, settings)


def _sample(rows: list[Row], settings: SciFIBenchSettings) -> list[Row]:
    """Return the setting's number of rows, in their order; all of fewer, or for 0."""
    if not 0 < settings.sample < len(rows):
        return rows
    positions = random.Random(f"sample#{settings.seed}").sample(range(len(rows)), settings.sample)
    return [rows[position] for position in sorted(positions)]


def caption_length(row: Row) -> float:
    """Return the length of the true caption in words (accuracy by length: section 4.5)."""
    return float(len(row["caption"].split()))


def figure_size(row: Row) -> float:
    """Return the mean area of the figures in pixels (accuracy by size: section 4.5)."""
    sizes = []
    for path in row["images"]:
        with Image.open(path) as image:
            sizes.append(image.width * image.height)
    return sum(sizes) / len(sizes)


def _rows(
    questions: list[ChoiceQuestion], split: str, settings: SciFIBenchSettings, data: str
) -> list[Row]:
    """Return the rows of questions as the settings change them: negatives, order, examples, OCR."""
    if settings.negatives == "random":
        questions = with_random_negatives(questions, settings.seed)
    questions = [shuffled(question, settings.shuffle) for question in questions]
    similarities = None
    if settings.shots > 0 and settings.shot_kind == "similar":
        similarities = similarities_of(questions)
    shots = examples(questions, settings.shots, settings.seed, similarities)
    texts = _texts(questions) if settings.ocr == "yes" else {}

    shared = {
        "benchmark": "scifibench",
        "split": split,
        "prompt": settings.prompt,
        "ignore": settings.ignore,
        "settings": settings_text(settings),
        "data": data,
    }
    rows: list[Row] = []
    for question, solved in zip(questions, shots, strict=True):
        # The split joins two files, whose ids are the same.
        row_id = f"{question.file}/{question.id}" if split == "captioning" else question.id
        row = {
            "id": row_id,
            "caption": question.caption,
            "category": question.category,
            "subcategory": "cap2fig" if question.to_figure else "fig2cap",
            "marked": marked_letter(question, settings.mark, settings.seed),
            "shots": [_prompt_fields(example, settings, texts) for example in solved],
        }
        rows.append(_prompt_fields(question, settings, texts) | row | shared)
    return rows


def _texts(questions: list[ChoiceQuestion]) -> dict[str, str]:
    """Return digest of a figure -> the text that OCR finds in it."""
    from spiqa_tasks.vision import figure_texts

    figures = [figure for question in questions for figure in question.figures]
    return figure_texts((figure.digest, figure.path) for figure in figures)


def _prompt_fields(
    question: ChoiceQuestion, settings: SciFIBenchSettings, texts: dict[str, str]
) -> dict[str, Any]:
    """Return the fields of a question, or of a solved example, that a prompt is made of.

    `texts` (digest -> text found in the figure) stand in the place of the figures.
    """
    shows_pictures = settings.ablation != "text" and not texts
    paths = [figure.path for figure in question.figures] if shows_pictures else []
    return {
        "question": question.text,
        "asked": question.asked,
        "letters": list(question.letters),
        "options": list(question.options),
        "answer": question.answer,
        "images": ablated_pictures(paths, settings.ablation),
        "texts": [texts[figure.digest] for figure in question.figures] if texts else [],
    }
