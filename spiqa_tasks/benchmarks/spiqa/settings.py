"""Settings of SPIQA tasks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from spiqa_tasks.benchmarks.benchmark import parse_settings
from spiqa_tasks.errors import InputError
from spiqa_tasks.files.pictures import Ablation

Setting = Literal["direct", "fullpaper", "cot", "nocaption", "captiononly", "perfigure"]
Figures = Literal["all", "referred"]
Protocol = Literal["corrected", "released", "both"]
RULES = ("l3score", "compass", "grade")
"""The judge's rules for free answers."""
SMALL = "224px"
"""The resolution of the release's archives of small pictures."""


@dataclass(frozen=True)
class SpiqaSettings:
    """Settings of a SPIQA task: the keys of its `dataset_name`.

    Attributes:
        setting: the paper's task (section 3.1), ablation (section 5.3), or one figure a turn (section 5.1).
        max_figures: maximum of figures per question; 0 means all.
        seed: seed of the choice and order of the figures.
        resolution: `full` is as released; `224px` the release's 224px archive, or squares of 224 pixels without one
            (section 5.1, Figure B.1); a number N squares of N pixels, as the released scripts make them.
        ablation: `grey` shows grey pictures of the same size, `text` no picture.
        protocol: `corrected` follows the paper; `released` the released scripts, as metrics named `..._released`;
            `both` computes both, for up to twice the judge calls. `perfigure` with `released` asks about referred
            figures only.
        figures: `all` figures of the paper, or the `referred` ones only, as the released open-model scripts show.
        rule: the judge's rule and name of the headline metric: `l3score`, `compass` or `grade`; `grade:FILE` has a
            rubric from a file.
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
        """The name of the judge-scored metric."""
        return self.rule.partition(":")[0]

    @property
    def shows_pictures(self) -> bool:
        """Whether the model sees any picture."""
        return self.setting != "captiononly" and self.ablation != "text"

    @property
    def side(self) -> int | None:
        """The side in pixels of the squares that pictures are resized to, or None."""
        return None if self.resolution == "full" else int(self.resolution.removesuffix("px"))


def settings_of(row: Mapping[str, Any]) -> SpiqaSettings:
    """Return the settings of a row."""
    settings: SpiqaSettings = parse_settings(SpiqaSettings, row["settings"])
    return settings
