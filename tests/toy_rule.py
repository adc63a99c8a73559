"""A rule of one's own, complete: a verifier whose verdict is read from the log-probabilities of
two letters.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from spiqa_tasks.judge.rules import Candidate, Rule
from spiqa_tasks.judge.types import JudgeRequest, Verdict


@dataclass(frozen=True)
class Verifier(Rule):
    """Asks whether an answer is right (A) or wrong (B); the score is the share of A in their
    probabilities.

    Attributes:
        right: the word for the first letter.
    """

    name = "verifier"
    metric = "verified"
    tests = (Candidate("4", "2 + 2", "4"), Candidate("5", "2 + 2", "4"))

    right: str = "right"

    def request(self, candidate: Candidate, /) -> JudgeRequest:
        """Return the question, the true answer and the answer, and what the letters stand for."""
        prompt = (
            f"{candidate.question} = {candidate.reference}. Is {candidate.shown} A ({self.right})"
            " or B (wrong)?"
        )
        return JudgeRequest(prompt, top_logprobs=2)

    def score(self, _candidate: Candidate, verdict: Verdict, /) -> float | None:
        """Return the share of A in [0, 1]; None where the judge failed or wrote neither letter."""
        found = {
            token: math.exp(logprob)
            for token, logprob in verdict.top_logprobs
            if token in ("A", "B")
        }
        return found.get("A", 0.0) / sum(found.values()) if found else None

    def signature(self) -> dict[str, str]:
        """Return the wording and how it is read."""
        return {"prompt": f"verifier:{self.right}", "rule": "share of A"}

    def fault(self, verdicts: Sequence[Verdict], /) -> str | None:
        """Return what to do about a judge that says the same to a right and a wrong answer."""
        right, wrong = (self.score(*test) or 0.0 for test in zip(self.tests, verdicts, strict=True))
        return (
            None
            if right > 0.5 > wrong
            else "it does not know that 2 + 2 is 4; choose another judge"
        )
