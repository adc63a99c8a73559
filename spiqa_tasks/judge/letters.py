"""A judge that finds the letter in an answer that the matcher leaves open (SciFIBench appendix G.2)."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.engine import Engine
from spiqa_tasks.judge.rule_judge import RuleJudge
from spiqa_tasks.judge.sanitize import LONGEST, sanitize, shortened
from spiqa_tasks.judge.types import JudgeRequest, Verdict
from spiqa_tasks.scoring.mcq import extract_choice

PROMPT = (
    "Here is the output from a generative model:\n{output}\n"
    "The output contains the answer to a multiple choice question with options {first}) - {last}). "
    "Return only the letter of the answer. If no answer is found, return None."
)
MAX_TOKENS = 16
RELEASED = (
    'Here is the output from a generative model:\n"{output}"\n'
    "The output contains the answer to a multiple choice question with options {first}) - {last}). "
    + " " * 16
    + 'Return only the letter of the answer. If no answer is found, return "None".'
)
"""The wording of the authors' README, where the indent of a continued source line is part of the prompt."""
RELEASED_MAX_TOKENS = 3

_WITHOUT = "use a task without extractor=judge"


@dataclass(frozen=True)
class LetterRule:
    """Which letter an answer gives, read by a judge that writes text; pure.

    Attributes:
        released: whether the judge is asked in the words of the authors' README.
    """

    released: bool = False

    @property
    def prompt(self) -> str:
        """The wording."""
        return RELEASED if self.released else PROMPT

    def request(self, response: str, letters: Sequence[str]) -> JudgeRequest:
        """Return what the judge is asked about one answer to a question with these letters."""
        most = RELEASED_MAX_TOKENS if self.released else MAX_TOKENS
        prompt = self.prompt.format(output=sanitize(shortened(response)), first=letters[0], last=letters[-1])
        return JudgeRequest(prompt, top_logprobs=None, max_tokens=most, cut=len(response) > LONGEST)

    def letter(self, verdict: Verdict, letters: Sequence[str]) -> str | None:
        """Return the one of `letters` that the judge wrote; None where it wrote none or failed."""
        return extract_choice(verdict.text, dict.fromkeys(letters, "")).letter if verdict.ok else None

    def signature(self) -> str:
        """Return eight hexadecimal digits of the prompt's hash."""
        return hashlib.sha256(self.prompt.encode()).hexdigest()[:8]


class LetterJudge(RuleJudge):
    """Asks a judge what a `LetterRule` says; any judge that writes text will do."""

    kind = "letters"

    def __init__(self, judge: JudgeConfig | Engine, rule: LetterRule | None = None) -> None:
        self.rule = rule or LetterRule()
        super().__init__(judge, [self.rule.request("The answer is B.", "ABCDE")], _WITHOUT)

    def signature_fields(self) -> dict[str, str]:
        """Return the signature as text: the judge as configured and as served, its server and the prompt."""
        config, served = self.engine.config, self.engine.summary().models
        prompt = f"letters:{self.rule.signature()}"
        fields = {"judge": config.name, "judge_host": config.host, "judge_prompt": prompt}
        fields |= {"judge_extra": config.extra} if config.extra else {}
        return fields | ({"judge_served": "+".join(served)} if served else {})
