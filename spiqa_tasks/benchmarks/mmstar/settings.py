"""What an MMStar task shows: the keys of its `dataset_name`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from spiqa_tasks.files.image_ablation import Ablation


@dataclass(frozen=True)
class MMStarSettings:
    """What an MMStar task shows.

    Attributes:
        prompt: the sentence after the question, by name.
        ablation: `grey` shows grey pictures of the same size, `text` no picture (paper section 5.1).
        shots: `2` puts two solved text questions of our own before each question (paper section 5.1: LLMs answer
            2-shot), `authors` those of the authors' code, as turns of a chat.
    """

    prompt: Literal["letter", "select"] = "letter"
    ablation: Ablation = "none"
    shots: Literal["0", "2", "authors"] = "0"
