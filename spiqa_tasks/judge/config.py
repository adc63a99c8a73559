"""Which judge to ask, and how: from arguments or from the SPIQA_JUDGE variables."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from spiqa_tasks.errors import JudgeError
from spiqa_tasks.judge.retry import RetryPolicy

DEFAULT_JUDGE = "openai:gpt-4o"
LOGPROB_JUDGES = "openai:<model> (OpenAI's non-reasoning models or any OpenAI-compatible server) and hf:<path or id>"

_BASE_URLS = {"openai": "https://api.openai.com/v1", "anthropic": "https://api.anthropic.com/v1", "hf": ""}
_KEY_VARIABLES = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}
_REASONING = re.compile(r"^(?:o[134](?:$|-)|gpt-5)", re.IGNORECASE)
_SECRET_IN_URL = re.compile(r"//[^/?#]*@|[?&](?:[\w-]*key|token|access_token|sig|secret|password)=", re.IGNORECASE)


@dataclass(frozen=True)
class JudgeConfig:
    """A judge and how to ask it. The key is kept out of `repr`.

    `base_url` is the judge's own (None: the provider's public one). `timeout` is seconds for one request, `batch_size`
    the number of prompts in one forward pass of an `hf:` judge, `cache_dir` the folder of `judge.sqlite` (None: the
    platform's user cache folder), `cache=False` switches the cache off.
    """

    provider: str
    model: str
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    concurrency: int = 64
    timeout: float = 60.0
    batch_size: int = 16
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    cache: bool = True
    cache_dir: Path | None = None

    def __post_init__(self) -> None:
        if self.provider not in _BASE_URLS:
            raise JudgeError(
                f"Unknown judge provider {self.provider!r}; expected provider:model (such as {DEFAULT_JUDGE}) "
                f"with one of the providers {', '.join(_BASE_URLS)}."
            )
        if not self.model:
            raise JudgeError(f"The judge {self.provider!r} names no model; write it as {self.provider}:<model>.")
        if self.concurrency < 1 or self.batch_size < 1 or self.timeout <= 0:
            raise JudgeError("The judge's concurrency and batch size must be at least 1 and its timeout above 0.")
        if self.base_url and _SECRET_IN_URL.search(self.base_url):
            raise JudgeError(
                "The judge's base URL holds credentials; pass them as the key (SPIQA_JUDGE_API_KEY), never in the URL."
            )
        if self.base_url and not self.base_url.startswith(("http://", "https://")):
            raise JudgeError(f"The judge's base URL must start with http:// or https://, found {self.base_url!r}.")

    @property
    def name(self) -> str:
        """The judge as configured, `provider:model`."""
        return f"{self.provider}:{self.model}"

    @property
    def url(self) -> str:
        """The base URL in use, without a trailing slash; empty for a local judge."""
        return (self.base_url or _BASE_URLS[self.provider]).rstrip("/")

    @property
    def is_public_url(self) -> bool:
        """Whether the provider's own server is asked (so that its prices hold and it needs a key)."""
        return bool(self.url) and self.url == _BASE_URLS[self.provider]

    def redact(self, text: str) -> str:
        """`text` with the key taken out."""
        return text.replace(self.api_key, "[key]") if self.api_key else text


def parse_judge(
    judge: str, *, base_url: str | None = None, api_key: str | None = None, environ: Mapping[str, str]
) -> JudgeConfig:
    """The judge written as `provider:model`; what is not given comes from `environ`.

    The URL comes from SPIQA_JUDGE_BASE_URL only (`hf:` has none), never from the variables that point at the model
    under test. The key
    comes from SPIQA_JUDGE_API_KEY, then from OPENAI_API_KEY (for `anthropic:`, ANTHROPIC_API_KEY).
    Raises JudgeError: unknown provider, no model, or a public server without a key.
    """
    provider, _, model = judge.strip().partition(":")
    fallback = environ.get(_KEY_VARIABLES.get(provider, ""))
    cache_dir = environ.get("SPIQA_TASKS_CACHE")
    config = JudgeConfig(
        provider,
        model.strip(),
        base_url or (environ.get("SPIQA_JUDGE_BASE_URL") if provider != "hf" else None) or None,
        api_key or environ.get("SPIQA_JUDGE_API_KEY") or fallback or None,
        cache_dir=Path(cache_dir) if cache_dir else None,
    )
    if config.is_public_url and not config.api_key:
        raise JudgeError(
            f"The judge {config.name} needs a key and none was found; set SPIQA_JUDGE_API_KEY "
            f"(or {_KEY_VARIABLES[provider]}), choose another judge with SPIQA_JUDGE=provider:model, "
            "or switch judging off with SPIQA_JUDGE=none."
        )
    return config


def judge_from_environ(environ: Mapping[str, str]) -> JudgeConfig | None:
    """The judge that SPIQA_JUDGE names (default openai:gpt-4o, the paper's); None when it is `none`."""
    judge = environ.get("SPIQA_JUDGE", "").strip() or DEFAULT_JUDGE
    return None if judge.lower() == "none" else parse_judge(judge, environ=environ)


def require_logprobs(config: JudgeConfig) -> None:
    """Raise JudgeError for a judge that cannot return token log-probabilities, which L3Score is made of."""
    if config.provider == "anthropic":
        found = "Anthropic's API returns no token log-probabilities"
    elif config.provider == "openai" and _REASONING.match(config.model.rsplit("/", 1)[-1]):
        found = f"the reasoning model {config.model} returns no token log-probabilities"
    else:
        return
    raise JudgeError(f"L3Score cannot be judged by {config.name}: {found}; choose one of {LOGPROB_JUDGES}.")
