"""What judges of every rule share: an engine that is asked, a test question before the run."""

from __future__ import annotations

from collections.abc import Sequence

from spiqa_tasks.errors import JudgeError
from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.engine import Engine, shared_engine
from spiqa_tasks.judge.retry import RetryPolicy
from spiqa_tasks.judge.types import JudgeRequest, Verdict

_REMEDY = "check SPIQA_JUDGE, SPIQA_JUDGE_BASE_URL and SPIQA_JUDGE_API_KEY"
_PREFLIGHT_POLICY = RetryPolicy(max_attempts=3, max_seconds=60.0, patient=False)


class RuleJudge:
    """A judge that is asked what a rule says.

    `judge` is a config (its process-wide engine is used) or an engine, `test_requests` what it is asked before the run,
    `without` how to do without it.
    """

    def __init__(self, judge: JudgeConfig | Engine, test_requests: Sequence[JudgeRequest], without: str) -> None:
        self.engine = judge if isinstance(judge, Engine) else shared_engine(judge)
        self._test_requests = test_requests
        self._without = without

    def preflight(self) -> list[Verdict]:
        """Ask the test questions, past the cache; return the verdicts.

        Raises:
            JudgeError: the judge has no key, cannot be used, or answers so that the rule makes nothing of it; the
                message says what to do.
        """
        verdicts = []
        for request in self._test_requests:
            verdicts.append(self.engine.ask_now(request, _PREFLIGHT_POLICY))
            if not verdicts[-1].ok:
                remedy = "" if "; " in (verdicts[-1].reason or "") else f"; {_REMEDY}"
                raise JudgeError(
                    f"The judge {self._named} did not answer a test question: {verdicts[-1].reason}{remedy}, "
                    f"or {self._without}."
                )
        fault = self.fault(verdicts)
        if fault is not None:
            raise JudgeError(f"The judge {self._named} cannot be used: {fault}, or {self._without}.")
        return verdicts

    def fault(self, verdicts: Sequence[Verdict]) -> str | None:  # noqa: ARG002 - a rule that minds overrides it
        """Say why the verdicts on the test questions show a judge that cannot be used, and what to do; None: none."""
        return None

    @property
    def _named(self) -> str:
        config = self.engine.config
        return config.name + (f" at {config.host}" if config.url else "")
