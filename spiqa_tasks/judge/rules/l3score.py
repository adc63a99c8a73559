"""L3Score: whether a candidate answer means what the reference means (SPIQA section 4, Fig. F.1)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from spiqa_tasks.errors import InputError
from spiqa_tasks.judge.rules.rule import BLUE_AND_GREEN, Candidate, Rule, free_answer_fault, prompt_id
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
            raise InputError(f"Unknown L3Score prompt {self.prompt!r}; expected one of {', '.join(PROMPTS)}.")

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
        return {"prompt": prompt, "rule": rule, "temperature": temperature, "max_tokens": max_tokens}


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
            raise InputError(f"L3Score's top must be a number from 2 to 1000, found {self.top!r}. Correct it.")

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


def says_neither(top_logprobs: Sequence[Sequence[Any]]) -> bool:
    """Return whether neither yes nor no is among the `(token, logprob)` pairs of a verdict."""
    return not any(token.strip().lower() in YES_FORMS | NO_FORMS for token, _ in top_logprobs)
