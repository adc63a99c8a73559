"""Grades by a rubric of one's own: named levels with values, and how the judge is asked for one of them."""

from __future__ import annotations

import hashlib
import re
import string
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from spiqa_tasks.errors import InputError
from spiqa_tasks.judge.rules.lettered import LetteredRule
from spiqa_tasks.judge.rules.rule import Candidate

_FIELD = re.compile(r"\{(question|reference|prediction)\}")
_FORM = (
    "a YAML file with prompt (a text with {question}, {reference} and {prediction}) and levels (name: value in [0, 1])"
)


@dataclass(frozen=True)
class Rubric:
    """How answers are graded.

    Attributes:
        name: of the rubric.
        prompt: the question to the judge, with {question}, {reference} and {prediction} in it.
        levels: (name, value in [0, 1]) of each level, in the order shown.
    """

    name: str
    prompt: str
    levels: tuple[tuple[str, float], ...]


DEFAULT = Rubric(
    "default",
    "Grade the answer to a question against the reference answer, which is right.\n"
    "Question: {question}\nReference answer: {reference}\nAnswer to grade: {prediction}",
    (("says all that the reference says", 1.0), ("says only a part of it, and nothing wrong", 0.5), ("is wrong", 0.0)),
)


@dataclass(frozen=True)
class GradeRule(LetteredRule):
    """Asks for the letter of a level; the score is the levels' expected value over their log-probabilities.

    Written `grade:FILE`, it takes the rubric of a YAML file; a label of one's own prompt is not kept out of answers.

    Attributes:
        rubric: the levels and the prompt.
    """

    name = "grade"

    rubric: Rubric = DEFAULT

    @classmethod
    def options_of(cls, argument: str) -> Mapping[str, Any]:
        """Return the rubric of a file; none for no file. Raises InputError."""
        return {"rubric": read_rubric(Path(argument))} if argument else {}

    @property
    def values(self) -> dict[str, float]:
        """Letter -> value of its level."""
        return {letter: value for letter, (_, value) in zip(string.ascii_uppercase, self.rubric.levels, strict=False)}

    def prompt(self, candidate: Candidate) -> str:
        """Return the rubric's prompt about an answer, and its levels with their letters."""
        texts = {"question": candidate.question, "reference": candidate.reference, "prediction": candidate.shown}
        asked = _FIELD.sub(lambda found: texts[found[1]], self.rubric.prompt)
        return f"{asked}\n\n{self._choices()}"

    def wording(self) -> str:
        """Return the rubric's name and the digest of its prompt and levels."""
        text = f"{self.rubric.prompt}\n\n{self._choices()}"
        return f"{self.rubric.name}:{hashlib.sha256(text.encode()).hexdigest()[:12]}"

    def _choices(self) -> str:
        levels = (f"{letter}: {name}" for letter, (name, _) in zip(self.values, self.rubric.levels, strict=True))
        return "\n".join(("The answer", *levels, "Reply with the letter alone."))


@cache
def read_rubric(path: Path) -> Rubric:
    """Return the rubric of a YAML file.

    Raises:
        InputError: the file cannot be read, or is no rubric.
    """
    import yaml

    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise InputError(f"Expected a rubric at {path}, {_FORM}; found {error}.") from error
    prompt, levels = (content.get(key) for key in ("prompt", "levels")) if isinstance(content, dict) else (None, None)
    if not isinstance(prompt, str) or "{prediction}" not in prompt:
        raise InputError(f"Expected the prompt of {path} to be a text with {{prediction}} in it, found {prompt!r}.")
    most = len(string.ascii_uppercase)
    if not isinstance(levels, dict) or not 2 <= len(levels) <= most or not all(map(_is_share, levels.values())):
        raise InputError(
            f"Expected the levels of {path} to be 2 to {most} names with values from 0 to 1, found {levels!r}."
        )
    return Rubric(path.stem, prompt, tuple((str(name), float(value)) for name, value in levels.items()))


def _is_share(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1
