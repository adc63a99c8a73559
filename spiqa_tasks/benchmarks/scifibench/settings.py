"""What a SciFIBench task shows: the keys of its `dataset_name`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from spiqa_tasks.benchmarks.settings import settings_text
from spiqa_tasks.errors import InputError
from spiqa_tasks.files.image_ablation import Ablation

Switch = Literal["no", "yes"]


@dataclass(frozen=True)
class SciFIBenchSettings:
    """What a SciFIBench task shows.

    Attributes:
        prompt: `letter` is appendix G.1; `reasoning` is I.2, which drops the sentence that asks for a letter only;
            `caption` is G.3, which asks for a caption of the figure; `released` is that of the authors' README.
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
        extractor: `judge` has a judge model find the letter where our matcher finds none (appendix G.2); `released`
            asks it in the words of the authors' README.
        seed: of random negatives, the mark, random examples and the sample.
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
        wrong = {
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
        for expected, found in wrong.items():
            if found:
                raise InputError(f"Expected {expected}; found {settings_text(self)}. Correct the task's YAML.")
