"""What a SPIQA task shows and how it is scored: the keys of a task's `dataset_name`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from spiqa_tasks.benchmarks.settings import parse_settings
from spiqa_tasks.errors import InputError
from spiqa_tasks.files.image_ablation import Ablation

Setting = Literal["direct", "fullpaper", "cot", "nocaption", "captiononly", "perfigure"]
Figures = Literal["all", "referred"]
Protocol = Literal["corrected", "released", "both"]
RULES = ("l3score", "compass", "grade")
"""The judge's rules for free answers."""
SMALL = "224px"
"""The resolution of the release's archives of small pictures."""


@dataclass(frozen=True)
class SpiqaSettings:
    """What a SPIQA task shows and how it is scored.

    Attributes:
        setting: the paper's task (section 3.1), ablation (section 5.3), or one figure at a time (section 5.1).
        max_figures: at most so many figures a question; 0 means all.
        seed: draws another choice and order of the figures.
        resolution: `full` shows the pictures as released; `224px` those of the release's 224px archive, or squares of
            224 pixels where there is none (section 5.1, Figure B.1); a number squares of so many pixels, as the
            released scripts make them.
        ablation: `grey` shows grey pictures of the same size, `text` no picture.
        protocol: `corrected` follows the paper; `released` does what the released scripts do, under metric names of
            their own; `both` gives both, for up to twice the judge calls. `perfigure` with `released` alone asks about
            the referred figures.
        figures: which of the paper's are shown: `all`, or only those that the answer needs (`referred`), as the
            released scripts for open models do.
        rule: how a judge scores an answer, and the name of the headline: `l3score`, `compass`, or `grade` with a rubric
            of one's own as `grade:FILE`.
    """

    setting: Setting = "direct"
    max_figures: int = 8
    seed: int = 0
    resolution: str = "full"
    ablation: Ablation = "none"
    protocol: Protocol = "corrected"
    figures: Figures = "all"
    rule: str = "l3score"

    def __post_init__(self) -> None:
        if self.max_figures < 0:
            raise InputError(f"Expected max_figures to be 0 (all figures) or more; found {self.max_figures}.")
        if self.judged not in RULES:
            raise InputError(f"Expected rule to be one of {', '.join(RULES)}; found {self.rule!r}.")
        if self.resolution not in ("full", SMALL) and not (self.resolution.isdecimal() and int(self.resolution) > 0):
            raise InputError(f"Expected resolution to be full, {SMALL} or a number of pixels; found {self.resolution}.")
        if self.setting == "perfigure" and self.protocol == "released":
            object.__setattr__(self, "figures", "referred")

    @property
    def judged(self) -> str:
        """The name of the metric that a judge gives."""
        return self.rule.partition(":")[0]

    @property
    def shows_pictures(self) -> bool:
        """Whether the model sees any picture."""
        return self.setting != "captiononly" and self.ablation != "text"

    @property
    def side(self) -> int | None:
        """The side of the squares that pictures become, in pixels; None where they stay as they are."""
        return None if self.resolution == "full" else int(self.resolution.removesuffix("px"))


def settings_of(row: Mapping[str, Any]) -> SpiqaSettings:
    """Return the settings that a row carries."""
    found: SpiqaSettings = parse_settings(SpiqaSettings, row["settings"])
    return found
