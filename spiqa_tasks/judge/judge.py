"""Judges with a rule: preflight before a run, verdicts, signature fields."""

import logging
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from spiqa_tasks.errors import JudgeError
from spiqa_tasks.judge.asking import asked
from spiqa_tasks.judge.cache import VerdictCache, request_key
from spiqa_tasks.judge.config import JUDGE_VARIABLE, KEY_VARIABLE, JudgeConfig, RetryPolicy
from spiqa_tasks.judge.providers import PROVIDERS
from spiqa_tasks.judge.rules import Rule, make_rule
from spiqa_tasks.judge.types import JudgeRequest, JudgingEstimate, Summary, Verdict, united

_log = logging.getLogger("spiqa_tasks")
_REMEDY = "check SPIQA_JUDGE, SPIQA_JUDGE_BASE_URL and SPIQA_JUDGE_API_KEY"
_PREFLIGHT_POLICY = RetryPolicy(max_attempts=3, patience=60.0, patient=False)
"""Somebody waits for the run to start: a wrong address should be reported within a minute."""


class Asker:
    """One judge and its verdicts in this process.

    A request keeps its verdict, also a failed one, so that all metrics are over the same verdicts. With `report`, the
    summary goes to stderr after verdicts if it has changed.
    """

    def __init__(self, config: JudgeConfig, *, report: bool = False) -> None:
        self.config, self._report = config, report
        self._provider = PROVIDERS[config.provider]
        self._fingerprint = self._provider.fingerprint(config.model)
        self._requests: dict[str, JudgeRequest] = {}
        self._verdicts: dict[str, Verdict] = {}
        self._tested: set[str] = set()
        self._seconds, self._unstored, self._reported = 0.0, 0, ""

    def verdicts(self, requests: Sequence[JudgeRequest]) -> list[Verdict]:
        """Return the verdicts in the order of the requests, waiting for all of them.

        Each different one of their `singles` without a stored verdict is asked once; a verdict is stored as soon as it
        arrives. Raises JudgeError for a cache that cannot be read, MissingPartError if the provider's package is not
        installed.
        """
        wanted = [self.keyed([request]) for request in requests]
        new = {
            key: single
            for each in wanted
            for key, single in each.items()
            if key not in self._verdicts
        }
        if new:
            start = time.monotonic()
            with self.cache() as cache:
                known = cache.get(new)
                missing = {key: request for key, request in new.items() if key not in known}
                line = "judge %s at %s: %d requests, %d of their verdicts in the cache %s"
                at = self.config.host or "this process"
                _log.info(line, self.config.name, at, len(new), len(known), cache.path or "none")
                known |= asked(self.config, missing, cache.put) if missing else {}
            self._seconds += time.monotonic() - start
            self.take(known, cache.unstored)
        if self._report and self._verdicts and (line := self.summary().line()) != self._reported:
            self._reported = line
            print(line, file=sys.stderr)
        pairs = zip(requests, wanted, strict=True)
        return [united(request, [self._verdicts[key] for key in keys]) for request, keys in pairs]

    def take(self, verdicts: Mapping[str, Verdict], unstored: int = 0) -> None:
        """Add verdicts by key, `unstored` of which are not in the cache."""
        self._verdicts.update(verdicts)
        self._unstored += unstored

    def keyed(self, requests: Iterable[JudgeRequest]) -> dict[str, JudgeRequest]:
        """Return the requests' singles by their keys in the cache."""
        singles = (single for request in requests for single in request.singles)
        found = {request_key(self.config, self._fingerprint, single): single for single in singles}
        self._requests |= found
        return found

    def cache(self) -> VerdictCache:
        """Return the stored verdicts, as a context manager."""
        return VerdictCache(self.config.cache_dir and self.config.cache_dir / "judge.sqlite")

    def estimate(self, requests: Sequence[JudgeRequest]) -> JudgingEstimate:
        """Return the cost of judging these requests; asks nothing and needs no key."""
        wanted = self.keyed(requests)
        with self.cache() as cache:
            missing = [wanted[key] for key in wanted.keys() - cache.get(wanted).keys()]
        prompts = sum(
            len(each.prompt) // 4 + 10 for each in missing
        )  # English: 4 characters a token; 10 of the chat
        thinks = self._provider.thinks(self.config.model)
        completions = sum(each.max_tokens + (each.thoughts if thinks else 0) for each in missing)
        price = self.config.cost(prompts, completions)
        return JudgingEstimate(
            len(missing), len(wanted) - len(missing), prompts, completions, price
        )

    def require_key(self) -> None:
        """Raise JudgeError for a public server without a key."""
        config, provider = self.config, self._provider
        if not config.api_key and config.url and config.url == provider.url:
            raise JudgeError(
                f"The judge {config.name} needs a key and none was found; set {KEY_VARIABLE} (or "
                f"{provider.key_variable}), choose another judge with {JUDGE_VARIABLE}=provider:model, or switch "
                f"judging off with {JUDGE_VARIABLE}=none."
            )

    def summary(self) -> Summary:
        """Return the cost of judging so far."""
        answered = {key: verdict for key, verdict in self._verdicts.items() if verdict.ok}
        new = [verdict for verdict in answered.values() if not verdict.cached]
        prompts, completions = (
            sum(each.prompt_tokens for each in new),
            sum(each.completion_tokens for each in new),
        )
        requests = [self._requests[key] for key in answered]
        return Summary(
            self.config.name,
            judged=len(new),
            cached=len(answered) - len(new),
            failed=len(self._verdicts) - len(answered),
            seconds=self._seconds,
            prompt_tokens=prompts,
            completion_tokens=completions,
            cost=self.config.cost(prompts, completions),
            models=tuple(
                sorted({each.model for each in answered.values() if each.model} | self._tested)
            ),
            cut=len({request.prompt for request in requests if request.cut}),
            suspicious=len({request.prompt for request in requests if request.suspicious}),
            unstored=self._unstored,
        )


