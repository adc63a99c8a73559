"""The letter of an answer that the matcher leaves open, by a judge (SciFIBench G.2)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from spiqa_tasks.judge.rules.rule import Candidate, Rule, prompt_id
from spiqa_tasks.judge.types import JudgeRequest, Verdict
from spiqa_tasks.scoring.mcq import extract_choice
from spiqa_tasks.scoring.responses import without_reasoning

_NONE = re.compile(r"\W*(?:none|no answer)\b", re.IGNORECASE)
"""The verdict that an answer has no letter, as the prompt asks for it."""


@dataclass(frozen=True)
class LettersRule(Rule):
    """Asks for the letter alone, in the paper's words; the score is 1 for the true one, else 0.

    A text that names neither a letter nor that there is none is no verdict.
    """

    name = "letters"
    tests = (Candidate("The answer is B.", reference="B", letters=tuple("ABCDE")),)
    remedy = "use a task without extractor=judge"
    required_by = "the setting extractor"

    template: ClassVar[str] = (
        "Here is the output from a generative model:\n{output}\nThe output contains the answer to a"
        " multiple choice question with options {first}) - {last}). Return only the letter of the"
        " answer. If no answer is found, return None."
    )
    max_tokens: ClassVar[int] = 16

    def request(self, candidate: Candidate, /) -> JudgeRequest:
        first, *_, last = candidate.letters
        prompt = self.template.format(output=candidate.shown, first=first, last=last)
        return candidate.marked(JudgeRequest(prompt, top_logprobs=None, max_tokens=self.max_tokens))

    def score(self, candidate: Candidate, verdict: Verdict, /) -> float | None:
        letter = extract_choice(verdict.text, dict.fromkeys(candidate.letters, "")).letter
        is_read = letter is not None or _NONE.match(without_reasoning(verdict.text)) is not None
        return float(letter == candidate.reference) if verdict.ok and is_read else None

    def fault(self, verdicts: Sequence[Verdict], /) -> str | None:
        read = zip(self.tests, verdicts, strict=True)
        wrote = next(
            (each.text[:40] for test, each in read if self.score(test, each) is None), None
        )
        return (
            None
            if wrote is None
            else f"asked for the letter of an answer it wrote {wrote!r}; choose another one"
        )

    def signature(self) -> dict[str, Any]:
        return {"prompt": prompt_id("letters", self.template, 8)}


@dataclass(frozen=True)
class ReleasedLettersRule(LettersRule):
    """Asks in the words of the authors' README; a source line's indent is part of them."""

    name = "letters_released"

    template: ClassVar[str] = (
        'Here is the output from a generative model:\n"{output}"\nThe output contains the answer to'
        " a multiple choice question with options {first}) - {last}). "
        + " " * 16
        + 'Return only the letter of the answer. If no answer is found, return "None".'
    )
    max_tokens: ClassVar[int] = 3
