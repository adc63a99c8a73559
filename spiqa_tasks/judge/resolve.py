"""The judge named by arguments and the environment: provider, server, key, price, extra fields.

Keys:

- An argument's key goes with the judge that it is an argument of.
- A provider's own variable (OPENAI_API_KEY, ANTHROPIC_API_KEY) goes to that provider's public
  address, nowhere else.
- SPIQA_JUDGE_API_KEY goes to the server that the environment names: SPIQA_JUDGE_BASE_URL, the URL
  in SPIQA_JUDGE, or the public address of the provider in SPIQA_JUDGE. There it comes before the
  provider's variable. If the environment names a server, no other server gets it.
  SPIQA_JUDGE_HEADER goes the same way, but to no public address.
- If the environment names no server, SPIQA_JUDGE_API_KEY is the key of judges named elsewhere
  (`--judge`, `L3Score(judge=...)`) and of the default judge; a public address gets it only without
  a key of its provider's.
"""

import json
import re
from collections.abc import Mapping
from urllib.parse import urlsplit

from spiqa_tasks.errors import JudgeError
from spiqa_tasks.files.atomic import cache_path
from spiqa_tasks.judge.providers import PROVIDERS
from spiqa_tasks.judge.providers.provider import Provider
from spiqa_tasks.judge.types import (
    DEFAULT_JUDGE,
    EXTRA_VARIABLE,
    HEADER_VARIABLE,
    JUDGE_VARIABLE,
    KEY_VARIABLE,
    NO_THINKING,
    URL_VARIABLE,
    JudgeConfig,
)

# A login, or a key among the parameters.
_SECRET_IN_URL = re.compile(
    r"//[^/?#]*@|[?&](?:[\w-]*key|token|access_token|sig|secret|password)=", re.IGNORECASE
)
_BEGIN = re.compile(r"\s*(?:https?:)?/*", re.IGNORECASE)
# A token of HTTP (RFC 9110, section 5.6.2).
_HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")

# Headers that are not for others to set: the key's own way, and what HTTP needs.
_OURS = frozenset({"authorization", "content-length", "content-type", "host"})


def parse_judge(
    judge: str,
    *,
    base_url: str | None = None,
    api_key: str | None = None,
    environ: Mapping[str, str],
) -> JudgeConfig:
    """Return the judge written as `provider:model` or `provider:model@URL`; needs no key yet.

    What stands behind the first `@` is the URL; an `@` in a model's name is written `%40`. The URL
    defaults to `base_url`, then to SPIQA_JUDGE_BASE_URL (not for a judge in this process), then to
    the provider's public address; the variables of the model under test are never used. The key
    defaults to that of `environ`. SPIQA_JUDGE_EXTRA and SPIQA_JUDGE_HEADER (a `NAME=VALUE` a line)
    go only to a judge that is not at its provider's public address.

    Raises JudgeError for an unknown provider, no model, two URLs, or an unusable URL, key, header
    or extra fields.
    """
    name, model, address = _split(judge)
    provider = _provider(name, model)
    url = _url(f"{name}:{model}", provider, address, base_url, environ)

    is_public = bool(url) and url == provider.url
    extra = "" if is_public else checked_extra(environ.get(EXTRA_VARIABLE, ""))
    gets_headers = url and not is_public and _secrets_are_for(url, environ)
    headers = environ.get(HEADER_VARIABLE, "").splitlines() if gets_headers else []
    return JudgeConfig(
        name,
        model,
        url,
        _checked_key(api_key or _key_of_environ(provider, url, environ)),
        extra=extra,
        cache_dir=cache_path(environ),
        headers=tuple(map(checked_header, headers)),
    )


def judge_from_environ(environ: Mapping[str, str]) -> JudgeConfig | None:
    """Return the judge of SPIQA_JUDGE (default openai:gpt-4o, the paper's); None for `none`."""
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
            f"Expected {EXTRA_VARIABLE} to be a JSON object, such as {NO_THINKING}; found {text!r}."
        )
    return json.dumps(fields, sort_keys=True) if fields else ""