class Judge(Asker):
    """A judge with a rule; JudgeError if it cannot return what the rule asks for, such as log-probabilities."""

    def __init__(self, config: JudgeConfig, rule: Rule, *, report: bool = True) -> None:
        super().__init__(config, report=report)
        self.rule = rule
        self.tests = [rule.request(candidate) for candidate in rule.tests]
        for request in self.tests:
            if (reason := self._provider.cannot(config.model, request)) is not None:
                raise JudgeError(f"{rule.name} cannot be judged by {config.name}: {reason}.")

    def preflight(self, *, anyway: bool = False) -> list[Verdict]:
        """Ask the rule's test questions, past the cache, and `check` the verdicts."""
        self.require_key()
        config = replace(self.config, cache_dir=None, retry=_PREFLIGHT_POLICY)
        return self.check(Asker(config).verdicts(self.tests), anyway=anyway)

    def check(self, answers: Iterable[Verdict], *, anyway: bool = False) -> list[Verdict]:
        """Return the verdicts on the test questions, in their order.

        Raises JudgeError, with the remedy, if one failed or, unless `anyway`, the judge is unfit by the rule.
        """
        verdicts = list(answers)
        named = self.config.name + (f" at {self.config.host}" if self.config.url else "")
        for verdict in verdicts:
            if verdict.reason is not None:
                advice = (
                    verdict.reason if "; " in verdict.reason else f"{verdict.reason}; {_REMEDY}"
                )
                raise JudgeError(
                    f"The judge {named} did not answer a test question: {advice}, or {self.rule.remedy}."
                )
        self._tested |= {verdict.model for verdict in verdicts if verdict.model}
        fault = self.rule.fault(verdicts)
        if fault is not None and not anyway:
            raise JudgeError(f"The judge {named} cannot be used: {fault}, or {self.rule.remedy}.")
        return verdicts

    @property
    def configured(self) -> dict[str, str]:
        """The judge's fields of a `Signature` that are known before it has answered."""
        config = self.config
        fields = {"judge": config.name, "judge_host": config.host, "judge_extra": config.extra}
        fields |= {f"judge_{name}": str(value) for name, value in self.rule.signature().items()}
        return {name: value for name, value in fields.items() if value}

    @property
    def signature(self) -> dict[str, str]:
        """The judge's fields of a `Signature`, with the model as served once it has answered."""
        served = "+".join(self.summary().models)
        return self.configured | ({"judge_served": served} if served else {})


def make_judge(rule: str, config: JudgeConfig | None, *, report: bool = True) -> Judge | None:
    """Return a judge that has passed the rule's test questions, or None if judging is switched off.

    Raises InputError for a rule that cannot be made, JudgeError for an unusable judge, or none if the rule needs one.
    """
    made = make_rule(rule, {})
    if config is None:
        if not made.required_by:
            return None
        found = f"{JUDGE_VARIABLE}=none. Set {JUDGE_VARIABLE}=provider:model"
        raise JudgeError(f"Expected a judge for {made.required_by}, found {found}.")
    judge = Judge(config, made, report=report)
    judge.preflight()
    return judge
