"""Judges with a rule: preflight before a run, verdicts and their cost, signature fields."""

import logging
import os
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from spiqa_tasks.errors import JudgeError
from spiqa_tasks.judge.asking import ask_all
from spiqa_tasks.judge.cache import VerdictCache, request_key
from spiqa_tasks.judge.providers import PROVIDERS
from spiqa_tasks.judge.providers.provider import Adaptation
from spiqa_tasks.judge.resolve import judge_from_environ
from spiqa_tasks.judge.rules import Rule, make_rule
from spiqa_tasks.judge.types import (
    JUDGE_VARIABLE,
    KEY_VARIABLE,
    JudgeConfig,
    JudgeRequest,
    RetryPolicy,
    Verdict,
    verdict_of_draws,
)

_log = logging.getLogger("spiqa_tasks")
# What a refusal without a remedy of its own ends with.
_REMEDY = "check SPIQA_JUDGE and SPIQA_JUDGE_BASE_URL, try again later"

# Somebody waits for the run to start: a wrong address should be reported within a minute.
_PREFLIGHT_POLICY = RetryPolicy(max_attempts=3, patience=60.0, patient=False)

# Characters of a token in English, and tokens of the chat around a prompt.
_TOKEN_CHARACTERS, _CHAT_TOKENS = 4, 10


@dataclass(frozen=True, slots=True)
class JudgingEstimate:
    """Requests to make, stored verdicts, tokens, and US dollars (None: price unknown)."""

    calls: int
    cached: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None


class JudgeClient:
    """One judge and its verdicts in this process.

    A request keeps its verdict, also a failed one, so that all metrics are over the same verdicts.
    With `report`, the summary goes to stderr after new verdicts.
    """

    # How to do without a judge, as a message ends: `, or ...`.
    alternative = ""

    def __init__(self, config: JudgeConfig, *, report: bool = False) -> None:
        self.config = config
        self.provider = PROVIDERS[config.provider]
        self.adaptation = Adaptation()
        self._report = report
        self._fingerprint = self.provider.fingerprint(config.model)
        self._verdicts: dict[str, Verdict] = {}
        self._seconds = 0.0
        self.unstored = 0
        """Verdicts that could not be written into the cache."""

    def verdicts(self, requests: Sequence[JudgeRequest]) -> list[Verdict]:
        """Return the verdicts in the order of the requests, waiting for all of them.

        Each different draw without a stored verdict is asked for once; a verdict is stored as soon
        as it arrives. Raises JudgeError for a cache that cannot be read, MissingPartError if the
        provider's package is not installed.
        """
        wanted = self.keyed(requests)
        new = {key: draw for key, draw in wanted.items() if key not in self._verdicts}
        if new:
            self._judge(new)
            if self._report:
                print(self.summary(), file=sys.stderr)

        return [
            verdict_of_draws(request, [self._verdicts[key] for key in self.keyed([request])])
            for request in requests
        ]

    def keyed(self, requests: Iterable[JudgeRequest]) -> dict[str, JudgeRequest]:
        """Return the requests' draws by their keys in the cache."""
        return {
            request_key(self.config, self._fingerprint, draw): draw
            for request in requests
            for draw in request.requests_per_draw
        }

    def cache(self) -> VerdictCache:
        """Return the stored verdicts, as a context manager."""
        return VerdictCache(self.config.cache_dir and self.config.cache_dir / "judge.sqlite")

    def estimate(self, requests: Sequence[JudgeRequest]) -> JudgingEstimate:
        """Return the cost of judging these requests, at most; asks nothing and needs no key."""
        wanted = self.keyed(requests)
        with self.cache() as cache:
            stored = cache.get(wanted)

        prompts = completions = 0
        for key, request in wanted.items():
            if key not in stored:
                prompts += len(request.prompt) // _TOKEN_CHARACTERS + _CHAT_TOKENS
                completions += request.max_tokens + request.thoughts
        cost = self.config.cost(prompts, completions)
        return JudgingEstimate(len(wanted) - len(stored), len(stored), prompts, completions, cost)

    def require_key(self) -> None:
        """Raise JudgeError for a public server without a key."""
        config = self.config
        if not config.api_key and config.url and config.url == self.provider.url:
            raise JudgeError(
                f"The judge {config.name} needs a key, found none. Set {self.provider.key_variable}"
                f" (for the judge in {JUDGE_VARIABLE} also {KEY_VARIABLE}){self.alternative}."
            )

    def summary(self) -> str:
        """Return a line on the judging so far: its verdicts, time, tokens, price if known, and the
        last failure.
        """
        answered = [verdict for verdict in self._verdicts.values() if verdict.ok]
        new = [verdict for verdict in answered if not verdict.cached]
        prompts = sum(verdict.prompt_tokens for verdict in new)
        completions = sum(verdict.completion_tokens for verdict in new)
        line = (
            f"Judge {self.config.name}: {len(new)} judged, {len(answered) - len(new)} from the"
            f" cache, {len(self._verdicts) - len(answered)} failed, {self._seconds:.1f} s,"
            f" {prompts + completions:,} tokens"
        )
        cost = self.config.cost(prompts, completions)
        price = "" if cost is None else f", about ${cost:.2f}"
        return f"{line}{price}{self._last_failure()}"

    def _last_failure(self) -> str:
        """Return the end of the summary: why the last answer has no verdict, or ''."""
        reasons = [verdict.reason for verdict in self._verdicts.values() if verdict.reason]
        if not reasons:
            return ""
        return (
            f". The last: {reasons[-1]}. `spiqa-tasks score --judge ...` on the answers asks again."
        )

    def _judge(self, requests: dict[str, JudgeRequest]) -> None:
        """Take the verdicts on new requests from the cache, or ask for them."""
        start = time.monotonic()
        with self.cache() as cache:
            known = cache.get(requests)
            missing = {key: request for key, request in requests.items() if key not in known}
            _log.info(
                "judge %s at %s: %d requests, %d of their verdicts in the cache %s",
                self.config.name,
                self.config.host or "this process",
                len(requests),
                len(known),
                cache.path or "none",
            )
            if missing:
                known |= ask_all(self.config, missing, cache.put, self.adaptation)
        self._seconds += time.monotonic() - start
        self.unstored += cache.unstored
        self._verdicts |= known