def checked_header(text: str) -> tuple[str, str]:
    """Return a header's name and value; JudgeError, without the value, if unusable."""
    name, _, value = text.strip().partition("=")
    value = value.strip()
    is_named = _HEADER_NAME.fullmatch(name) and name.lower() not in _OURS
    if not (is_named and value and _is_sendable(value)):
        raise JudgeError(
            f"Expected the judge's header as NAME=VALUE in {HEADER_VARIABLE}, in printable ASCII,"
            f" such as X-Tenant=mine, found {name[:40]!r} before the =. A key goes into"
            f" {KEY_VARIABLE}."
        )
    return name, value


def _split(judge: str) -> tuple[str, str, str]:
    """Return provider, model and URL of `provider:model@URL`, '' for a missing one."""
    name, _, url = judge.strip().partition("@")
    provider, _, model = name.partition(":")
    return provider, model.strip().replace("%40", "@"), url


def _provider(name: str, model: str) -> type[Provider]:
    """Return the class of a provider. Raises JudgeError: unknown, or without a model."""
    if name in PROVIDERS and model:
        return PROVIDERS[name]
    missing = "" if model else " without a model"
    raise JudgeError(
        f"Expected a judge as provider:model (such as {DEFAULT_JUDGE}) with one of the providers"
        f" {', '.join(PROVIDERS)}; found {name!r}{missing}."
    )


def _url(
    judge: str,
    provider: type[Provider],
    address: str,
    base_url: str | None,
    environ: Mapping[str, str],
) -> str:
    """Return the judge's base URL, '' for one in this process; JudgeError for an unusable one."""
    if address and base_url and address != base_url:
        raise JudgeError(
            f"The judge {judge} has two URLs, one behind @ and one as base_url; leave one out."
        )
    named = address or base_url
    if not provider.url:
        if named:
            raise JudgeError(
                f"The judge {judge} runs in this process and has no URL; leave the URL out."
            )
        return ""

    url = named or environ.get(URL_VARIABLE, "")
    if not url:
        return provider.url
    _check_url(url, judge if address else "")
    return url.rstrip("/")


def _named_url(environ: Mapping[str, str]) -> str:
    """Return the URL of the server that the environment names, or ''."""
    name, _, url = _split(environ.get(JUDGE_VARIABLE, ""))
    url = url or environ.get(URL_VARIABLE, "") or (PROVIDERS[name].url if name in PROVIDERS else "")
    return url.rstrip("/")


def _secrets_are_for(url: str, environ: Mapping[str, str]) -> bool:
    """Return whether the environment's secrets for a judge may go to this server."""
    return _named_url(environ) in ("", url)


def _key_of_environ(provider: type[Provider], url: str, environ: Mapping[str, str]) -> str | None:
    """Return the environment's key for a judge at `url`, by the rules above."""
    if not url:
        return None
    provider_key = environ.get(provider.key_variable, "").strip() if url == provider.url else ""
    judge_key = environ.get(KEY_VARIABLE, "").strip() if _secrets_are_for(url, environ) else ""

    # If the environment names a server, `judge_key` is the key of this very one.
    if _named_url(environ):
        return judge_key or provider_key
    return provider_key or judge_key


def _checked_key(key: str | None) -> str | None:
    """Return the key or None; JudgeError, without the key, if no header can carry it."""
    stripped = (key or "").strip()
    if not _is_sendable(stripped):
        raise JudgeError(
            f"Expected the judge's key as printable ASCII on one line. Set {KEY_VARIABLE} again."
        )
    return stripped or None


def _is_sendable(value: str) -> bool:
    """Return whether a value can stand in a header of HTTP."""
    return value.isprintable() and value.isascii()


def _check_url(url: str, judge: str) -> None:
    """Raise JudgeError for an unusable base URL, or one with credentials.

    `judge` is `provider:model` if the URL stood behind it.
    """
    if _SECRET_IN_URL.search(url):
        raise JudgeError(
            f"The judge's base URL holds credentials; pass them as the key ({KEY_VARIABLE}) alone."
        )
    try:
        parts = urlsplit(url)
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname)
        usable = is_address and parts.port != 0 and url == url.strip()
    except ValueError:
        usable = False
    if usable:
        return

    shown = url.partition("?")[0].rpartition("@")[2]
    host = _BEGIN.sub("", shown, count=1)
    corrected = f"{judge}@http://{host}" if judge else f"http://{host}"
    raise JudgeError(
        "The judge's base URL must be http://host... or https://host..., "
        f"found {shown!r}. Write {corrected}."
    )
