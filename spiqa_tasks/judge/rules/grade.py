"""Rules by which a judge chooses one of several letters, each with a value; grades by a user's rubric."""

import re
import string
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from spiqa_tasks.errors import InputError, found_instead
from spiqa_tasks.judge.rules.rule import BLUE_AND_GREEN, Candidate, Rule, free_answer_fault, prompt_id
from spiqa_tasks.judge.types import JudgeRequest, Verdict
from spiqa_tasks.scoring.l3score import expected_value

_FIELD = re.compile(r"\{(question|reference|prediction)\}")
_FORM = (
    "a YAML file with prompt (a text with {question}, {reference} and {prediction}) and levels (name: value in [0, 1])"
)
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
    def values(self) -> Mapping[str, float]:
        """Letter -> its value in [0, 1]."""

    @property
    @abstractmethod
    def words(self) -> Mapping[str, float]:
        """Verdict in words, as the prompt shows it -> its value."""

    @property
    @abstractmethod
    def wording(self) -> tuple[str, str]:
        """Name and text of the prompt, as it enters the signature."""

    @abstractmethod
    def prompt(self, candidate: Candidate) -> str:
        """Return the prompt about an answer."""

    def request(self, candidate: Candidate, /) -> JudgeRequest:
        top = max(_LEAST_TOP, len(self.values))
        return candidate.marked(JudgeRequest(self.prompt(candidate), top_logprobs=top))

    def score(self, _candidate: Candidate, verdict: Verdict, /) -> float | None:
        """Return the expected value; None if the judge failed or its verdicts have less than `LEAST_MASS`."""
        return expected_value(verdict.top_logprobs, self._value, LEAST_MASS)

    def _value(self, token: str) -> float | None:
        """The value of a token, stripped; None if it is no verdict or begins several of different values."""
        if token in self.values:
            return self.values[token]
        begun = {value for word, value in self.words.items() if len(token) > 1 and word.startswith(token)}
        begun |= {value for word, value in self.words.items() if word.lower() == token.lower()}
        return begun.pop() if len(begun) == 1 else None

    def signature(self) -> dict[str, Any]:
        values = ",".join(f"{letter}={value:g}" for letter, value in self.values.items())
        prompt = prompt_id(*self.wording)
        return {
            "prompt": prompt,
            "rule": f"expected {values},mass>={LEAST_MASS:g}",
            "temperature": 0.0,
            "max_tokens": 1,
        }

    def fault(self, verdicts: Sequence[Verdict], /) -> str | None:
        scores = [self.score(*test) for test in zip(self.tests, verdicts, strict=True)]
        return free_answer_fault(verdicts, scores, f"one of {', '.join(self.values)}", middle=False)


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
    (("says all that the reference says", 1.0), ("says only a part of it, and nothing wrong", 0.5), ("is wrong", 0.0)),
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
    def values(self) -> dict[str, float]:
        return {letter: value for letter, (_, value) in zip(string.ascii_uppercase, self.rubric.levels, strict=False)}

    @property
    def words(self) -> dict[str, float]:
        return dict(self.rubric.levels)

    def prompt(self, candidate: Candidate) -> str:
        texts = {"question": candidate.question, "reference": candidate.reference, "prediction": candidate.shown}
        asked = _FIELD.sub(lambda found: texts[found[1]], self.rubric.prompt)
        return f"{asked}\n\n{self._choices()}"

    @property
    def wording(self) -> tuple[str, str]:
        return self.rubric.name, f"{self.rubric.prompt}\n\n{self._choices()}"

    def _choices(self) -> str:
        levels = (f"{letter}: {name}" for letter, (name, _) in zip(self.values, self.rubric.levels, strict=True))
        return "\n".join(("The answer", *levels, "Reply with the letter alone."))


@cache
def read_rubric(path: Path) -> Rubric:
    """Return the rubric of a YAML file; InputError for an unusable one."""
    import yaml

    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise InputError(f"Expected a rubric at {path}, {_FORM}; found {found_instead(error)}.") from error
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
