"""A judge's configuration as plain data; `resolve` reads it from arguments and the environment."""

import json
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
HEADER_VARIABLE = "SPIQA_JUDGE_HEADER"
EXTRA_VARIABLE = "SPIQA_JUDGE_EXTRA"

# Most requests in flight, and seconds for one of them, if nothing else is said.
CONCURRENCY = 64
TIMEOUT = 60.0

# Extra fields that switch thinking off in vLLM, SGLang and `hf:`, for chat templates with that
# switch.
NO_THINKING = '{"chat_template_kwargs": {"enable_thinking": false}}'


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
        """What may stand in no text: the key, the values of headers, the query of the URL."""
        values = [value for _, value in self.headers]
        return (self.api_key, *values, urlsplit(self.url).query)

    def redact(self, text: str) -> str:
        return redacted(text, *self.secrets)

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
