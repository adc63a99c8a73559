"""Settings of SciFIBench tasks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from spiqa_tasks.benchmarks.settings import settings_text
from spiqa_tasks.errors import InputError
from spiqa_tasks.files.pictures import Ablation

Switch = Literal["no", "yes"]


@dataclass(frozen=True)
class SciFIBenchSettings:
    """Settings of a SciFIBench task: the keys of its `dataset_name`.

    Attributes:
        prompt: `letter` is appendix G.1; `reasoning` is I.2, without the sentence that asks for a letter only;
            `caption` is G.3, which asks for a caption; `released` is that of the authors' README.
        ablation: `grey` shows grey pictures of the same size, `text` no picture.
        ocr: whether the OCR text of a picture replaces it (section 4.1).
        negatives: `adversarial` as released, or `random` ones of the same file; the answer keeps its letter.
        shuffle: seed of the order of the options; 0 is the released order (section 4.2).
        mark: the caption marked as <Correct>: the true one, or a random other one (section 4.7).
        ignore: whether the prompt says to ignore the mark.
        shots: number of solved examples, other questions of the same file.
        shot_kind: `random` examples, or the most `similar` by TF-IDF of the captions.
        encoder: folder or hub id of a CLIP checkpoint, whose embeddings then define `similar`.
        sample: number of questions drawn from the split; 0 is all.
        extractor: `judge` asks a judge for the letter if our matcher finds none (appendix G.2); `released` does so in
            the words of the authors' README.
        seed: seed of random negatives, marks, random examples and the sample.
    """

    prompt: Literal["letter", "reasoning", "caption", "released"] = "letter"
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
    extractor: Literal["none", "judge", "released"] = "none"
    seed: int = 0

    def __post_init__(self) -> None:
        wrong = {  # expectation -> whether it is violated
            "ocr=yes with ablation=none: the text stands in the place of the picture": (
                self.ocr == "yes" and self.ablation != "none"
            ),
            "ignore=yes with a mark to ignore": self.ignore == "yes" and self.mark == "none",
            "encoder with shot_kind=similar": self.encoder != "" and self.shot_kind != "similar",
            "encoder without ablation=text, which has no pictures": self.encoder != "" and self.ablation == "text",
            "prompt=released without mark, shots and ocr": (
                self.prompt == "released" and (self.mark != "none" or self.shots != 0 or self.ocr == "yes")
            ),
            "shots and sample of at least 0": self.shots < 0 or self.sample < 0,
            "prompt=caption without mark and shots": (
                self.prompt == "caption" and (self.mark != "none" or self.shots != 0)
            ),
        }
        for expected, is_violated in wrong.items():
            if is_violated:
                raise InputError(f"Expected {expected}; found {settings_text(self)}. Correct the task's YAML.")
