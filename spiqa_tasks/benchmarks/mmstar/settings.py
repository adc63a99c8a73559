"""What an MMStar task shows: the keys of its `dataset_name`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from spiqa_tasks.files.image_ablation import Ablation

REPORTED = ("bare", "authors", "lmms_eval", "lmms_eval_qwen", "vlmevalkit", "vlmevalkit_qwen")
"""The prompts that numbers in papers and threads were made with."""


@dataclass(frozen=True)
class MMStarSettings:
    """What an MMStar task shows.

    Attributes:
        prompt: how the question is asked, by the name of its wording (`prompts.WORDINGS`).
        ablation: `grey` shows grey pictures of the same size, `text` no picture (paper section 5.1).
        shots: `2` puts two solved text questions of our own before each question (paper section 5.1: LLMs answer
            2-shot), `authors` those of the authors' code, as turns of a chat.
    """

    prompt: Literal[
        "letter", "select", "bare", "authors", "lmms_eval", "lmms_eval_qwen", "vlmevalkit", "vlmevalkit_qwen"
    ] = "letter"
    ablation: Ablation = "none"
    shots: Literal["0", "2", "authors"] = "0"
