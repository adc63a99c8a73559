"""L3Score: whether a candidate answer means what the reference means (SPIQA section 4, Fig. F.1).

By log-probabilities, or for judges without them by the share of yes among several answers.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
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
        "You are given a question, ground-truth answer, and a candidate answer. Question: {question} \n"
        "Ground-truth answer: {reference} \n"
        "Candidate answer: {prediction} \n"
        "Is the semantic meaning of the ground-truth and candidate answers similar? "
        "Answer in one word - Yes or No."
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
DRAWS = 5
THOUGHTS = 2048
"""Tokens in which a model may think before a draw's answer: without an answer by then, the verdict has failed."""
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

    def rewordings(self) -> Mapping[str, Rule]:
        return {name: replace(self, prompt=name) for name in PROMPTS if name != self.prompt}

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
        top: number of first-token log-probabilities in the formula (OpenAI returns up to 20, `hf:` up to 1,000).
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
        return l3score(verdict.top_logprobs, top=self.top) if verdict.ok else None

    def signature(self) -> dict[str, Any]:
        return self.signed(f"top-{self.top}", 0.0, 1)

    def fault(self, verdicts: Sequence[Verdict], /) -> str | None:
        scores = [
            None if says_neither(verdict.top_logprobs) else self.score(test, verdict)
            for test, verdict in zip(self.tests, verdicts, strict=True)
        ]
        return free_answer_fault(verdicts, scores, "yes or no", middle=True)


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
            raise InputError(
                f"Expected a number of draws from 1 to 1000, found {self.draws}. Correct it."
            )

    @classmethod
    def options_of(cls, argument: str) -> Mapping[str, Any]:
        if argument and not argument.isdecimal():
            raise InputError(
                f"Expected sampled or sampled:K with a number of draws K, found {argument!r}. Correct it."
            )
        return {"draws": int(argument)} if argument else {}

    def request(self, candidate: Candidate, /) -> JudgeRequest:
        prompt, draws = self.text(candidate), self.draws
        return candidate.marked(
            JudgeRequest(prompt, (), _ANSWER_TOKENS, None, draws=draws, thoughts=THOUGHTS)
        )

    def score(self, _candidate: Candidate, verdict: Verdict, /) -> float | None:
        """Return the share of yes; None if the judge failed or a draw says neither yes nor no."""
        said = [_SAID.match(draw) for draw in verdict.text.split("\n")]
        return None if None in said else sum(bool(draw and draw[1]) for draw in said) / len(said)

    def signature(self) -> dict[str, Any]:
        return self.signed(f"share of {self.draws} draws", 1.0, _ANSWER_TOKENS + THOUGHTS)

    def fault(self, verdicts: Sequence[Verdict], /) -> str | None:
        scores = [self.score(*test) for test in zip(self.tests, verdicts, strict=True)]
        return free_answer_fault(verdicts, scores, "yes or no", middle=True)


def says_neither(top_logprobs: Sequence[Sequence[Any]]) -> bool:
    """Return whether neither yes nor no is among the `(token, logprob)` pairs of a verdict."""
    return not any(token.strip().lower() in YES_FORMS | NO_FORMS for token, _ in top_logprobs)
