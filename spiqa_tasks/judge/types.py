"""Requests to a judge, its verdicts, their checks and redaction, and their cost. Pure."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal
from urllib.parse import quote

from spiqa_tasks.files.json_text import conforms
from spiqa_tasks.printable import counted, printable
from spiqa_tasks.scoring.l3score import ROUNDING
from spiqa_tasks.scoring.responses import without_reasoning

SUM_TOLERANCE = 0.01
"""Tolerance of a sum of probabilities above 1: servers round log-probabilities to few digits."""
LONGEST_TOKEN = 1_000
"""Most characters of a token: far beyond any vocabulary."""
LONGEST_DRAW = 100
"""Characters of a draw's answer, behind its thoughts, that are kept: enough to see what was said instead of a word."""
WITHOUT_LOGPROBS = (
    "choose openai:<model> with them, hf:<path>, or --rule sampled (the setting rule=sampled)"
)
"""Remedy for a judge without log-probabilities."""
SHORTEST_SECRET = 8
"""Characters of the shortest key that is hidden: a placeholder such as `EMPTY` would mangle messages."""
_PASSWORD = re.compile(r"(?<=//)[^/\s@]+@")


@dataclass(frozen=True, slots=True)
class JudgeRequest:
    """A request to the judge, sent at temperature 0 or, with `draws`, that many times at temperature 1.

    `top_logprobs` is the number of most likely first tokens to return; None asks for a written answer of at most
    `max_tokens`. `images` are local paths or http(s)/data URLs. `cut` flags a shortened answer, `suspicious` a
    possible prompt injection; both leave the verdict as it is. `repeat` numbers repeats of the same request, and its
    draws, each with its own verdict; it is not sent. A model that thinks may use `thoughts` more tokens.
    """

    prompt: str
    images: tuple[str, ...] = ()
    max_tokens: int = 1
    top_logprobs: int | None = 5
    cut: bool = False
    suspicious: bool = False
    repeat: int = 0
    draws: int = 0
    thoughts: int = 0

    @property
    def singles(self) -> list[JudgeRequest]:
        """The request once for each answer wanted."""
        first = self.repeat * self.draws
        return [replace(self, draws=1, repeat=first + draw) for draw in range(self.draws)] or [self]


@dataclass(frozen=True, slots=True)
class Verdict:
    """A judge's answer to a request, or the reason of its failure.

    `status` is "ok" or "judge_failed" (then `reason` is set and the other fields are empty). `top_logprobs` holds
    `(token, natural log of its probability)`, most likely first. `model` is the name the server itself reported.
    `cached` marks a verdict of the cache.
    """

    status: Literal["ok", "judge_failed"]
    text: str = ""
    top_logprobs: tuple[tuple[str, float], ...] = ()
    model: str | None = None
    reason: str | None = None
    cached: bool = False
    prompt_tokens: int = 0
    completion_tokens: int = 0

    @property
    def ok(self) -> bool:
        return self.status == "ok"

    @property
    def unread(self) -> str:
        """Reason for a missing score: the failure, or text that no rule reads."""
        words = "is none of its rule's verdicts"
        if self.top_logprobs:
            words = (
                "is no verdict of its rule, or its verdicts have too little probability together"
            )
        return self.reason or f"the judge's answer {self.text[:40]!r} {words}"


def united(request: JudgeRequest, draws: Sequence[Verdict]) -> Verdict:
    """Return a request's verdict from those of its `singles`.

    That of draws has what each said behind its thoughts, on a line, or is the first failed one.
    """
    failure = next((draw for draw in draws if not draw.ok), None)
    if failure or not request.draws:
        return failure or draws[0]
    lines = (map(str.strip, without_reasoning(draw.text).splitlines()) for draw in draws)
    return replace(
        draws[0],
        text="\n".join(" / ".join(filter(None, each))[:LONGEST_DRAW] for each in lines),
        cached=all(draw.cached for draw in draws),
        prompt_tokens=sum(draw.prompt_tokens for draw in draws),
        completion_tokens=sum(draw.completion_tokens for draw in draws),
    )


def failed(reason: str) -> Verdict:
    return Verdict("judge_failed", reason=printable(reason))


