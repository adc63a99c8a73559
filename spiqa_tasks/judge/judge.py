"""A judge that is asked by a rule: tested before a run, asked about all answers together, named in signatures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from spiqa_tasks.errors import JudgeError
from spiqa_tasks.judge.config import JUDGE_VARIABLE, JudgeConfig
from spiqa_tasks.judge.engine import Engine, shared_engine
from spiqa_tasks.judge.providers import PROVIDERS
from spiqa_tasks.judge.retry import RetryPolicy
from spiqa_tasks.judge.rules import Rule, make_rule
from spiqa_tasks.judge.types import JudgeRequest, Verdict

_REMEDY = "check SPIQA_JUDGE, SPIQA_JUDGE_BASE_URL and SPIQA_JUDGE_API_KEY"
_PREFLIGHT_POLICY = RetryPolicy(max_attempts=3, patience=60.0, patient=False)


class Judge:
    """A judge that is asked by a rule; use from any thread.

    Args:
        judge: a config, whose process-wide engine is used, or an engine.
        rule: what it is asked.
        report: whether the engine's summary is printed after verdicts.

    Raises:
        JudgeError: the judge cannot return what the rule asks for, such as log-probabilities.
    """

    def __init__(self, judge: JudgeConfig | Engine, rule: Rule, *, report: bool = True) -> None:
        config = judge.config if isinstance(judge, Engine) else judge
        self.tests = [rule.request(candidate) for candidate in rule.tests]
        for request in self.tests:
            reason = PROVIDERS[config.provider].cannot(config.model, request)
            if reason is not None:
                able = (provider for provider in PROVIDERS.values() if provider.cannot("", request) is None)
                known = " and ".join(provider.logprob_judges or f"{provider.name}:<model>" for provider in able)
                raise JudgeError(f"{rule.title} cannot be judged by {config.name}: {reason}; choose one of {known}.")
        self.engine = judge if isinstance(judge, Engine) else shared_engine(judge)
        self.rule = rule
        self._report = report
        self._verdicts: dict[JudgeRequest, Verdict] = {}

    def preflight(self, *, anyway: bool = False) -> list[Verdict]:
        """Ask the rule's test questions, past the cache, and `check` the verdicts."""
        return self.check((self.engine.ask_now(request, _PREFLIGHT_POLICY) for request in self.tests), anyway=anyway)

    def check(self, answers: Iterable[Verdict], *, anyway: bool = False) -> list[Verdict]:
        """Return the verdicts on the test questions.

        Args:
            answers: to the test questions, in their order.
            anyway: whether a judge that is unfit by the rule is used all the same.

        Raises:
            JudgeError: the judge has no key, did not answer, or is unfit by the rule; the message has the remedy.
        """
        config, verdicts = self.engine.config, []
        named = config.name + (f" at {config.host}" if config.url else "")
        for verdict in answers:
            verdicts.append(verdict)
            if verdict.reason is not None:
                advice = verdict.reason if "; " in verdict.reason else f"{verdict.reason}; {_REMEDY}"
                raise JudgeError(f"The judge {named} did not answer a test question: {advice}, or {self.rule.remedy}.")
        fault = self.rule.fault(verdicts)
        if fault is not None and not anyway:
            raise JudgeError(f"The judge {named} cannot be used: {fault}, or {self.rule.remedy}.")
        return verdicts

    def verdicts(self, requests: Sequence[JudgeRequest]) -> list[Verdict]:
        """Return the verdicts in the order of the requests, waiting for all of them.

        A request has one verdict however often it is asked, also a failed one, so that all metrics are over the same.
        """
        new = [request for request in dict.fromkeys(requests) if request not in self._verdicts]
        if new:
            self._verdicts.update(zip(new, self.engine.map(new, report=self._report), strict=True))
        return [self._verdicts[request] for request in requests]

    @property
    def configured(self) -> dict[str, str]:
        """The judge's fields of a `Signature` that are known before it has answered."""
        config = self.engine.config
        fields = {"judge": config.name, "judge_host": config.host, "judge_extra": config.extra}
        fields |= {f"judge_{name}": str(value) for name, value in self.rule.signature().items()}
        return {name: value for name, value in fields.items() if value}

    @property
    def signature(self) -> dict[str, str]:
        """The judge's fields of a `Signature`, with the model as served once it has answered."""
        served = "+".join(self.engine.summary().models)
        return self.configured | ({"judge_served": served} if served else {})


def make_judge(rule: str, config: JudgeConfig | None, *, report: bool = True) -> Judge | None:
    """Return a judge that has passed the rule's test questions; None where judging is switched off.

    Args:
        rule: as `make_rule` takes it.
        config: the judge; None for none.
        report: see `Judge`.

    Raises:
        InputError: an unknown rule, or one that cannot be made.
        JudgeError: a judge that cannot be used, or none where the task cannot do without.
    """
    made = make_rule(rule, {})
    if config is None and made.required_by:
        raise JudgeError(
            f"Expected a judge for {made.required_by}, found {JUDGE_VARIABLE}=none. "
            f"Set {JUDGE_VARIABLE}=provider:model."
        )
    if config is None:
        return None
    judge = Judge(config, made, report=report)
    judge.preflight()
    return judge
