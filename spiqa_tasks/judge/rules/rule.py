"""Base class of rules: the judge request for an answer, and the score of a verdict."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from spiqa_tasks.errors import InputError
from spiqa_tasks.judge.config import EXTRA_VARIABLE, NO_THINKING
from spiqa_tasks.judge.sanitize import LONGEST, is_suspicious, sanitize, shortened
from spiqa_tasks.judge.types import JudgeRequest, Verdict

NEITHER_REMEDY = (
    "a judge that thinks or greets first has to be told not to, for vLLM, SGLang and hf: with "
    f"--judge-extra or {EXTRA_VARIABLE} '{NO_THINKING}'; else choose another judge"
)
"""Remedy for a judge whose first word is none of those asked for."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """An answer to be judged.

    `reference` is the true answer, for a choice its letter; `letters` are those of a choice's
    options. `as_written` shows the answer unchanged, as released scripts do.
    """

    prediction: str
    question: str = ""
    reference: str = ""
    letters: tuple[str, ...] = ()
    as_written: bool = False

    @property
    def shown(self) -> str:
        """The answer as a judge is shown it: sanitized and shortened, unless as written."""
        return self.prediction if self.as_written else sanitize(shortened(self.prediction))

    def marked(self, request: JudgeRequest) -> JudgeRequest:
        """Return a request about the answer with its marks."""
        cut = not self.as_written and len(self.prediction) > LONGEST
        return replace(request, cut=cut, suspicious=is_suspicious(shortened(self.prediction)))


BLUE_AND_GREEN = tuple(
    Candidate(answer, "What colour is the sky on a clear day?", "Blue")
    for answer in ("Blue", "Green")
)
"""A right and a wrong answer: test questions for judges of free answers."""


@dataclass(frozen=True)
class Rule(ABC):
    """A rule for judging answers; pure, a frozen dataclass whose fields are its options.

    Attributes:
        name: in `RULES`, and what a benchmark calls it.
        metric: the metric of free answers that it gives; '' for rules of other answers.
        tests: answers that a judge is asked about before a run.
        remedy: how to do without a judge, after "or".
        required_by: the setting whose tasks cannot do without a judge; empty where scores are
            left out instead.
    """

    name: ClassVar[str]
    metric: ClassVar[str] = ""
    tests: ClassVar[tuple[Candidate, ...]]
    remedy: ClassVar[str] = "switch judging off with SPIQA_JUDGE=none"
    required_by: ClassVar[str] = ""

    @classmethod
    def options_of(cls, argument: str) -> Mapping[str, Any]:
        """Return the options in the text behind the rule's name and a colon, or InputError."""
        if argument:
            raise InputError(
                f"Expected the rule {cls.name} alone, found {argument!r} behind it. Leave that out."
            )
        return {}

    @abstractmethod
    def request(self, candidate: Candidate, /) -> JudgeRequest:
        """Return the judge request; a judge that cannot answer it is refused before the run."""

    @abstractmethod
    def score(self, candidate: Candidate, verdict: Verdict, /) -> float | None:
        """Return the score in [0, 1], or None for a verdict that failed or cannot be read."""

    @abstractmethod
    def signature(self) -> Mapping[str, Any]:
        """Return the rule's signature fields, without the `judge_` prefix."""

    def fault(self, _verdicts: Sequence[Verdict], /) -> str | None:
        """Return why a judge with these verdicts on `tests` is unfit, with the remedy, or None."""
        return None


def prompt_id(name: str, text: str, digits: int = 12) -> str:
    """Return a prompt's name in signatures, with the first digits of its text's sha256."""
    return f"{name}:{hashlib.sha256(text.encode()).hexdigest()[:digits]}"


def free_answer_fault(verdicts: Sequence[Verdict], scores: Sequence[float | None]) -> str | None:
    """Return why a judge with these verdicts on `BLUE_AND_GREEN` is unfit, or None.

    A score is None if its verdict says neither yes nor no.
    """
    for verdict, score in zip(verdicts, scores, strict=True):
        if score is None:
            begins = f"it begins its answer with {verdict.text.strip()[:20]!r}"
            return f"{begins} and not with yes or no; {NEITHER_REMEDY}"

    right, wrong = (score or 0.0 for score in scores)
    if right > 0.5 > wrong:
        return None
    return (
        f"asked whether Blue and whether Green means Blue it gave {right:.2f} and {wrong:.2f}, "
        "where a judge gives more than and less than 0.5; choose another one"
    )
