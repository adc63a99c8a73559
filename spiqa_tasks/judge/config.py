"""Which judge to ask, and how: from arguments or from the SPIQA_JUDGE variables."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from spiqa_tasks.errors import JudgeError
from spiqa_tasks.files.cache_folder import cache_path
from spiqa_tasks.judge.keys import KEY_VARIABLE, SHORTEST_SECRET, clean_key, find_key
from spiqa_tasks.judge.pricing import PRICE_VARIABLE, list_price, parse_price
from spiqa_tasks.judge.providers import PROVIDERS, Provider
from spiqa_tasks.judge.request_fields import EXTRA_VARIABLE, checked_extra
from spiqa_tasks.judge.retry import RetryPolicy
from spiqa_tasks.judge.types import JudgeRequest

DEFAULT_JUDGE = "openai:gpt-4o"
JUDGE_VARIABLE = "SPIQA_JUDGE"
URL_VARIABLE = "SPIQA_JUDGE_BASE_URL"

_URL_BEGINS = re.compile(r"@(?=https?://)")
_SECRET_IN_URL = re.compile(r"//[^/?#]*@|[?&](?:[\w-]*key|token|access_token|sig|secret|password)=", re.IGNORECASE)


@dataclass(frozen=True)
class JudgeConfig:
    """A judge and how to ask it. The key is kept out of `repr`.

    `base_url` is the judge's own (None: the provider's public one). `timeout` is seconds for one request, `batch_size`
    the number of prompts in one forward pass of a judge in this process, `extra` a JSON object of fields that every
    request has in addition, `price` US dollars per million prompt and completion tokens where the list has none,
    `cache_dir` the folder of `judge.sqlite` (None: that of `files.cache.cache_path`), `cache=False` switches the cache
    off. Raises JudgeError: unknown provider, no model, or a URL, key or extra fields that cannot be used.
    """

    provider: str
    model: str
    base_url: str | None = None
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
        object.__setattr__(self, "api_key", clean_key(self.api_key))
        if self.provider not in PROVIDERS:
            raise JudgeError(
                f"Unknown judge provider {self.provider!r}; expected provider:model (such as {DEFAULT_JUDGE}) "
                f"with one of the providers {', '.join(PROVIDERS)}."
            )
        if not self.model:
            raise JudgeError(f"The judge {self.provider!r} names no model; write it as {self.provider}:<model>.")
        if self.concurrency < 1 or self.batch_size < 1 or self.timeout <= 0:
            raise JudgeError("The judge's concurrency and batch size must be at least 1 and its timeout above 0.")
        if self.base_url:
            _check_url(self.base_url)
            if not self.declaration.url:
                raise JudgeError(f"The judge {self.name} runs in this process and has no URL; leave the URL out.")
        object.__setattr__(self, "extra", checked_extra(self.extra, self.declaration.extras))

    @property
    def name(self) -> str:
        """The judge as configured, `provider:model`."""
        return f"{self.provider}:{self.model}"

    @property
    def declaration(self) -> Provider:
        """What the judge's provider declares."""
        return PROVIDERS[self.provider]

    @property
    def url(self) -> str:
        """The base URL in use, without a trailing slash; empty for a judge in this process."""
        return (self.base_url or self.declaration.url).rstrip("/")

    @property
    def is_public_url(self) -> bool:
        """Whether the provider's own server is asked (so that its prices hold and it needs a key)."""
        return bool(self.url) and self.url == self.declaration.url

    @property
    def extra_fields(self) -> dict[str, Any]:
        """The fields that every request has in addition."""
        return json.loads(self.extra) if self.extra else {}

    def cost(self, prompt_tokens: int, completion_tokens: int) -> float | None:
        """Return US dollars for these tokens: at list price at the provider's own server, else at `price`."""
        listed = list_price(self.model) if self.is_public_url else None
        price = listed or self.price
        return None if price is None else (prompt_tokens * price[0] + completion_tokens * price[1]) / 1e6

    def cannot(self, request: JudgeRequest) -> str | None:
        """Say why this judge cannot be asked this; None where it can."""
        return self._missing_key() or self.declaration.cannot(self.model, request)

    def require_key(self) -> None:
        """Raise JudgeError for a public server without a key; called when the judge is going to be asked."""
        missing = self._missing_key()
        if missing is not None:
            raise JudgeError(missing)

    def require_logprobs(self) -> None:
        """Raise JudgeError for a judge that cannot return token log-probabilities, which L3Score is made of."""
        reason = self.declaration.why_no_logprobs(self.model)
        if reason is not None:
            known = " and ".join(provider.logprob_judges for provider in PROVIDERS.values() if provider.logprob_judges)
            raise JudgeError(f"L3Score cannot be judged by {self.name}: {reason}; choose one of {known}.")

    def redact(self, text: str) -> str:
        """Return `text` with the key taken out; one of fewer than 8 characters is a placeholder and no secret."""
        is_secret = self.api_key is not None and len(self.api_key) >= SHORTEST_SECRET
        return text.replace(self.api_key or "", "[key]") if is_secret else text

    def _missing_key(self) -> str | None:
        if self.api_key or not self.is_public_url:
            return None
        return (
            f"The judge {self.name} needs a key and none was found; set {KEY_VARIABLE} "
            f"(or {self.declaration.key_variable}), choose another judge with {JUDGE_VARIABLE}=provider:model, "
            f"or switch judging off with {JUDGE_VARIABLE}=none."
        )


