"""A judge's configuration, requests to it, its verdicts, and their redaction; plain data."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from spiqa_tasks.errors import JudgeError
from spiqa_tasks.printable import printable
from spiqa_tasks.scoring.responses import without_reasoning

# The paper's judge (SPIQA, section 4).
DEFAULT_JUDGE = "openai:gpt-4o"
# Environment variables: how the judge is configured where no option is, as inside the hosts.
JUDGE_VARIABLE = "SPIQA_JUDGE"
URL_VARIABLE = "SPIQA_JUDGE_BASE_URL"
KEY_VARIABLE = "SPIQA_JUDGE_API_KEY"
HEADER_VARIABLE = "SPIQA_JUDGE_HEADER"
EXTRA_VARIABLE = "SPIQA_JUDGE_EXTRA"

# Most requests in flight, and seconds for one of them, if nothing else is said.
CONCURRENCY = 64
TIMEOUT = 60.0

# Extra fields that switch thinking off in vLLM, SGLang and `hf:`, for chat templates with that
# switch.
NO_THINKING = '{"chat_template_kwargs": {"enable_thinking": false}}'

# Characters kept of a draw's answer, behind its thoughts: enough to see what was said.
LONGEST_DRAW = 100

# Characters of the shortest key that is hidden: hiding `EMPTY` would mangle texts.
SHORTEST_SECRET = 8

# User and password of an address.
_PASSWORD = re.compile(r"(?<=//)[^/\s@]+@")


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Bounds of retries; `judge.patience` applies them.

    Attributes:
        max_attempts: tries of one request that count.
        patience: seconds without any answer after which all open requests fail.
        base, cap: seconds before the second try, and before any.
        patient: whether tries may count less than once; False before a run, where somebody waits.
    """

    max_attempts: int = 9
    patience: float = 300.0
    base: float = 0.25
    cap: float = 2.0
    patient: bool = True


@dataclass(frozen=True)
class JudgeConfig:
    """Configuration of a judge; JudgeError for numbers out of range.

    Attributes:
        url: base URL of its server, without a trailing slash; empty for a model in this process.
        concurrency: most requests in flight.
        timeout: seconds for one request.
        extra: JSON object of additional fields of every request, or ''.
        cache_dir: folder of `judge.sqlite`, in which verdicts are stored; None to store nothing.
        headers: `(name, value)` of additional headers; values are secrets.
    """

    provider: str
    model: str
    url: str = field(default="", repr=False)
    api_key: str | None = field(default=None, repr=False)
    concurrency: int = CONCURRENCY
    timeout: float = TIMEOUT
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    extra: str = ""
    cache_dir: Path | None = None
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        if self.concurrency < 1 or self.timeout <= 0:
            raise JudgeError("The judge's concurrency must be at least 1 and its timeout above 0.")

    @property
    def name(self) -> str:
        return f"{self.provider}:{self.model}"

    @property
    def host(self) -> str:
        """Host and port of its server, or '' for a model in this process."""
        return urlsplit(self.url).netloc.rpartition("@")[2]

    @property
    def extra_fields(self) -> dict[str, Any]:
        return json.loads(self.extra) if self.extra else {}

    @property
    def secrets(self) -> tuple[str | None, ...]:
        """Texts that must never be printed or stored: key, values of headers, query of the URL."""
        values = [value for _, value in self.headers]
        return (self.api_key, *values, urlsplit(self.url).query)

    def redact(self, text: str) -> str:
        """Return a text without this judge's secrets, and without passwords in URLs."""
        return redacted(text, *self.secrets)

    def redacted_verdict(self, verdict: Verdict) -> Verdict:
        """Return a verdict whose texts, as a server wrote them, are without secrets."""
        pairs = [(self.redact(token), logprob) for token, logprob in verdict.top_logprobs]
        return replace(
            verdict,
            text=self.redact(verdict.text),
            top_logprobs=tuple(pairs),
            model=verdict.model and self.redact(verdict.model),
            reason=verdict.reason and self.redact(verdict.reason),
        )

    def cost(self, prompt_tokens: int, completion_tokens: int) -> float | None:
        """Return the list price of these tokens in US dollars, by genai-prices.

        None for a model that it does not know, one in this process or self-hosted, and on Python
        3.10, for which the package does not exist.
        """
        try:
            # a large table: imported when a price is asked for
            from genai_prices import Usage, calc_price
        except ImportError:
            return None

        usage = Usage(input_tokens=prompt_tokens, output_tokens=completion_tokens)
        try:
            price = calc_price(usage, self.model, provider_api_url=self.url)
        except LookupError:
            return None
        return float(price.total_price)


@dataclass(frozen=True, slots=True)
class JudgeRequest:
    """A request, sent at temperature 0 or, with `draws`, that many times at temperature 1.

    All fields are of the key of its stored verdict: a new one has every verdict asked for again.

    Attributes:
        images: paths of pictures.
        top_logprobs: number of most likely first tokens to return; None for a written answer.
        repeat: number of a draw, from 0; not sent.
        thoughts: further tokens for a model that thinks first.
    """

    prompt: str
    images: tuple[str, ...] = ()
    max_tokens: int = 1
    top_logprobs: int | None = 5
    repeat: int = 0
    draws: int = 0
    thoughts: int = 0

    @property
    def requests_per_draw(self) -> list[JudgeRequest]:
        """One request for each draw; the request itself unless it has several."""
        if self.draws <= 1:
            return [self]
        return [replace(self, draws=1, repeat=draw) for draw in range(self.draws)]


@dataclass(frozen=True, slots=True)
class Verdict:
    """A judge's answer to a request, or the reason of its failure.

    Attributes:
        reason: why there is no answer, and no other field; None for an answer.
        top_logprobs: `(token, natural log of its probability)`, most likely first.
        model: the name that the server reported.
        cached: whether it is from the cache.
        adapted: changes to the request that the server asked for (`Adaptation.text`).
    """

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
        return self.reason is None

    @property
    def why_no_score(self) -> str:
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
    """Return a draw's text as one line, without its reasoning: `Yes / as both name it`."""
    lines = [line.strip() for line in without_reasoning(text).splitlines()]
    return " / ".join(line for line in lines if line)[:LONGEST_DRAW]


def failed(reason: str) -> Verdict:
    """Return the verdict of a failure; the reason may quote a server."""
    return Verdict(reason=printable(reason))


def redacted(text: str, *secrets: str | None) -> str:
    """Return a text without secrets (plain, percent-encoded, in JSON) and passwords in URLs."""
    text = text.encode("utf-8", "replace").decode()  # half a surrogate pair cannot be stored
    for secret in secrets:
        if secret and len(secret) >= SHORTEST_SECRET:
            for form in (secret, quote(secret, safe=""), quote(secret), json.dumps(secret)[1:-1]):
                text = text.replace(form, "[key]")
    return _PASSWORD.sub("[credentials]@", text)
