"""L3Score's judge: the question it is asked, the record of what it said, the signature of the score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from spiqa_tasks.errors import InputError, JudgeError
from spiqa_tasks.judge.config import JudgeConfig, require_logprobs
from spiqa_tasks.judge.engine import Engine, shared_engine
from spiqa_tasks.judge.pending import JudgedRecord, Pending
from spiqa_tasks.judge.prompts import DEFAULT_PROMPT, l3_prompt, prompt_hash
from spiqa_tasks.judge.retry import RetryPolicy
from spiqa_tasks.judge.types import JudgeRequest, Verdict
from spiqa_tasks.scoring.l3score import l3score

TOP = 5
FULL_VOCABULARY = "full-vocabulary"
MIN_JUDGED = 0.99

_WORDS = ("yes", "yeah", "no")
_PREFLIGHT_POLICY = RetryPolicy(max_attempts=3, max_seconds=60.0, patient=False)
_REMEDY = "check SPIQA_JUDGE, SPIQA_JUDGE_BASE_URL and SPIQA_JUDGE_API_KEY, or switch judging off with SPIQA_JUDGE=none"


class L3Judge:
    """Asks a judge whether a candidate answer means what the reference means (SPIQA section 4, Fig. F.1).

    `judge` is a config (its process-wide engine is used) or an engine. `prompt` names one of `prompts.PROMPTS`. `top`
    is how many first-token log-probabilities enter the formula: the paper's 5 by default, more where the server gives
    more (OpenAI up to 20), or "full-vocabulary": the first five, and yes and no looked up in the judge's whole
    vocabulary where they are not among them (`hf:` judges only). An empty candidate answer is judged like any other,
    as the released script does. Raises JudgeError for judges that cannot give log-probabilities.
    """

    def __init__(self, judge: JudgeConfig | Engine, prompt: str = DEFAULT_PROMPT, top: int | str = TOP) -> None:
        config = judge.config if isinstance(judge, Engine) else judge
        require_logprobs(config)
        if top != FULL_VOCABULARY and not (isinstance(top, int) and 2 <= top <= 1000):
            raise InputError(f"L3Score's top must be a number from 2 or {FULL_VOCABULARY!r}, found {top!r}.")
        if top == FULL_VOCABULARY and config.provider != "hf":
            raise JudgeError(f"Only hf: judges give the {FULL_VOCABULARY} rule, not {config.name}; use top=5.")
        prompt_hash(prompt)
        self.engine = judge if isinstance(judge, Engine) else shared_engine(judge)
        self._prompt = prompt
        self._top = top if isinstance(top, int) else None

    def request(self, question: str, reference: str, prediction: str) -> JudgeRequest:
        """What the judge is asked about one answer."""
        prompt = l3_prompt(self._prompt, question, reference, prediction)
        lookup = _WORDS if self._top is None else ()
        return JudgeRequest(prompt, top_logprobs=self._top or TOP, lookup=lookup)

    def submit(self, question: str, reference: str, prediction: str) -> Pending:
        """Hand one answer to the judge and return at once."""
        return self.engine.submit(self.request(question, reference, prediction))

    def record(
        self, fields: Mapping[str, Any], question: str, reference: str, prediction: str, *, score_key: str = "score"
    ) -> JudgedRecord:
        """A record with `fields` that gains the judged fields when the verdict is there; returns at once."""
        pending = self.submit(question, reference, prediction)
        return JudgedRecord(fields, pending, lambda verdict: self.fields(verdict, score_key=score_key))

    def score(self, verdict: Verdict) -> float | None:
        """L3Score in [0, 1]; None where the judge failed."""
        return l3score(verdict.top_logprobs, top=self._top) if verdict.ok else None

    def fields(self, verdict: Verdict, *, score_key: str = "score") -> dict[str, Any]:
        """The judged fields of a record; without a score where the judge failed."""
        score = self.score(verdict)
        if score is None:
            return {"status": verdict.status, "reason": verdict.reason}
        return {
            score_key: score,
            "status": verdict.status,
            "reason": None,
            "judge_model": verdict.model,
            "top_logprobs": [list(pair) for pair in verdict.top_logprobs],
        }

    def finish(self, records: Sequence[Mapping[str, Any]], *, report: bool = True) -> None:
        """Wait for all records and fill them in; plain dicts (from other processes) are complete already."""
        judged = [record for record in records if isinstance(record, JudgedRecord)]
        pendings = [record.pending for record in judged if record.pending is not None]
        self.engine.wait(pendings, report=report and bool(pendings))
        for record in judged:
            record.resolve()

    def preflight(self) -> Verdict:
        """Ask one real question, past the cache; JudgeError with the remedy where the judge cannot be used."""
        request = self.request("What colour is the sky?", "Blue", "It is blue.")
        verdict = self.engine.ask_now(request, _PREFLIGHT_POLICY)
        if not verdict.ok:
            url = self.engine.config.url
            judge = self.engine.config.name + (f" at {_host(url)}" if url else "")
            raise JudgeError(f"The judge {judge} did not answer a test question: {verdict.reason}; {_REMEDY}.")
        return verdict

    def signature_fields(self) -> dict[str, str]:
        """The signature as text, every key beginning with `judge`; the model as served once it has answered."""
        described = self.signature()
        served = described.pop("judge_served")
        fields = {key if key.startswith("judge") else f"judge_{key}": str(value) for key, value in described.items()}
        return fields | ({"judge_served": "+".join(served)} if served else {})

    def signature(self) -> dict[str, Any]:
        """What the score depends on: the judge as configured and as served, prompt, rule, sampling."""
        config = self.engine.config
        return {
            "judge": config.name,
            "judge_served": list(self.engine.summary().models),
            "judge_host": _host(config.url),
            "prompt": f"{self._prompt}:{prompt_hash(self._prompt)}",
            "rule": FULL_VOCABULARY if self._top is None else f"top-{self._top}",
            "temperature": 0.0,
            "max_tokens": 1,
        }


def headline(scores: Sequence[float | None]) -> float:
    """The mean of the judged scores; NaN where there is none, or fewer than 99% were judged (None: not judged)."""
    judged = [score for score in scores if score is not None]
    if not judged or len(judged) < MIN_JUDGED * len(scores):
        return float("nan")
    return sum(judged) / len(judged)


def _host(url: str) -> str:
    """Host and port of a URL; empty for a local judge."""
    return urlsplit(url).netloc
