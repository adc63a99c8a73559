"""The judge that arguments and the environment name: its provider, server, key, price and extra fields.

A key goes only where its owner is:

- A key given as an argument goes with the judge it was given for.
- A provider's own variable (OPENAI_API_KEY, ANTHROPIC_API_KEY) goes to that provider's public address, nowhere else.
- SPIQA_JUDGE_API_KEY goes to the server that the environment names: SPIQA_JUDGE_BASE_URL, the URL in SPIQA_JUDGE, or
  the public address of the provider in SPIQA_JUDGE. There it comes before the provider's variable. Where the
  environment names a server, no other one gets it.
- Where the environment names none, SPIQA_JUDGE_API_KEY is the key of the judges that are named elsewhere (`--judge`,
  `L3Score(judge=...)`), and of the default judge where none is; a public address gets it only without a key of its own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from urllib.parse import urlsplit

from spiqa_tasks.errors import JudgeError
from spiqa_tasks.files.cache_folder import cache_path
from spiqa_tasks.judge.config import (
    DEFAULT_JUDGE,
    EXTRA_VARIABLE,
    JUDGE_VARIABLE,
    KEY_VARIABLE,
    NO_THINKING,
    URL_VARIABLE,
    JudgeConfig,
)
from spiqa_tasks.judge.pricing import PRICE_VARIABLE, list_price, parse_price
from spiqa_tasks.judge.providers import PROVIDERS, Provider

_OURS = frozenset(
    ("model", "messages", "system", "max_tokens", "max_completion_tokens", "temperature", "logprobs", "top_logprobs")
)
_URL_BEGINS = re.compile(r"@(?=https?://)")
_SECRET_IN_URL = re.compile(r"//[^/?#]*@|[?&](?:[\w-]*key|token|access_token|sig|secret|password)=", re.IGNORECASE)


def parse_judge(
    judge: str, *, base_url: str | None = None, api_key: str | None = None, environ: Mapping[str, str]
) -> JudgeConfig:
    """Return the judge written as `provider:model` or `provider:model@URL`; needs no key yet.

    A model's name may hold `:`, `/` and `@`; only `@http://` and `@https://` begin a URL. Without one, and without
    `base_url`, the judge is asked at SPIQA_JUDGE_BASE_URL where that is set (unless it runs in this process), else at
    its provider's public address; the variables that point at the model under test are never used. `api_key` is the
    judge's whatever its URL; without it, `find_key` picks one from `environ`. SPIQA_JUDGE_EXTRA goes
    only to a judge that is not at its provider's public address, SPIQA_JUDGE_PRICE holds where no price is listed.

    Raises:
        JudgeError: unknown provider, no model, two URLs, or a URL, key, price or extra fields that cannot be used.
    """
    name, model, url = _split(judge)
    if url and base_url and url != base_url:
        raise JudgeError(f"The judge {name}:{model} has two URLs, one behind @ and one as base_url; leave one out.")
    if name not in PROVIDERS:
        raise JudgeError(
            f"Unknown judge provider {name!r}; expected provider:model (such as {DEFAULT_JUDGE}) "
            f"with one of the providers {', '.join(PROVIDERS)}."
        )
    if not model:
        raise JudgeError(f"The judge {name!r} names no model; write it as {name}:<model>.")
    _check_no_secret(model)
    provider = PROVIDERS[name]
    url = url or base_url or (environ.get(URL_VARIABLE, "") if provider.url else "")
    if url:
        _check_url(url)
    if url and not provider.url:
        raise JudgeError(f"The judge {name}:{model} runs in this process and has no URL; leave the URL out.")
    url = (url or provider.url).rstrip("/")
    is_public = bool(url) and url == provider.url
    key = clean_key(api_key or find_key(provider, url, _named_url(environ), environ))
    price = parse_price(environ.get(PRICE_VARIABLE, ""))
    return JudgeConfig(
        name,
        model,
        url,
        key,
        extra="" if is_public else checked_extra(environ.get(EXTRA_VARIABLE, ""), provider.extras),
        price=(list_price(model) if is_public else None) or price,
        cache_dir=cache_path(environ),
    )


def judge_from_environ(environ: Mapping[str, str]) -> JudgeConfig | None:
    """Return the judge that SPIQA_JUDGE names (default openai:gpt-4o, the paper's); None when it is `none`."""
    judge = environ.get(JUDGE_VARIABLE, "").strip() or DEFAULT_JUDGE
    if judge.lower() == "none":
        return None
    return parse_judge(judge, environ={**environ, JUDGE_VARIABLE: judge})


def find_key(provider: Provider, url: str, named_url: str, environ: Mapping[str, str]) -> str | None:
    """Return the key from `environ` for a judge of `provider` at `url`; None where none is its own.

    Args:
        provider: the judge's provider.
        url: the base URL that will be asked, without a trailing slash; empty for a judge in this process.
        named_url: the base URL that the environment names, in the same form; empty where it names none.
        environ: the environment.
    """
    if not url:
        return None
    public = environ.get(provider.key_variable or "", "").strip() if url == provider.url else ""
    judges = environ.get(KEY_VARIABLE, "").strip()
    if not named_url:
        return public or judges or None
    return (judges if url == named_url else "") or public or None


def clean_key(key: str | None) -> str | None:
    """Return the key without blanks around it; None where nothing is left.

    Raises:
        JudgeError: a key that cannot be sent, such as one with a line break inside; the message does not repeat it.
    """
    stripped = (key or "").strip()
    if "\n" in stripped or "\r" in stripped:
        raise JudgeError(f"Expected the judge's key on one line, found a line break in it. Set {KEY_VARIABLE} again.")
    if not (stripped.isprintable() and stripped.isascii()):
        raise JudgeError(f"Expected a key of printable ASCII characters, found others in it. Set {KEY_VARIABLE} again.")
    return stripped or None


def checked_extra(text: str, allowed: Collection[str] | None) -> str:
    """Return a JSON object of extra fields in one spelling; empty where there are none.

    Args:
        text: the JSON object.
        allowed: the fields that the judge's provider knows; None: any but those that the judge's own requests have.

    Raises:
        JudgeError: no JSON object, or a field that is not allowed.
    """
    if not text.strip():
        return ""
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError):
        fields = None
    if not isinstance(fields, dict):
        raise JudgeError(f"Expected a JSON object as the judge's extra fields, such as {NO_THINKING}; found {text!r}.")
    refused = sorted(name for name in fields if name in _OURS or (allowed is not None and name not in allowed))
    if refused:
        known = "any but those that a judgement sets itself" if allowed is None else ", ".join(sorted(allowed))
        raise JudgeError(f"The judge's extra fields may be {known}; found {', '.join(refused)}. Leave them out.")
    return json.dumps(fields, sort_keys=True) if fields else ""


def _split(judge: str) -> tuple[str, str, str]:
    """Provider, model and URL of `provider:model@URL`; what is missing is empty."""
    name, *url = _URL_BEGINS.split(judge.strip(), maxsplit=1)
    provider, _, model = name.partition(":")
    return provider, model.strip(), "".join(url)


def _named_url(environ: Mapping[str, str]) -> str:
    """The base URL that the environment names, without a trailing slash; empty where it names none."""
    provider, _, url = _split(environ.get(JUDGE_VARIABLE, ""))
    public = PROVIDERS[provider].url if provider in PROVIDERS else ""
    return (url or environ.get(URL_VARIABLE, "") or public).rstrip("/")


def _check_url(url: str) -> None:
    """Raise JudgeError for a base URL that cannot be used; never repeats one with credentials."""
    _check_no_secret(url)
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise JudgeError(
            f"The judge's base URL must be http://host... or https://host..., found {url.rpartition('@')[2]!r}."
        )


def _check_no_secret(url: str) -> None:
    if _SECRET_IN_URL.search(url):
        raise JudgeError(
            f"The judge's base URL holds credentials; pass them as the key ({KEY_VARIABLE}), never in the URL."
        )
