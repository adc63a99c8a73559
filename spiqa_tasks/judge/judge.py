"""Judges with a rule: preflight before a run, verdicts, signature fields."""

import logging
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from spiqa_tasks.errors import JudgeError
from spiqa_tasks.judge.asking import ask_all
from spiqa_tasks.judge.cache import VerdictCache, request_key
from spiqa_tasks.judge.config import JUDGE_VARIABLE, KEY_VARIABLE, JudgeConfig, RetryPolicy
from spiqa_tasks.judge.cost import JudgingEstimate, Summary
from spiqa_tasks.judge.providers import PROVIDERS, Adaptation
from spiqa_tasks.judge.rules import Rule, make_rule
from spiqa_tasks.judge.types import CUT_OFF, JudgeRequest, Verdict, verdict_of_draws

_log = logging.getLogger("spiqa_tasks")
_REMEDY = "check SPIQA_JUDGE, SPIQA_JUDGE_BASE_URL and SPIQA_JUDGE_API_KEY"
_PREFLIGHT_POLICY = RetryPolicy(max_attempts=3, patience=60.0, patient=False)
"""Somebody waits for the run to start: a wrong address should be reported within a minute."""
MOST_CUT_OFF = 0.2
"""Share of the test questions' draws above which a judge that is cut off is no judge for a run: an
answer fails if one of its draws does."""
_TOKEN_CHARACTERS, _CHAT_TOKENS = 4, 10
"""Characters of a token in English, and tokens of the chat around a prompt."""


class JudgeClient:
    """One judge and its verdicts in this process.

    A request keeps its verdict, also a failed one, so that all metrics are over the same verdicts.
    With `report`, the summary goes to stderr after verdicts if it has changed.
    """

    def __init__(self, config: JudgeConfig, *, report: bool = False) -> None:
        self.config = config
        self.adaptation = Adaptation()
        self._report = report
        self._fingerprint = PROVIDERS[config.provider].fingerprint(config.model)
        self._requests: dict[str, JudgeRequest] = {}
        self._verdicts: dict[str, Verdict] = {}
        self._seconds = 0.0
        self._unstored = 0
        self._reported = ""

    def verdicts(self, requests: Sequence[JudgeRequest]) -> list[Verdict]:
        """Return the verdicts in the order of the requests, waiting for all of them.

        Each different draw without a stored verdict is asked for once; a verdict is stored as soon
        as it arrives. Raises JudgeError for a cache that cannot be read, MissingPartError if the
        provider's package is not installed.
        """
        keyed = [self.keyed([request]) for request in requests]
        new: dict[str, JudgeRequest] = {}
        for draws in keyed:
            new |= draws
        self._judge({key: draw for key, draw in new.items() if key not in self._verdicts})

        if self._report:
            self._print_summary()
        return [
            verdict_of_draws(request, [self._verdicts[key] for key in draws])
            for request, draws in zip(requests, keyed, strict=True)
        ]

    def keyed(self, requests: Iterable[JudgeRequest]) -> dict[str, JudgeRequest]:
        """Return the requests' draws by their keys in the cache."""
        draws = {
            request_key(self.config, self._fingerprint, draw): draw
            for request in requests
            for draw in request.requests_per_draw
        }
        self._requests |= draws
        return draws

    def cache(self) -> VerdictCache:
        """Return the stored verdicts, as a context manager."""
        return VerdictCache(self.config.cache_dir and self.config.cache_dir / "judge.sqlite")

    def estimate(self, requests: Sequence[JudgeRequest]) -> JudgingEstimate:
        """Return the cost of judging these requests, at most; asks nothing and needs no key."""
        wanted = self.keyed(requests)
        with self.cache() as cache:
            stored = cache.get(wanted)
        missing = [request for key, request in wanted.items() if key not in stored]

        prompts = sum(
            len(request.prompt) // _TOKEN_CHARACTERS + _CHAT_TOKENS for request in missing
        )
        completions = sum(request.max_tokens + request.thoughts for request in missing)
        cost = self.config.cost(prompts, completions)
        return JudgingEstimate(len(missing), len(stored), prompts, completions, cost)

    def require_key(self) -> None:
        """Raise JudgeError for a public server without a key."""
        config, provider = self.config, PROVIDERS[self.config.provider]
        if not config.api_key and config.url and config.url == provider.url:
            raise JudgeError(
                f"The judge {config.name} needs a key and none was found; set {KEY_VARIABLE} (or"
                f" {provider.key_variable}), choose another judge with"
                f" {JUDGE_VARIABLE}=provider:model, or switch judging off with"
                f" {JUDGE_VARIABLE}=none."
            )

    def summary(self) -> Summary:
        """Return the cost of judging so far."""
        answered = {key: verdict for key, verdict in self._verdicts.items() if verdict.ok}
        new = [verdict for verdict in answered.values() if not verdict.cached]
        prompts = sum(verdict.prompt_tokens for verdict in new)
        completions = sum(verdict.completion_tokens for verdict in new)
        # the draws of one answer count once
        asked = {self._requests[key].prompt: self._requests[key] for key in answered}

        return Summary(
            self.config.name,
            judged=len(new),
            cached=len(answered) - len(new),
            failed=len(self._verdicts) - len(answered),
            seconds=self._seconds,
            prompt_tokens=prompts,
            completion_tokens=completions,
            cost=self.config.cost(prompts, completions),
            models=self._different("model"),
            cut=sum(request.cut for request in asked.values()),
            suspicious=sum(request.suspicious for request in asked.values()),
            unstored=self._unstored,
        )

    def adaptations(self) -> tuple[str, ...]:
        """Return the changes to requests that the server asked for."""
        return self._different("adapted")

    def _different(self, field: str) -> tuple[str, ...]:
        values = {getattr(verdict, field) for verdict in self._verdicts.values()}
        return tuple(sorted(value for value in values if value))

    def _judge(self, requests: Mapping[str, JudgeRequest]) -> None:
        """Take the verdicts on new requests from the cache, or ask for them."""
        if not requests:
            return
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
        self._unstored += cache.unstored
        self._verdicts |= known

    def _print_summary(self) -> None:
        line = self.summary().line() if self._verdicts else ""
        if line != self._reported:
            self._reported = line
            print(line, file=sys.stderr)


