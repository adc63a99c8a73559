"""Entries of the cache: the key of a request, and a verdict as text."""

from __future__ import annotations

import hashlib
import json
import math
import sys
from pathlib import Path

from spiqa_tasks.files.typed import check_types
from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.types import JudgeRequest, Verdict, logprobs_fault

_KEPT = ("text", "top_logprobs", "model", "prompt_tokens", "completion_tokens")


def request_key(config: JudgeConfig, fingerprint: str, request: JudgeRequest) -> str:
    """Return sha256 of everything that shapes a verdict; local images count by content, API keys never enter.

    `fingerprint` differs where the names do not, such as for two versions of a local model's files. A key is made as by
    the first version, so that no verdict is ever paid for again.
    """
    fields = {
        "provider": config.provider,
        "model": config.model,
        "base_url": config.url,
        "fingerprint": fingerprint,
        "prompt": request.prompt,
        "images": [_image_key(image) for image in request.images],
        "max_tokens": request.max_tokens,
        "kind": "logprobs",
        "top_logprobs": request.top_logprobs,
        "lookup": request.lookup,
        "system": None,
        "temperature": 0.0,
    }
    if request.top_logprobs is None:
        fields |= {"kind": "text", "top_logprobs": 5}
    if config.extra:
        fields["extra"] = config.extra
    if request.repeat:
        fields["repeat"] = request.repeat
    return hashlib.sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest()


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
