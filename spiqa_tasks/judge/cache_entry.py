"""Entries of the cache: the key of a request, and a verdict as text."""

from __future__ import annotations

import hashlib
import json
import math
import sys
from functools import lru_cache
from json.encoder import encode_basestring_ascii
from pathlib import Path
from typing import Any

from spiqa_tasks.files.typed import check_types
from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.types import JudgeRequest, Verdict, logprobs_fault

_WRITTEN = {"kind": "text", "top_logprobs": 5}
"""The fields of a written answer's key, as earlier versions stored it."""
_KEPT = ("text", "top_logprobs", "model", "prompt_tokens", "completion_tokens")


def request_key(config: JudgeConfig, fingerprint: str, request: JudgeRequest) -> str:
    """Return sha256 of everything that shapes a verdict; local images count by content, API keys never enter.

    `fingerprint` differs where the names do not, such as for two versions of a local model's files.
    """
    judge = (config.provider, config.model, config.url, fingerprint, config.extra)
    sampling = (request.system, request.max_tokens, request.temperature, request.top_logprobs, request.repeat)
    digest, after = _frame(judge, sampling, request.lookup, tuple(map(_image_key, request.images)))
    whole = digest.copy()
    whole.update((encode_basestring_ascii(request.prompt) + after).encode())
    return str(whole.hexdigest())


@lru_cache(maxsize=256)
def _frame(
    judge: tuple[str, ...], sampling: tuple[Any, ...], lookup: tuple[str, ...], images: tuple[str, ...]
) -> tuple[Any, str]:
    """The digest of what stands before the prompt in the fields' JSON, and the text behind it."""
    fields: dict[str, Any] = dict(zip(("provider", "model", "base_url", "fingerprint", "extra"), judge, strict=True))
    fields |= dict(zip(("system", "max_tokens", "temperature", "top_logprobs", "repeat"), sampling, strict=True))
    fields |= {"kind": "logprobs", "lookup": lookup, "images": images, "prompt": ""}
    if fields["top_logprobs"] is None:
        fields |= _WRITTEN
    for name in ("extra", "repeat"):  # later than the first keys, which stay what they were
        if not fields[name]:
            del fields[name]
    before, _, after = json.dumps(fields, sort_keys=True).partition('"prompt": ""')
    return hashlib.sha256((before + '"prompt": ').encode()), after


def _image_key(image: str) -> str:
    if image.startswith(("http://", "https://", "data:")):
        return image
    return hashlib.sha256(Path(image).read_bytes()).hexdigest()


def dump(verdict: Verdict) -> str:
    """Return a verdict as text."""
    return json.dumps({name: getattr(verdict, name) for name in _KEPT})


def load(stored: str) -> Verdict | None:
    """Return the verdict that `dump` wrote; None for any other text, whose request is then judged anew."""
    try:
        fields = _DECODER.decode(stored)
        fields.pop("seconds", None)  # of earlier versions
        check_types(Verdict, {**fields, "top_logprobs": []})
        if fields["model"] is not None:
            fields["model"] = sys.intern(fields["model"])
        pairs = [(token, value) for token, value in fields["top_logprobs"]]
        if pairs and logprobs_fault(pairs, len(pairs)) is not None:
            return None
        fields["top_logprobs"] = tuple((sys.intern(token), float(value)) for token, value in pairs)
        return Verdict("ok", cached=True, **fields)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def _constant(name: str) -> float:
    """The one of JSON's extra numbers that a log-probability may be."""
    if name != "-Infinity":
        raise ValueError(name)
    return -math.inf


_DECODER = json.JSONDecoder(parse_constant=_constant)