class Judge(JudgeClient):
    """A judge with a rule; JudgeError if it cannot return what the rule asks for."""

    def __init__(self, config: JudgeConfig, rule: Rule, *, report: bool = True) -> None:
        super().__init__(config, report=report)
        self.rule = rule
        self.tests = [rule.request(candidate) for candidate in rule.tests]
        for request in self.tests:
            reason = PROVIDERS[config.provider].cannot(request)
            if reason is not None:
                raise JudgeError(f"{rule.name} cannot be judged by {config.name}: {reason}.")

    def preflight(self) -> list[Verdict]:
        """Ask the rule's test questions, past the cache; return their verdicts.

        Raises JudgeError, with the remedy, if one failed, or the judge is unfit by the rule.
        """
        self.require_key()
        client = JudgeClient(replace(self.config, cache_dir=None, retry=_PREFLIGHT_POLICY))
        client.adaptation = self.adaptation
        draws = [draw for request in self.tests for draw in request.requests_per_draw]
        # the first one alone: what the server does not take is learned, or refused, once
        (first,) = client.verdicts(draws[:1])
        if not _is_cut_off(first):
            self._require_answer(first)
        client.verdicts(draws)

        verdicts = [self._test_verdict(client, request) for request in self.tests]
        fault = self.rule.fault(verdicts)
        if fault is not None:
            raise self._unfit(f"cannot be used: {fault}")
        return verdicts

    def _test_verdict(self, client: JudgeClient, request: JudgeRequest) -> Verdict:
        """Return the verdict on a test question; of several draws a few may be cut off."""
        draws = client.verdicts(request.requests_per_draw)
        whole = [draw for draw in draws if not _is_cut_off(draw)]
        if len(draws) - len(whole) > MOST_CUT_OFF * len(draws):
            whole = draws
        for draw in whole:
            self._require_answer(draw)
        return verdict_of_draws(request, whole)

    def _require_answer(self, verdict: Verdict) -> None:
        if verdict.reason is not None:
            has_remedy = "; " in verdict.reason
            advice = verdict.reason if has_remedy else f"{verdict.reason}; {_REMEDY}"
            raise self._unfit(f"did not answer a test question: {advice}")

    def _unfit(self, why: str) -> JudgeError:
        at = f" at {self.config.host}" if self.config.url else ""
        return JudgeError(f"The judge {self.config.name}{at} {why}, or {self.rule.remedy}.")

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
        fields = {
            "judge_served": "+".join(self.summary().models),
            "judge_adapted": "; ".join(self.adaptations()),
        }
        return self.configured | {name: value for name, value in fields.items() if value}


def _is_cut_off(verdict: Verdict) -> bool:
    return verdict.reason is not None and verdict.reason.startswith(CUT_OFF)


def make_judge(rule: str, config: JudgeConfig | None, *, report: bool = True) -> Judge | None:
    """Return a judge that has passed the rule's test questions, or None if judging is switched off.

    Raises InputError for a rule that cannot be made, JudgeError for an unusable judge, or none if
    the rule needs one.
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
