"""L3Score's question to judges without log-probabilities: the share of yes among several answers."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from spiqa_tasks.errors import InputError
from spiqa_tasks.judge.rules.l3score import YesNoRule
from spiqa_tasks.judge.rules.rule import Candidate, free_answer_fault
from spiqa_tasks.judge.types import JudgeRequest, Verdict

DRAWS = 5
THOUGHTS = 2048
"""Tokens in which a model may think before a draw's answer: without an answer by then, the verdict has failed."""
_ANSWER_TOKENS = 16
"""Room for a word in Markdown, or behind a label."""
_SAID = re.compile(r"\W*(?:(?:final )?answer\W+)?(?:(yes|yeah)|no)(?:\s*$|\s*[^\w\s])", re.IGNORECASE)
"""Yes or no at the beginning of a draw, alone or before a mark: "no doubt" says neither."""


@dataclass(frozen=True)
class SampledRule(YesNoRule):
    """The score is the share of yes among draws at temperature 1: L3Score's estimate, for every judge that can chat.

    Written `sampled:K`, it makes K draws.

    Attributes:
        draws: their number.
    """

    name = "sampled"
    metric = "l3score_sampled"

    draws: int = DRAWS

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 1 <= self.draws <= 1000:
            raise InputError(f"Expected a number of draws from 1 to 1000, found {self.draws}. Correct it.")

    @classmethod
    def options_of(cls, argument: str) -> Mapping[str, Any]:
        if argument and not argument.isdecimal():
            raise InputError(f"Expected sampled or sampled:K with a number of draws K, found {argument!r}. Correct it.")
        return {"draws": int(argument)} if argument else {}

    def request(self, candidate: Candidate, /) -> JudgeRequest:
        prompt, draws = self.text(candidate), self.draws
        return candidate.marked(JudgeRequest(prompt, (), _ANSWER_TOKENS, None, draws=draws, thoughts=THOUGHTS))

    def score(self, _candidate: Candidate, verdict: Verdict, /) -> float | None:
        """Return the share of yes; None if the judge failed or a draw says neither yes nor no."""
        said = [_SAID.match(draw) for draw in verdict.text.split("\n")]
        return None if None in said else sum(bool(draw and draw[1]) for draw in said) / len(said)

    def signature(self) -> dict[str, Any]:
        return self.signed(f"share of {self.draws} draws", 1.0, _ANSWER_TOKENS + THOUGHTS)

    def fault(self, verdicts: Sequence[Verdict], /) -> str | None:
        scores = [self.score(*test) for test in zip(self.tests, verdicts, strict=True)]
        return free_answer_fault(verdicts, scores, "yes or no", middle=True)
