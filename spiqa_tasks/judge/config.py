"""A judge's configuration as plain data, and list prices; `resolve` reads it from arguments and the environment."""

import json
import random
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from spiqa_tasks.errors import JudgeError
from spiqa_tasks.judge.types import redacted

DEFAULT_JUDGE = "openai:gpt-4o"
JUDGE_VARIABLE = "SPIQA_JUDGE"
URL_VARIABLE = "SPIQA_JUDGE_BASE_URL"
KEY_VARIABLE = "SPIQA_JUDGE_API_KEY"
EXTRA_VARIABLE = "SPIQA_JUDGE_EXTRA"
NO_THINKING = '{"chat_template_kwargs": {"enable_thinking": false}}'
"""Extra fields that switch thinking off in vLLM, SGLang and `hf:`, for chat templates with that switch."""

PRICES: dict[str, tuple[float, float]] = {
    "gpt-3.5-turbo": (0.50, 1.50),
    "gpt-4": (30.00, 60.00),
    "gpt-4-turbo": (10.00, 30.00),
    "gpt-4.1": (2.00, 8.00),
    "gpt-4.1-mini": (0.40, 1.60),
    "gpt-4.1-nano": (0.10, 0.40),
    "gpt-4o": (2.50, 10.00),
    "gpt-4o-2024-05-13": (5.00, 15.00),
    "gpt-4o-mini": (0.15, 0.60),
    "claude-3-haiku-20240307": (0.25, 1.25),
    "claude-3-5-haiku-20241022": (0.80, 4.00),
    "claude-3-5-sonnet-20241022": (3.00, 15.00),
}
"""US dollars per million prompt and completion tokens, as of June 2025."""
DATE = re.compile(r"-\d{4}-\d{2}-\d{2}$|-\d{4}$")
"""End of a dated model's name, whose price is that of its base name."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Bounds of retries.

    A request fails after `max_attempts` tries that count: its first three, and those before which a test question was
    answered; one that was not takes the later ones back. A refusal (429) counts only if the request was first made more
    than `patience` seconds ago. If the policy is not `patient`, every try counts. All open requests fail once the judge
    has answered nothing for `patience` seconds, or asks for a longer wait. The delay before the next try is
    `base * 2**(tries - 1)` seconds, at most `cap`, times a random factor from 0.5 to 1.
    """

    max_attempts: int = 9
    patience: float = 300.0
    base: float = 0.25
    cap: float = 2.0
    patient: bool = True

    def delay(self, tries: int, retry_after: float | None, rng: random.Random) -> float:
        """Return the seconds to wait after the `tries`-th failure (from 1); never less than the server asked for."""
        backoff = min(self.cap, self.base * 2.0 ** min(tries - 1, 30)) * rng.uniform(0.5, 1.0)
        return backoff if retry_after is None else retry_after + backoff * 0.1


@dataclass(frozen=True)
class JudgeConfig:
    """Configuration of a judge; JudgeError for numbers out of range.

    Attributes:
        url: base URL of its server, without a trailing slash; empty for a model in this process.
        concurrency: most requests in flight.
        timeout: seconds for one request.
        extra: JSON object of additional fields of every request, or ''.
        price: US dollars per million prompt and completion tokens, or None.
        cache_dir: folder of `judge.sqlite`, in which verdicts are stored; None to store nothing.
    """

    provider: str
    model: str
    url: str = ""
    api_key: str | None = field(default=None, repr=False)
    concurrency: int = 64
    timeout: float = 60.0
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    extra: str = ""
    price: tuple[float, float] | None = None
    cache_dir: Path | None = None

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

    def cost(self, prompt_tokens: int, completion_tokens: int) -> float | None:
        """Return the price of these tokens in US dollars, or None."""
        return (
            None
            if self.price is None
            else (prompt_tokens * self.price[0] + completion_tokens * self.price[1]) / 1e6
        )

    def redact(self, text: str) -> str:
        return redacted(text, self.api_key)
