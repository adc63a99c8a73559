"""L3Score: whether a candidate answer means what the reference means (SPIQA section 4, Fig. F.1).

By log-probabilities, or for judges without them by the share of yes among several answers.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from spiqa_tasks.errors import InputError
from spiqa_tasks.judge.rules.rule import (
    BLUE_AND_GREEN,
    Candidate,
    Rule,
    free_answer_fault,
    prompt_id,
)
from spiqa_tasks.judge.types import JudgeRequest, Verdict
from spiqa_tasks.scoring.l3score import NO_FORMS, YES_FORMS, l3score

DEFAULT_PROMPT = "released"
PROMPTS: dict[str, str] = {
    # The wording of the authors' released script.
    "released": (
        "You are given a question, ground-truth answer, and a candidate answer. Question:"
        " {question} \nGround-truth answer: {reference} \nCandidate answer: {prediction} \nIs the"
        " semantic meaning of the ground-truth and candidate answers similar? Answer in one word -"
        " Yes or No."
    ),
    # SPIQA, Fig. F.1, line for line.
    "paper": (
        "You are given a question, ground-truth answer, and a candidate\n"
        "answer.\n"
        "\n"
        "Question: {question}\n"
        "Ground-truth answer: {reference}\n"
        "Candidate answer: {prediction}\n"
        "\n"
        "Is the semantic meaning of the ground-truth and candidate answers\n"
        "similar? Answer in one word - Yes or No."
    ),
}
TOP = 5
LEAST_MASS = 0.5
"""Probability of yes and no together below which a judge most likely writes something else, and the
share of yes between them is noise."""
DRAWS = 5
THOUGHTS = 2048
"""Tokens in which a model may think before a draw's answer."""
_ANSWER_TOKENS = 16
"""Room for a word in Markdown, or behind a label."""
_SAID = re.compile(
    r"\W*(?:(?:final )?answer\W+)?(?:(yes|yeah)|no)(?:\s*$|\s*[^\w\s])", re.IGNORECASE
)
"""Yes or no at the beginning of a draw, alone or before a mark: "no doubt" says neither."""


@dataclass(frozen=True)
class YesNoRule(Rule):
    """Asks for one word, yes or no. InputError for unusable options.

    An empty candidate answer is judged like any other, as the released script does.

    Attributes:
        prompt: a name in `PROMPTS`.
    """

    tests = BLUE_AND_GREEN

    prompt: str = DEFAULT_PROMPT

    def __post_init__(self) -> None:
        if self.prompt not in PROMPTS:
            raise InputError(
                f"Unknown L3Score prompt {self.prompt!r}; expected one of {', '.join(PROMPTS)}."
            )

    def text(self, candidate: Candidate) -> str:
        """Return the prompt about an answer."""
        return PROMPTS[self.prompt].format(
            question=candidate.question, reference=candidate.reference, prediction=candidate.shown
        )

    def signed(self, rule: str, temperature: float, max_tokens: int) -> dict[str, Any]:
        """Return the signature fields."""
        prompt = prompt_id(self.prompt, PROMPTS[self.prompt])
        return {
            "prompt": prompt,
            "rule": rule,
            "temperature": temperature,
            "max_tokens": max_tokens,
        }


@dataclass(frozen=True)
class L3ScoreRule(YesNoRule):
    """The score is the share of yes in the log-probabilities of the first token.

    Attributes:
        top: number of first-token log-probabilities in the formula (OpenAI returns up to 20,
            `hf:` up to 1,000).
    """

    name = metric = "l3score"

    top: int = TOP

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 2 <= self.top <= 1000:
            raise InputError(
                f"L3Score's top must be a number from 2 to 1000, found {self.top!r}. Correct it."
            )

    def request(self, candidate: Candidate, /) -> JudgeRequest:
        return candidate.marked(JudgeRequest(self.text(candidate), top_logprobs=self.top))

    def score(self, _candidate: Candidate, verdict: Verdict, /) -> float | None:
        """Return the score; 0, as published, if neither word is among all that were asked for."""
        pairs = verdict.top_logprobs
        is_short = len(pairs) < self.top and says_neither(pairs)
        if not verdict.ok or is_short:
            return None
        return l3score(pairs, top=self.top)

    def signature(self) -> dict[str, Any]:
        return self.signed(f"top-{self.top}", 0.0, 1)

    def fault(self, verdicts: Sequence[Verdict], /) -> str | None:
        scores = []
        for test, verdict in zip(self.tests, verdicts, strict=True):
            is_noise = yes_no_mass(verdict.top_logprobs) < LEAST_MASS
            scores.append(None if is_noise else self.score(test, verdict))
        return free_answer_fault(verdicts, scores)


@dataclass(frozen=True)
class SampledRule(YesNoRule):
    """The score is the share of yes among draws at temperature 1, an estimate of L3Score.

    Written `sampled:K`, it makes K draws.

    Attributes:
        draws: their number.
        thoughts: tokens in which a model may think before its answer; a longer thinker is cut off.
    """

    name = "sampled"
    metric = "l3score_sampled"

    draws: int = DRAWS
    thoughts: int = THOUGHTS

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 1 <= self.draws <= 1000:
            raise InputError(
                f"Expected a number of draws from 1 to 1000, found {self.draws}. Correct it."
            )
        if not 0 <= self.thoughts <= 1_000_000:
            raise InputError(
                f"Expected a number of thinking tokens of at least 0, found {self.thoughts}."
            )

    @classmethod
    def options_of(cls, argument: str) -> Mapping[str, Any]:
        if argument and not argument.isdecimal():
            raise InputError(
                f"Expected sampled or sampled:K with a number of draws K, found {argument!r}."
                " Correct it."
            )
        return {"draws": int(argument)} if argument else {}

    def request(self, candidate: Candidate, /) -> JudgeRequest:
        request = JudgeRequest(
            self.text(candidate),
            max_tokens=_ANSWER_TOKENS,
            top_logprobs=None,
            draws=self.draws,
            thoughts=self.thoughts,
        )
        return candidate.marked(request)

    def score(self, _candidate: Candidate, verdict: Verdict, /) -> float | None:
        """Return the share of yes; None if the judge failed or a draw says neither yes nor no."""
        draws = [_SAID.match(line) for line in verdict.text.split("\n")]
        if None in draws:
            return None
        return sum(bool(draw and draw[1]) for draw in draws) / len(draws)

    def signature(self) -> dict[str, Any]:
        return self.signed(f"share of {self.draws} draws", 1.0, _ANSWER_TOKENS + self.thoughts)

    def fault(self, verdicts: Sequence[Verdict], /) -> str | None:
        scores = [self.score(*test) for test in zip(self.tests, verdicts, strict=True)]
        return free_answer_fault(verdicts, scores)


def says_neither(top_logprobs: Sequence[Sequence[Any]]) -> bool:
    """Return whether neither yes nor no is among the `(token, logprob)` pairs of a verdict."""
    return not any(_is_yes_or_no(token) for token, _ in top_logprobs)


def yes_no_mass(top_logprobs: Sequence[Sequence[Any]]) -> float:
    """Return the probability of yes and no together, in all their spellings."""
    probabilities = [
        math.exp(min(logprob, 0.0)) for token, logprob in top_logprobs if _is_yes_or_no(token)
    ]
    return min(math.fsum(probabilities), 1.0)


def _is_yes_or_no(token: str) -> bool:
    return token.strip().lower() in YES_FORMS | NO_FORMS
