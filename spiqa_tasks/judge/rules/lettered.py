"""What rules share that have a judge choose one of several letters, each with a value."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from spiqa_tasks.judge.config import EXTRA_VARIABLE, NO_THINKING
from spiqa_tasks.judge.rules.rule import BLUE_AND_GREEN, Candidate, Rule
from spiqa_tasks.judge.types import JudgeRequest, Verdict
from spiqa_tasks.scoring.l3score import expected_value

LEAST_TOP = 5
"""Log-probabilities that are asked for where the letters are no more."""


@dataclass(frozen=True)
class LetteredRule(Rule):
    """Asks for one letter; the score is the expected value over the letters' log-probabilities."""

    tests = BLUE_AND_GREEN

    @property
    @abstractmethod
    def values(self) -> Mapping[str, float]:
        """Letter -> its value in [0, 1]."""

    @abstractmethod
    def prompt(self, candidate: Candidate) -> str:
        """Return what the judge is asked about an answer."""

    @abstractmethod
    def wording(self) -> str:
        """Return the name and digest of the prompt."""

    def request(self, candidate: Candidate, /) -> JudgeRequest:
        """Return the prompt, for the log-probabilities of one token."""
        top = max(LEAST_TOP, len(self.values))
        return candidate.marked(JudgeRequest(self.prompt(candidate), top_logprobs=top))

    def score(self, _candidate: Candidate, verdict: Verdict, /) -> float | None:
        """Return the expected value; None where the judge failed or none of the letters is among its tokens."""
        return expected_value(verdict.top_logprobs, self.values)

    def signature(self) -> dict[str, Any]:
        """Return prompt, values and sampling."""
        values = ",".join(f"{letter}={value:g}" for letter, value in self.values.items())
        return {"prompt": self.wording(), "rule": f"expected {values}", "temperature": 0.0, "max_tokens": 1}

    def fault(self, verdicts: Sequence[Verdict], /) -> str | None:
        """Return why a judge is unfit: it writes no letter, or a wrong answer is worth as much as a right one."""
        scores = [self.score(*test) for test in zip(self.tests, verdicts, strict=True)]
        for verdict, score in zip(verdicts, scores, strict=True):
            if score is None:
                return (
                    f"it begins its answer with {verdict.text.strip()[:20]!r} and not with one of "
                    f"{', '.join(self.values)}; a judge that thinks first has to be told not to, for vLLM, SGLang and "
                    f"hf: with --judge-extra or {EXTRA_VARIABLE} '{NO_THINKING}'; else choose another judge"
                )
        right, wrong = (score or 0.0 for score in scores)
        if right <= wrong:
            return (
                f"asked whether Blue and whether Green means Blue it gave {right:.2f} and {wrong:.2f}, where a judge "
                "gives the first more; choose another one"
            )
        return None
