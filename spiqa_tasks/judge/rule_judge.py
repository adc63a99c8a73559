"""What judges of every rule share: an engine that is asked, a test question before the run."""

from __future__ import annotations

from urllib.parse import urlsplit

from spiqa_tasks.errors import JudgeError
from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.engine import Engine, shared_engine
from spiqa_tasks.judge.pending import Pending
from spiqa_tasks.judge.retry import RetryPolicy
from spiqa_tasks.judge.types import JudgeRequest, Verdict

_PREFLIGHT_POLICY = RetryPolicy(max_attempts=3, max_seconds=60.0, patient=False)


class RuleJudge:
    """A judge that is asked what a rule says.

    `judge` is a config (its process-wide engine is used) or an engine, `test_request` what it is asked before the run,
    `remedy` what to do where it cannot answer that.
    """

    def __init__(self, judge: JudgeConfig | Engine, test_request: JudgeRequest, remedy: str) -> None:
        self.engine = judge if isinstance(judge, Engine) else shared_engine(judge)
        self._test_request = test_request
        self._remedy = remedy

    def submit(self, request: JudgeRequest) -> Pending:
        """Hand a request to the judge and return at once."""
        return self.engine.submit(request)

    def preflight(self) -> Verdict:
        """Ask one real question, past the cache.

        Raises:
            JudgeError: the judge has no key or cannot be used; the message says what to check.
        """
        verdict = self.engine.ask_now(self._test_request, _PREFLIGHT_POLICY)
        if not verdict.ok:
            config = self.engine.config
            judge = config.name + (f" at {host_of(config)}" if config.url else "")
            raise JudgeError(f"The judge {judge} did not answer a test question: {verdict.reason}; {self._remedy}.")
        return verdict


def host_of(config: JudgeConfig) -> str:
    """Return host and port of the judge's server; empty for a judge in this process."""
    return urlsplit(config.url).netloc
