"""Models of VLMEvalKit without weights."""

import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import fixed_answers

DIE_AFTER = "DIE_AFTER"
"""Environment variable: number of answers after which a process kills itself."""


class Fixed:
    """A local model whose answers are those of `fixed_answers`; its own prompt raises."""

    is_api = False
    INTERLEAVE = True
    made = 0
    """Number of instances: 0 if a run was refused before any weights were loaded."""

    def __init__(
        self, answer: Callable[[Sequence[str]], Any] = fixed_answers.plain, max_new_tokens: int = 9
    ) -> None:
        type(self).made += 1
        self.answer = answer
        self.length = max_new_tokens
        self.asked = 0

    def set_dump_image(self, _dump: Any) -> None:
        """Do nothing: the host calls it for classes with prompts of their own."""

    def use_custom_prompt(self, _dataset: str) -> bool:
        """Return True: the class has a prompt of its own for every dataset."""
        return True

    def build_prompt(self, _line: Any, _dataset: str | None = None, **_: Any) -> Any:
        """Raise RuntimeError: the dataset's prompt is to be used."""
        raise RuntimeError("the model's own prompt was used")

    def generate(self, message: list[dict[str, str]], dataset: str | None = None) -> Any:  # noqa: ARG002
        """Return an answer to a prompt whose pictures all exist."""
        assert all(Path(part["value"]).is_file() for part in message if part["type"] == "image")
        self.asked += 1
        if self.asked > int(os.environ.get(DIE_AFTER, 10**9)):
            os._exit(9)
        return self.answer([part["value"] for part in message if part["type"] == "text"])


class OnePicture(Fixed):
    """A model that the host gives only the first picture."""

    INTERLEAVE = False


class InternVLChat(Fixed):
    """A model with the name of the host's class that divides patches among the pictures."""

    def generate(self, message: list[dict[str, str]], dataset: str | None = None) -> Any:  # noqa: ARG002
        """Return the patches for each picture; raise ZeroDivisionError without pictures."""
        return str(40 // sum(part["type"] == "image" for part in message))


MODELS: dict[str, Any] = {
    "fixed": partial(Fixed),
    "odd": partial(Fixed, answer=fixed_answers.odd),
    "single": partial(OnePicture),
    "internvl": partial(InternVLChat),
}
