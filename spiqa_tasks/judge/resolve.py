"""The judge named by arguments and the environment: provider, server, key, price, extra fields.

Keys:

- An argument's key goes with the judge that it is an argument of.
- A provider's own variable (OPENAI_API_KEY, ANTHROPIC_API_KEY) goes to that provider's public address, nowhere else.
- SPIQA_JUDGE_API_KEY goes to the server that the environment names: SPIQA_JUDGE_BASE_URL, the URL in SPIQA_JUDGE, or
  the public address of the provider in SPIQA_JUDGE. There it comes before the provider's variable. If the environment
  names a server, no other server gets it.
- If the environment names no server, SPIQA_JUDGE_API_KEY is the key of judges named elsewhere (`--judge`,
  `L3Score(judge=...)`) and of the default judge; a public address gets it only without a key of its provider's.
"""

import json
import re
from collections.abc import Mapping
from urllib.parse import urlsplit

from spiqa_tasks.errors import JudgeError
from spiqa_tasks.files.atomic import cache_path
from spiqa_tasks.judge.config import (
    DATE,
    DEFAULT_JUDGE,
    EXTRA_VARIABLE,
    JUDGE_VARIABLE,
    KEY_VARIABLE,
    NO_THINKING,
    PRICES,
    URL_VARIABLE,
    JudgeConfig,
)
from spiqa_tasks.judge.providers import PROVIDERS, Provider

_URL_BEGINS = re.compile(r"@(?=https?://)")
_SECRET_IN_URL = re.compile(
    r"//[^/?#]*@|[?&](?:[\w-]*key|token|access_token|sig|secret|password)=", re.IGNORECASE
)


def parse_judge(
    judge: str,
    *,
    base_url: str | None = None,
    api_key: str | None = None,
    environ: Mapping[str, str],
) -> JudgeConfig:
    """Return the judge written as `provider:model` or `provider:model@URL`; needs no key yet.

    A model's name may hold `:`, `/` and `@`; only `@http://` and `@https://` begin a URL. The URL defaults to
    `base_url`, then to SPIQA_JUDGE_BASE_URL (not for a judge in this process), then to the provider's public address;
    the variables of the model under test are never used. The key defaults to that of `environ`. SPIQA_JUDGE_EXTRA
    goes only to a judge that is not at its provider's public address, and a list price holds only there.

    Raises JudgeError for an unknown provider, no model, two URLs, or an unusable URL, key or extra fields.
    """
    name, model, url = _split(judge)
    if url and base_url and url != base_url:
        raise JudgeError(
            f"The judge {name}:{model} has two URLs, one behind @ and one as base_url; leave one out."
        )
    if name not in PROVIDERS or not model:
        raise JudgeError(
            f"Expected a judge as provider:model (such as {DEFAULT_JUDGE}) with one of the providers "
            f"{', '.join(PROVIDERS)}; found {name!r}{'' if model else ' without a model'}."
        )
    provider = PROVIDERS[name]
    url = url or base_url or (environ.get(URL_VARIABLE, "") if provider.url else "")
    _check_url(url, model)
    if url and not provider.url:
        raise JudgeError(
            f"The judge {name}:{model} runs in this process and has no URL; leave the URL out."
        )
    url = (url or provider.url).rstrip("/")
    is_public = bool(url) and url == provider.url
    return JudgeConfig(
        name,
        model,
        url,
        _checked_key(api_key or _key(provider, url, environ)),
        extra="" if is_public else checked_extra(environ.get(EXTRA_VARIABLE, "")),
        price=PRICES.get(model) or PRICES.get(DATE.sub("", model)) if is_public else None,
        cache_dir=cache_path(environ),
    )


def judge_from_environ(environ: Mapping[str, str]) -> JudgeConfig | None:
    """Return the judge that SPIQA_JUDGE names (default openai:gpt-4o, the paper's); None when it is `none`."""
    judge = environ.get(JUDGE_VARIABLE, "").strip() or DEFAULT_JUDGE
    if judge.lower() == "none":
        return None
    return parse_judge(judge, environ={**environ, JUDGE_VARIABLE: judge})


def checked_extra(text: str) -> str:
    """Return a JSON object of extra fields with sorted keys, or '' for an empty one."""
    try:
        fields = json.loads(text.strip() or "{}")
    except (ValueError, RecursionError):
        fields = None
    if not isinstance(fields, dict):
        raise JudgeError(
            f"Expected a JSON object as the judge's extra fields, such as {NO_THINKING}; found {text!r}."
        )
    return json.dumps(fields, sort_keys=True) if fields else ""


def _split(judge: str) -> tuple[str, str, str]:
    """Provider, model and URL of `provider:model@URL`, '' for a missing one."""
    name, *url = _URL_BEGINS.split(judge.strip(), maxsplit=1)
    provider, _, model = name.partition(":")
    return provider, model.strip(), "".join(url)


def _key(provider: type[Provider], url: str, environ: Mapping[str, str]) -> str | None:
    """The environment's key for a judge at `url` ('' for one in this process), by the rules above."""
    if not url:
        return None
    public = environ.get(provider.key_variable, "").strip() if url == provider.url else ""
    judges = environ.get(KEY_VARIABLE, "").strip()
    name, _, named_url = _split(environ.get(JUDGE_VARIABLE, ""))
    named_url = (
        named_url
        or environ.get(URL_VARIABLE, "")
        or (PROVIDERS[name].url if name in PROVIDERS else "")
    )
    if not named_url:
        return public or judges
    return (judges if url == named_url.rstrip("/") else "") or public


def _checked_key(key: str | None) -> str | None:
    """The key without surrounding blanks, or None; JudgeError, without the key, for one that no header can carry."""
    stripped = (key or "").strip()
    if not (stripped.isprintable() and stripped.isascii()):
        raise JudgeError(
            f"Expected the judge's key as printable ASCII on one line. Set {KEY_VARIABLE} again."
        )
    return stripped or None


def _check_url(url: str, model: str) -> None:
    """Raise JudgeError for a base URL that cannot be used, or with credentials, which are not repeated."""
    if _SECRET_IN_URL.search(url) or _SECRET_IN_URL.search(model):
        raise JudgeError(
            f"The judge's base URL holds credentials; pass them as the key ({KEY_VARIABLE}) alone."
        )
    try:
        parts = urlsplit(url or "http://none")
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        shown = url.rpartition("@")[2]
        raise JudgeError(
            f"The judge's base URL must be http://host... or https://host..., found {shown!r}."
        )