class Judge(JudgeClient):
    """A judge with a rule; JudgeError if it cannot return what the rule asks for.

    If it `is_required`, no message says how to do without.
    """

    def __init__(
        self, config: JudgeConfig, rule: Rule, *, report: bool = True, is_required: bool = False
    ) -> None:
        super().__init__(config, report=report)
        self.rule = rule
        if not is_required:
            self.alternative = f", or {rule.remedy}"
        self.tests = [rule.request(candidate) for candidate in rule.tests]
        for request in self.tests:
            if reason := self.provider.cannot(request):
                raise JudgeError(
                    f"{rule.name} cannot be judged by {config.name}: {reason}{self.alternative}."
                )

    def preflight(self) -> list[Verdict]:
        """Ask the rule's test questions, past the cache; return their verdicts.

        Raises JudgeError, with the remedy, if one failed, or the judge is unfit by the rule.
        """
        self.require_key()
        client = JudgeClient(replace(self.config, cache_dir=None, retry=_PREFLIGHT_POLICY))
        client.adaptation = self.adaptation
        # the first one alone: what the server does not take is learned, or refused, once
        first = self.tests[0].requests_per_draw[:1]
        self._require_answers(client.verdicts(first))
        verdicts = client.verdicts(self.tests)
        self._require_answers(verdicts)

        if fault := self.rule.fault(verdicts):
            raise self._unfit(f"cannot be used: {fault}")
        return verdicts

    def _require_answers(self, verdicts: Sequence[Verdict]) -> None:
        """Raise JudgeError if a test question has no answer."""
        for verdict in verdicts:
            if verdict.reason:
                # a reason with a remedy has it behind a semicolon
                remedy = "" if "; " in verdict.reason else f"; {_REMEDY}"
                raise self._unfit(f"did not answer a test question: {verdict.reason}{remedy}")

    def _unfit(self, why: str) -> JudgeError:
        """Return the error for a judge that cannot answer by the rule, with the remedy."""
        at = f" at {self.config.host}" if self.config.url else ""
        return JudgeError(f"The judge {self.config.name}{at} {why}{self.alternative}.")

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
        verdicts = self._verdicts.values()
        served = {verdict.model for verdict in verdicts if verdict.model}
        adapted = {verdict.adapted for verdict in verdicts if verdict.adapted}
        fields = self.configured
        if served:
            fields["judge_served"] = "+".join(sorted(served))
        if adapted:
            fields["judge_adapted"] = "; ".join(sorted(adapted))
        return fields


def make_judge(rule: str, config: JudgeConfig | None, *, is_required: bool = False) -> Judge | None:
    """Return a judge that has passed the rule's test questions, or None if judging is switched off.

    Raises InputError for a rule that cannot be made, JudgeError for an unusable judge, or none if
    the rule needs one.
    """
    judge_rule = make_rule(rule, {})
    if config is None:
        if not judge_rule.required_by:
            return None
        found = f"{JUDGE_VARIABLE}=none. Set {JUDGE_VARIABLE}=provider:model"
        raise JudgeError(f"Expected a judge for {judge_rule.required_by}, found {found}.")

    judge = Judge(config, judge_rule, is_required=is_required)
    judge.preflight()
    return judge


# Rule -> the judge of `judge_of_environment`; None without one.
_of_environment: dict[str, Judge | None] = {}


def judge_of_environment(rule: str, *, is_required: bool = False) -> Judge | None:
    """Return the judge that the environment names, to score by a rule; None for `none`.

    The tasks of a host's run share it: its test questions are paid once, and its summary is of all.
    """
    if rule not in _of_environment:
        config = judge_from_environ(os.environ)
        _of_environment[rule] = make_judge(rule, config, is_required=is_required)
    return _of_environment[rule]
