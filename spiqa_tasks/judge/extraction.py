"""A judge that finds the letter in an answer that the matcher leaves open (SciFIBench appendix G.2)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from spiqa_tasks.errors import JudgeError
from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.engine import Engine, shared_engine
from spiqa_tasks.judge.pending import JudgedRecord
from spiqa_tasks.judge.retry import RetryPolicy
from spiqa_tasks.judge.types import JudgeRequest, Verdict
from spiqa_tasks.scoring.mcq import extract_choice

PROMPT = (
    "Here is the output from a generative model:\n{output}\n"
    "The output contains the answer to a multiple choice question with options {first}) - {last}). "
    "Return only the letter of the answer. If no answer is found, return None."
)
MAX_TOKENS = 16
_PREFLIGHT_POLICY = RetryPolicy(max_attempts=3, max_seconds=60.0, patient=False)


class LetterJudge:
    """Asks a judge for the letter of an answer; any judge that writes text will do."""

    def __init__(self, judge: JudgeConfig | Engine) -> None:
        self.engine = judge if isinstance(judge, Engine) else shared_engine(judge)

    @property
    def name(self) -> str:
        """The judge as configured and the hash of the prompt."""
        return f"{self.engine.config.name}#{hashlib.sha256(PROMPT.encode()).hexdigest()[:8]}"

    def request(self, response: str, letters: Sequence[str]) -> JudgeRequest:
        """What the judge is asked about one answer."""
        prompt = PROMPT.format(output=response, first=letters[0], last=letters[-1])
        return JudgeRequest(prompt, kind="text", max_tokens=MAX_TOKENS)

    def record(self, fields: Mapping[str, Any], response: str, letters: Sequence[str], answer: str) -> JudgedRecord:
        """A record with `fields` that gains `letter` (or None) and `score` with the verdict; returns at once."""
        pending = self.engine.submit(self.request(response, letters))
        return JudgedRecord(fields, pending, lambda verdict: self._fields(verdict, letters, answer))

    def finish(self, records: Sequence[Mapping[str, Any]]) -> None:
        """Wait for all records and fill them in; plain dicts are complete already."""
        judged = [record for record in records if isinstance(record, JudgedRecord)]
        pendings = [record.pending for record in judged if record.pending is not None]
        self.engine.wait(pendings, report=bool(pendings))
        for record in judged:
            record.resolve()

    def preflight(self) -> None:
        """Ask one real question, past the cache.

        Raises:
            JudgeError: the judge cannot be used.
        """
        verdict = self.engine.ask_now(self.request("The answer is B.", "ABCDE"), _PREFLIGHT_POLICY)
        if not verdict.ok:
            raise JudgeError(
                f"Expected the judge {self.engine.config.name} to answer a test question: {verdict.reason}. Check "
                "SPIQA_JUDGE, SPIQA_JUDGE_BASE_URL and SPIQA_JUDGE_API_KEY, or use a task without extractor=judge."
            )

    def _fields(self, verdict: Verdict, letters: Sequence[str], answer: str) -> dict[str, Any]:
        if not verdict.ok:
            return {"status": verdict.status, "reason": verdict.reason}
        letter = extract_choice(verdict.text, dict.fromkeys(letters, "")).letter
        return {"letter": letter, "score": float(letter == answer), "status": "ok", "judge_model": verdict.model}
