"""Configuration of a judge as plain data; `resolve` reads it from arguments and the environment."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from spiqa_tasks.errors import JudgeError
from spiqa_tasks.judge.redaction import redacted
from spiqa_tasks.judge.retry import RetryPolicy

DEFAULT_JUDGE = "openai:gpt-4o"
JUDGE_VARIABLE = "SPIQA_JUDGE"
URL_VARIABLE = "SPIQA_JUDGE_BASE_URL"
KEY_VARIABLE = "SPIQA_JUDGE_API_KEY"
EXTRA_VARIABLE = "SPIQA_JUDGE_EXTRA"
NO_THINKING = '{"chat_template_kwargs": {"enable_thinking": false}}'
"""Extra fields that switch thinking off in vLLM, SGLang and `hf:`, for chat templates with that switch."""


@dataclass(frozen=True)
class JudgeConfig:
    """Configuration of a judge.

    Attributes:
        provider: a name of `providers.PROVIDERS`.
        model: as the provider names it.
        url: base URL of its server, without a trailing slash; empty for a model in this process.
        api_key: kept out of `repr`; None where no key is sent.
        concurrency: most requests in flight.
        timeout: seconds for one request.
        batch_size: prompts in one forward pass of a model in this process.
        retry: bounds of retries.
        extra: JSON object of additional fields of every request, or ''.
        price: US dollars per million prompt and completion tokens, or None.
        cache: whether verdicts are stored.
        cache_dir: folder of `judge.sqlite`; None: that of `files.cache_folder.cache_path`.

    Raises:
        JudgeError: a concurrency or batch size below 1, or a timeout of 0 or less.
    """

    provider: str
    model: str
    url: str = ""
    api_key: str | None = field(default=None, repr=False)
    concurrency: int = 64
    timeout: float = 60.0
    batch_size: int = 16
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    extra: str = ""
    price: tuple[float, float] | None = None
    cache: bool = True
    cache_dir: Path | None = None

    def __post_init__(self) -> None:
        if self.concurrency < 1 or self.batch_size < 1 or self.timeout <= 0:
            raise JudgeError("The judge's concurrency and batch size must be at least 1 and its timeout above 0.")

    @property
    def name(self) -> str:
        """The judge as configured, `provider:model`."""
        return f"{self.provider}:{self.model}"

    @property
    def host(self) -> str:
        """Host and port of its server, or '' for a model in this process."""
        return urlsplit(self.url).netloc.rpartition("@")[2]

    @property
    def extra_fields(self) -> dict[str, Any]:
        """Additional fields of every request."""
        return json.loads(self.extra) if self.extra else {}

    def cost(self, prompt_tokens: int, completion_tokens: int) -> float | None:
        """Return the price of these tokens in US dollars, or None."""
        return None if self.price is None else (prompt_tokens * self.price[0] + completion_tokens * self.price[1]) / 1e6

    def redact(self, text: str) -> str:
        """Return `text` without the key; see `redaction.redacted`."""
        return redacted(text, self.api_key)
