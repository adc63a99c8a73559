"""Rules by which a judge chooses one of several letters, each with a value: CompassVerifier's, and users' rubrics."""

import re
import string
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from spiqa_tasks.errors import InputError, found_instead
from spiqa_tasks.judge.rules.rule import (
    BLUE_AND_GREEN,
    Candidate,
    Rule,
    free_answer_fault,
    prompt_id,
)
from spiqa_tasks.judge.types import JudgeRequest, Verdict
from spiqa_tasks.scoring.l3score import expected_value

_FIELD = re.compile(r"\{(question|reference|prediction)\}")
_LEAST_TOP = 5
"""Log-probabilities asked for if there are fewer letters."""
LEAST_MASS = 0.5
"""Least probability of all verdicts together: below it, the judge most likely writes something else."""


@dataclass(frozen=True)
class LetteredRule(Rule):
    """Asks for one letter; the score is the expected value over the verdicts' log-probabilities.

    A token is the verdict of its letter, of its word, or of the words that it begins if they have one value.
    """

    tests = BLUE_AND_GREEN

    @property
    @abstractmethod
    def choices(self) -> Sequence[tuple[str, str, float]]:
        """Letter, words as the prompt shows them, and value in [0, 1] of each verdict."""

    @property
    @abstractmethod
    def wording(self) -> tuple[str, str]:
        """Name and text of the prompt, as it enters the signature."""

    @abstractmethod
    def prompt(self, candidate: Candidate) -> str:
        """Return the prompt about an answer."""

    def request(self, candidate: Candidate, /) -> JudgeRequest:
        top = max(_LEAST_TOP, len(self.choices))
        return candidate.marked(JudgeRequest(self.prompt(candidate), top_logprobs=top))

    def score(self, _candidate: Candidate, verdict: Verdict, /) -> float | None:
        """Return the expected value; None if the judge failed or its verdicts have less than `LEAST_MASS`."""
        return expected_value(verdict.top_logprobs, self._value, LEAST_MASS)

    def _value(self, token: str) -> float | None:
        """The value of a token, stripped; None if it is no verdict or begins several of different values."""
        begun: set[float] = set()
        for letter, words, value in self.choices:
            if token == letter:
                return value
            if words.lower() == token.lower() or (len(token) > 1 and words.startswith(token)):
                begun.add(value)
        return begun.pop() if len(begun) == 1 else None

    def signature(self) -> dict[str, Any]:
        values = ",".join(f"{letter}={value:g}" for letter, _, value in self.choices)
        rule = f"expected {values},mass>={LEAST_MASS:g}"
        return {
            "prompt": prompt_id(*self.wording),
            "rule": rule,
            "temperature": 0.0,
            "max_tokens": 1,
        }

    def fault(self, verdicts: Sequence[Verdict], /) -> str | None:
        scores = [self.score(*test) for test in zip(self.tests, verdicts, strict=True)]
        letters = ", ".join(letter for letter, *_ in self.choices)
        return free_answer_fault(verdicts, scores, f"one of {letters}", middle=False)


@cache
def published_prompt() -> str:
    """Return CompassVerifier's prompt as published, with its three fields."""
    return resources.files(__package__).joinpath("compass.txt").read_text(encoding="utf-8")


@dataclass(frozen=True)
class CompassRule(LetteredRule):
    """Asks for A (correct), B (incorrect) or C (invalid); the score is the share of A in their log-probabilities.

    The wording is that of the CompassVerifier models (Liu et al., 2025, arXiv 2508.03686); any judge with
    log-probabilities may be asked.
    """

    name = metric = "compass"
    choices = (("A", "CORRECT", 1.0), ("B", "INCORRECT", 0.0), ("C", "INVALID", 0.0))

    @property
    def wording(self) -> tuple[str, str]:
        return self.name, published_prompt()

    def prompt(self, candidate: Candidate) -> str:
        fields = {
            "question": candidate.question,
            "gold_answer": candidate.reference,
            "llm_response": candidate.shown,
        }
        return published_prompt().format(**fields)


@dataclass(frozen=True)
class Rubric:
    """A prompt with {question}, {reference} and {prediction}, and the levels (name, value in [0, 1]) as shown."""

    name: str
    prompt: str
    levels: tuple[tuple[str, float], ...]


DEFAULT = Rubric(
    "default",
    "Grade the answer to a question against the reference answer, which is right.\n"
    "Question: {question}\nReference answer: {reference}\nAnswer to grade: {prediction}",
    (
        ("says all that the reference says", 1.0),
        ("says only a part of it, and nothing wrong", 0.5),
        ("is wrong", 0.0),
    ),
)


@dataclass(frozen=True)
class GradeRule(LetteredRule):
    """Asks for the letter of a level; the score is the levels' expected value over their log-probabilities.

    Written `grade:FILE`, it takes the rubric of a YAML file; labels of such a prompt are not removed from answers.
    """

    name = metric = "grade"

    rubric: Rubric = DEFAULT

    @classmethod
    def options_of(cls, argument: str) -> Mapping[str, Any]:
        return {"rubric": read_rubric(Path(argument))} if argument else {}

    @property
    def choices(self) -> list[tuple[str, str, float]]:
        return [
            (letter, *level)
            for letter, level in zip(string.ascii_uppercase, self.rubric.levels, strict=False)
        ]

    def prompt(self, candidate: Candidate) -> str:
        texts = {
            "question": candidate.question,
            "reference": candidate.reference,
            "prediction": candidate.shown,
        }
        return _FIELD.sub(lambda field: texts[field[1]], self.rubric.prompt) + self._asked()

    @property
    def wording(self) -> tuple[str, str]:
        return self.rubric.name, self.rubric.prompt + self._asked()

    def _asked(self) -> str:
        levels = (f"{letter}: {words}" for letter, words, _ in self.choices)
        return "\n".join(("\n\nThe answer", *levels, "Reply with the letter alone."))


@cache
def read_rubric(path: Path) -> Rubric:
    """Return the rubric of a YAML file; InputError for an unusable one."""
    import yaml

    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
        levels = tuple((str(name), float(value)) for name, value in content["levels"].items())
        rubric = Rubric(path.stem, content["prompt"], levels)
        is_usable = 2 <= len(levels) <= len(string.ascii_uppercase) and all(
            0 <= value <= 1 for _, value in levels
        )
        if not is_usable or "{prediction}" not in rubric.prompt:
            raise ValueError(f"{content!r:.300}")
    except (OSError, ValueError, LookupError, TypeError, AttributeError, yaml.YAMLError) as error:
        raise InputError(
            f"Expected a rubric at {path}, a YAML file with a prompt that has {{prediction}} in it ({{question}} and "
            "{reference} may be, too) and 2 to 26 levels (name: value from 0 to 1); found "
            f"{found_instead(error)}."
        ) from error
    return rubric
