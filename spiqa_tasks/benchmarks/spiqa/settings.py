"""Settings of SPIQA tasks, and the figures that a question is shown with, in order."""

import hashlib
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from spiqa_tasks.benchmarks.benchmark import Row, parse_settings
from spiqa_tasks.benchmarks.open_metrics import metric_of
from spiqa_tasks.benchmarks.prompting import Ablation
from spiqa_tasks.errors import InputError

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
