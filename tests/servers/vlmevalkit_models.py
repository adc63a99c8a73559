"""Model classes of the host without weights."""

import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import fixed_answers

DIE_AFTER = "DIE_AFTER"
"""Variable: after how many answers a process kills itself."""


class Fixed:
    """A local model whose answers are those of `fixed_answers`; its own prompt raises."""

    is_api = False
    INTERLEAVE = True
    made = 0
    """How many were made: what a refusal before any weights leaves at 0."""

    def __init__(
        self, answer: Callable[[Sequence[str]], Any] = fixed_answers.plain, max_new_tokens: int = 9
    ) -> None:
        type(self).made += 1
        self.answer = answer
        self.length = max_new_tokens
        self.asked = 0

    def set_dump_image(self, _dump: Any) -> None:
        """Take what classes with prompts of their own need."""

    def use_custom_prompt(self, _dataset: str) -> bool:
        """Say that there is a prompt of its own for every dataset."""
        return True

    def build_prompt(self, _line: Any, _dataset: str | None = None, **_: Any) -> Any:
        """Raise: the dataset's prompt is to be used."""
        raise RuntimeError("the model's own prompt was used")

    def generate(self, message: list[dict[str, str]], dataset: str | None = None) -> Any:  # noqa: ARG002
        """Return an answer to a prompt whose pictures all exist."""
        assert all(Path(part["value"]).is_file() for part in message if part["type"] == "image")
        self.asked += 1
        if self.asked > int(os.environ.get(DIE_AFTER, 10**9)):
            os._exit(9)
        return self.answer([part["value"] for part in message if part["type"] == "text"])


class OnePicture(Fixed):
    """A class that is shown the first picture only."""

    INTERLEAVE = False


class InternVLChat(Fixed):
    """Named like the host's class that divides by the number of pictures."""

    def generate(self, message: list[dict[str, str]], dataset: str | None = None) -> Any:  # noqa: ARG002
        """Do so."""
        return str(40 // sum(part["type"] == "image" for part in message))


MODELS: dict[str, Any] = {
    "fixed": partial(Fixed),
    "odd": partial(Fixed, answer=fixed_answers.odd),
    "single": partial(OnePicture),
    "internvl": partial(InternVLChat),
}
