"""L3Score: the question put to a judge, the score of its verdict, and the judge that is asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from spiqa_tasks.errors import InputError, JudgeError
from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.engine import Engine
from spiqa_tasks.judge.l3_prompts import DEFAULT_PROMPT, l3_prompt, prompt_hash
from spiqa_tasks.judge.providers import PROVIDERS
from spiqa_tasks.judge.request_fields import EXTRA_VARIABLE, NO_THINKING
from spiqa_tasks.judge.rule_judge import RuleJudge
from spiqa_tasks.judge.sanitize import LONGEST
from spiqa_tasks.judge.types import JudgeRequest, Verdict
from spiqa_tasks.scoring.l3score import l3score, l3score_detail

TOP = 5
FULL_VOCABULARY = "full-vocabulary"

_WORDS = ("yes", "yeah", "no")
_TEST_QUESTION = ("What colour is the sky on a clear day?", "Blue")
_WITHOUT = "switch judging off with SPIQA_JUDGE=none"
NEITHER_REMEDY = (
    "a judge that thinks or greets first has to be told not to, for vLLM, SGLang and hf: with "
    f"--judge-extra or {EXTRA_VARIABLE} '{NO_THINKING}'; else choose another judge"
)
"""What to do about a judge whose first word is neither yes nor no."""


@dataclass(frozen=True)
class L3Rule:
    """Whether a candidate answer means what the reference means (SPIQA section 4, Fig. F.1); pure.

    `prompt` names one of `prompts.PROMPTS`. `top` is how many first-token log-probabilities enter the formula: the
    paper's 5 by default, more where the server gives more (OpenAI up to 20), or "full-vocabulary": the first five, and
    yes and no looked up in the judge's whole vocabulary where they are not among them. An empty candidate answer is
    judged like any other, as the released script does. Raises InputError for an unknown prompt or rule.
    """

    prompt: str = DEFAULT_PROMPT
    top: int | str = TOP

    def __post_init__(self) -> None:
        prompt_hash(self.prompt)
        if self.top != FULL_VOCABULARY and not (isinstance(self.top, int) and 2 <= self.top <= 1000):
            raise InputError(f"L3Score's top must be a number from 2 or {FULL_VOCABULARY!r}, found {self.top!r}.")

    @property
    def _top(self) -> int | None:
        """How many log-probabilities count; None for all that the judge returns."""
        return self.top if isinstance(self.top, int) else None

    def request(self, question: str, reference: str, prediction: str) -> JudgeRequest:
        """Return what the judge is asked about one answer."""
        prompt = l3_prompt(self.prompt, question, reference, prediction)
        lookup = () if self._top else _WORDS
        return JudgeRequest(prompt, top_logprobs=self._top or TOP, lookup=lookup, cut=len(prediction) > LONGEST)

    def score(self, verdict: Verdict) -> float | None:
        """Return the L3Score in [0, 1]; None where the judge failed."""
        return l3score(verdict.top_logprobs, top=self._top) if verdict.ok else None

    def signature(self) -> dict[str, Any]:
        """Return what the score depends on beside the judge: prompt, rule, sampling."""
        rule = FULL_VOCABULARY if self._top is None else f"top-{self._top}"
        return {
            "prompt": f"{self.prompt}:{prompt_hash(self.prompt)}",
            "rule": rule,
            "temperature": 0.0,
            "max_tokens": 1,
        }


class L3Judge(RuleJudge):
    """Asks a judge what an `L3Rule` says.

    `judge` is a config (its process-wide engine is used) or an engine. Raises JudgeError for a judge that cannot give
    what the rule needs: log-probabilities, for "full-vocabulary" those of its whole vocabulary.
    """

    kind = "l3"

    def __init__(self, judge: JudgeConfig | Engine, rule: L3Rule | None = None) -> None:
        self.rule = rule or L3Rule()
        config = judge.config if isinstance(judge, Engine) else judge
        provider = PROVIDERS[config.provider]
        reason = provider.why_no_logprobs(config.model)
        if reason is not None:
            known = " and ".join(provider.logprob_judges for provider in PROVIDERS.values() if provider.logprob_judges)
            raise JudgeError(f"L3Score cannot be judged by {config.name}: {reason}; choose one of {known}.")
        if self.rule.top == FULL_VOCABULARY and not provider.searches_vocabulary:
            raise JudgeError(f"The judge {config.name} cannot give the {FULL_VOCABULARY} rule; use top={TOP}, or hf:.")
        tests = [self.rule.request(*_TEST_QUESTION, answer) for answer in ("Blue", "Green")]
        super().__init__(judge, tests, _WITHOUT)

    def fault(self, verdicts: Sequence[Verdict]) -> str | None:
        """Say what the verdicts on a right and a wrong answer lack; see `RuleJudge.fault`."""
        wanted = self.rule.request(*_TEST_QUESTION, "").top_logprobs or 0
        fewest = min(len(verdict.top_logprobs) for verdict in verdicts)
        if fewest < wanted:
            return f"it gives {fewest} log-probabilities where the rule needs {wanted}; use --top {max(fewest, 2)}"
        words = [verdict.text.strip()[:20] for verdict in verdicts if says_neither(verdict.top_logprobs)]
        if words:
            return f"it begins its answer with {words[0]!r} and not with yes or no; {NEITHER_REMEDY}"
        right, wrong = (self.rule.score(verdict) or 0.0 for verdict in verdicts)
        if not right > 0.5 > wrong:
            return (
                f"asked whether Blue and whether Green means Blue it gave {right:.2f} and {wrong:.2f}, where a judge "
                "gives more than and less than 0.5; choose another one"
            )
        return None

    def signature_fields(self) -> dict[str, str]:
        """Return the signature as text, every key beginning with `judge`; the model as served once it has answered."""
        described = self.signature()
        served = described.pop("judge_served")
        fields = {key if key.startswith("judge") else f"judge_{key}": str(value) for key, value in described.items()}
        return fields | ({"judge_served": "+".join(served)} if served else {})

    def signature(self) -> dict[str, Any]:
        """Return what the score depends on: the judge as configured and as served, and the rule."""
        config = self.engine.config
        return {
            "judge": config.name,
            "judge_served": list(self.engine.summary().models),
            "judge_host": config.host,
            **self.rule.signature(),
            **({"judge_extra": config.extra} if config.extra else {}),
        }


def says_neither(top_logprobs: Sequence[Sequence[Any]]) -> bool:
    """Return whether neither yes nor no is among the `(token, logprob)` pairs of a verdict."""
    return l3score_detail([(token, logprob) for token, logprob in top_logprobs], top=None).case == "neither"