def logprobs_fault(pairs: Sequence[tuple[Any, Any]], wanted: int) -> str | None:
    """Return why the most likely first tokens cannot be scored, or None.

    Args:
        pairs: `(token, natural log of its probability)`, most likely first; -inf and servers' -9999 are probability 0.
        wanted: the number asked for.
    """
    if not pairs:
        return f"the server's answer has no token log-probabilities; {WITHOUT_LOGPROBS}"
    for token, logprob in pairs:
        if not isinstance(token, str) or len(token) > LONGEST_TOKEN:
            return f"the server's answer has a token that is none: {token!r:.40}"
        if not (logprob == -math.inf or conforms(logprob, float)) or logprob > ROUNDING:
            return f"the server's answer has a log-probability that is none: {logprob!r:.40}"
    if len(pairs) < wanted:
        return f"the server's answer has {len(pairs)} of {wanted} log-probabilities; use --top {max(len(pairs), 2)}"
    total = math.fsum(
        sorted((min(math.exp(logprob), 1.0) for _, logprob in pairs), reverse=True)[:wanted]
    )
    if total > 1 + SUM_TOLERANCE:
        return f"the server's answer has probabilities that add up to {total:.3g}"
    return None if total else "the server's answer has tokens of probability 0 alone"


def redacted(text: str, key: str | None) -> str:
    """Return a server's text without the key (plain, percent-encoded or as a JSON string) and passwords in URLs."""
    text = text.encode("utf-8", "replace").decode()  # half a surrogate pair cannot be stored
    if key and len(key) >= SHORTEST_SECRET:
        for form in (key, quote(key, safe=""), quote(key), json.dumps(key)[1:-1]):
            text = text.replace(form, "[key]")
    return _PASSWORD.sub("[credentials]@", text)


def redacted_verdict(verdict: Verdict, key: str | None) -> Verdict:
    model, reason = (
        None if text is None else redacted(text, key) for text in (verdict.model, verdict.reason)
    )
    pairs = tuple((redacted(token, key), logprob) for token, logprob in verdict.top_logprobs)
    return replace(
        verdict, text=redacted(verdict.text, key), top_logprobs=pairs, model=model, reason=reason
    )


@dataclass(frozen=True, slots=True)
class JudgingEstimate:
    """Estimated cost: requests to make, stored verdicts, tokens, US dollars (None: price unknown)."""

    calls: int
    cached: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None


@dataclass(frozen=True, slots=True)
class Summary:
    """Counts of one process: answered requests, verdicts from the cache, failures.

    `seconds` is the wall time spent waiting for verdicts. Tokens are those of requests answered now. `cost` is in US
    dollars (None: price unknown). `models` are the names that the server reported. `cut` and `suspicious` count judged
    answers with that flag, `unstored` verdicts that could not be written into the cache.
    """

    judge: str
    judged: int
    cached: int
    failed: int
    seconds: float
    prompt_tokens: int
    completion_tokens: int
    cost: float | None
    models: tuple[str, ...]
    cut: int = 0
    suspicious: int = 0
    unstored: int = 0

    def line(self) -> str:
        price = f", about ${self.cost:.2f}" if self.cost is not None else ""
        cut = f", {counted(self.cut, 'long answer')} shown without the middle" if self.cut else ""
        cut += (
            f", {counted(self.suspicious, 'suspicious answer')} (may speak to the judge)"
            if self.suspicious
            else ""
        )
        return (
            f"Judge {self.judge}: {self.judged} judged, {self.cached} from the cache, {self.failed} failed, "
            f"{self.seconds:.1f} s, {self.prompt_tokens + self.completion_tokens:,} tokens{price}{cut}"
        )


def combined(summaries: Sequence[Summary]) -> Summary:
    """Return the summary of processes (at least one) that asked one judge at the same time."""
    columns = {
        each.name: [getattr(summary, each.name) for summary in summaries]
        for each in fields(Summary)
    }
    changes = {name: sum(values) for name, values in columns.items() if isinstance(values[0], int)}
    return replace(
        summaries[0],
        seconds=max(columns["seconds"]),
        cost=None if None in columns["cost"] else sum(columns["cost"]),
        models=tuple(sorted({model for models in columns["models"] for model in models})),
        **changes,
    )
