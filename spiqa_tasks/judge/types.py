"""Requests to a judge, its verdicts, and their redaction. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal
from urllib.parse import quote

from spiqa_tasks.printable import printable
from spiqa_tasks.scoring.responses import without_reasoning

# Characters kept of a draw's answer, behind its thoughts: enough to see what was said.
LONGEST_DRAW = 100

# Beginning of the reason for a draw that ended at the limit of its tokens.
CUT_OFF = "the judge's answer was cut off before a verdict"

# Characters of the shortest key that is hidden: hiding `EMPTY` would mangle texts.
SHORTEST_SECRET = 8

_PASSWORD = re.compile(r"(?<=//)[^/\s@]+@")


@dataclass(frozen=True, slots=True)
class JudgeRequest:
    """A request, sent at temperature 0 or, with `draws`, that many times at temperature 1.

    Attributes:
        images: local paths or http(s)/data URLs.
        top_logprobs: number of most likely first tokens to return; None for a written answer.
        cut: whether the answer is shown without its middle.
        repeat: number of a repeat of the same request, and of a draw; not sent.
        thoughts: further tokens for a model that thinks first.
    """

    prompt: str
    images: tuple[str, ...] = ()
    max_tokens: int = 1
    top_logprobs: int | None = 5
    cut: bool = False
    repeat: int = 0
    draws: int = 0
    thoughts: int = 0

    @property
    def requests_per_draw(self) -> list[JudgeRequest]:
        """One request for each draw; the request itself without draws."""
        if not self.draws:
            return [self]
        first = self.repeat * self.draws
        return [replace(self, draws=1, repeat=first + draw) for draw in range(self.draws)]


@dataclass(frozen=True, slots=True)
class Verdict:
    """A judge's answer to a request, or the reason of its failure.

    Attributes:
        status: "judge_failed" has a `reason` and no other fields.
        top_logprobs: `(token, natural log of its probability)`, most likely first.
        model: the name that the server reported.
        cached: whether it is from the cache.
        adapted: changes to the request that the server asked for (`Adaptation.text`).
    """

    status: Literal["ok", "judge_failed"]
    text: str = ""
    top_logprobs: tuple[tuple[str, float], ...] = ()
    model: str | None = None
    reason: str | None = None
    cached: bool = False
    prompt_tokens: int = 0
    completion_tokens: int = 0
    adapted: str = ""

    @property
    def ok(self) -> bool:
        return self.status == "ok"

    @property
    def unread(self) -> str:
        """Reason for a missing score: the failure, or text that the rule cannot read."""
        if self.reason:
            return self.reason
        return f"the judge's answer {self.text[:40]!r} is no verdict of its rule"


def verdict_of_draws(request: JudgeRequest, draws: Sequence[Verdict]) -> Verdict:
    """Return a request's verdict from those of its `requests_per_draw`.

    With several draws: one line of text per draw, reasoning removed; the first failure if any draw
    failed.
    """
    for draw in draws:
        if not draw.ok:
            return draw
    if not request.draws:
        return draws[0]

    return replace(
        draws[0],
        text="\n".join(_one_line(draw.text) for draw in draws),
        cached=all(draw.cached for draw in draws),
        prompt_tokens=sum(draw.prompt_tokens for draw in draws),
        completion_tokens=sum(draw.completion_tokens for draw in draws),
    )


def _one_line(text: str) -> str:
    lines = [line.strip() for line in without_reasoning(text).splitlines()]
    return " / ".join(line for line in lines if line)[:LONGEST_DRAW]


def failed(reason: str) -> Verdict:
    """Return the verdict of a failure; the reason may quote a server."""
    return Verdict("judge_failed", reason=printable(reason))


def redacted(text: str, *secrets: str | None) -> str:
    """Return a text without secrets (plain, percent-encoded, in JSON) and passwords in URLs."""
    text = text.encode("utf-8", "replace").decode()  # half a surrogate pair cannot be stored
    for secret in secrets:
        if secret and len(secret) >= SHORTEST_SECRET:
            for form in (secret, quote(secret, safe=""), quote(secret), json.dumps(secret)[1:-1]):
                text = text.replace(form, "[key]")
    return _PASSWORD.sub("[credentials]@", text)


def redacted_verdict(verdict: Verdict, *secrets: str | None) -> Verdict:
    """Return a verdict whose texts are `redacted`."""
    return replace(
        verdict,
        text=redacted(verdict.text, *secrets),
        top_logprobs=tuple(
            (redacted(token, *secrets), logprob) for token, logprob in verdict.top_logprobs
        ),
        model=verdict.model and redacted(verdict.model, *secrets),
        reason=verdict.reason and redacted(verdict.reason, *secrets),
    )