def parse_judge(
    judge: str,
    *,
    base_url: str | None = None,
    api_key: str | None = None,
    extra: str | None = None,
    environ: Mapping[str, str],
) -> JudgeConfig:
    """Return the judge written as `provider:model` or `provider:model@URL`; needs no key yet.

    A model's name may hold `:`, `/` and `@`; only `@http://` and `@https://` begin a URL. Without one, and without
    `base_url`, the judge is asked at SPIQA_JUDGE_BASE_URL where that is set (unless it runs in this process), else at
    its provider's public address; the variables that point at the model under test are never used. `api_key` is the
    judge's whatever its URL; without it, `keys.find_key` says which key of `environ` is its own. `extra` goes to the
    judge whatever its URL; SPIQA_JUDGE_EXTRA only to one that is not at its provider's public address, and
    SPIQA_JUDGE_PRICE holds where no price is listed.

    Raises:
        JudgeError: unknown provider, no model, two URLs, or a URL, key, price or extra fields that cannot be used.
    """
    provider, model, url = _split(judge)
    if url and base_url and url != base_url:
        raise JudgeError(f"The judge {provider}:{model} has two URLs, one behind @ and one as base_url; leave one out.")
    url = url or base_url or _default_url(provider, environ)
    config = JudgeConfig(provider, model, url or None, cache_dir=cache_path(environ))
    key = api_key or find_key(config.declaration, config.url, _named_url(environ), environ)
    if extra is None and not config.is_public_url:
        extra = environ.get(EXTRA_VARIABLE)
    return replace(config, api_key=key, extra=extra or "", price=parse_price(environ.get(PRICE_VARIABLE, "")))


def judge_from_environ(environ: Mapping[str, str]) -> JudgeConfig | None:
    """Return the judge that SPIQA_JUDGE names (default openai:gpt-4o, the paper's); None when it is `none`."""
    judge = environ.get(JUDGE_VARIABLE, "").strip() or DEFAULT_JUDGE
    if judge.lower() == "none":
        return None
    return parse_judge(judge, environ={**environ, JUDGE_VARIABLE: judge})


def _split(judge: str) -> tuple[str, str, str]:
    """Provider, model and URL of `provider:model@URL`; what is missing is empty."""
    name, *url = _URL_BEGINS.split(judge.strip(), maxsplit=1)
    provider, _, model = name.partition(":")
    return provider, model.strip(), "".join(url)


def _default_url(provider: str, environ: Mapping[str, str]) -> str:
    """SPIQA_JUDGE_BASE_URL, which judges in this process have no use for."""
    is_local = provider in PROVIDERS and not PROVIDERS[provider].url
    return "" if is_local else environ.get(URL_VARIABLE, "")


def _named_url(environ: Mapping[str, str]) -> str:
    """The base URL that the environment names, without a trailing slash; empty where it names none."""
    provider, _, url = _split(environ.get(JUDGE_VARIABLE, ""))
    public = PROVIDERS[provider].url if provider in PROVIDERS else ""
    return (url or environ.get(URL_VARIABLE, "") or public).rstrip("/")


def _check_url(url: str) -> None:
    """Raise JudgeError for a base URL that cannot be used; never repeats one with credentials."""
    if _SECRET_IN_URL.search(url):
        raise JudgeError(
            f"The judge's base URL holds credentials; pass them as the key ({KEY_VARIABLE}), never in the URL."
        )
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise JudgeError(f"The judge's base URL must be http://host... or https://host..., found {url!r}.")
