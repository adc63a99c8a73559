"""CompassVerifier: whether the final answer is right, as one of three letters (Liu et al., 2025, arXiv 2508.03686)."""

from dataclasses import dataclass
from functools import cache
from importlib import resources

from spiqa_tasks.judge.rules.grade import LetteredRule
from spiqa_tasks.judge.rules.rule import Candidate


@cache
def published_prompt() -> str:
    """Return the prompt as published, with its three fields."""
    return resources.files(__package__).joinpath("compass.txt").read_text(encoding="utf-8")


@dataclass(frozen=True)
class CompassRule(LetteredRule):
    """Asks for A (correct), B (incorrect) or C (invalid); the score is the share of A in their log-probabilities.

    The wording is that of the CompassVerifier models; any judge with log-probabilities may be asked.
    """

    name = metric = "compass"
    choices = (("A", "CORRECT", 1.0), ("B", "INCORRECT", 0.0), ("C", "INVALID", 0.0))

    @property
    def wording(self) -> tuple[str, str]:
        return self.name, published_prompt()

    def prompt(self, candidate: Candidate) -> str:
        fields = {"question": candidate.question, "gold_answer": candidate.reference, "llm_response": candidate.shown}
        return published_prompt().format(**fields)
