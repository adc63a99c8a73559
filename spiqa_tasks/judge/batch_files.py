"""Requests and responses as lines of files, for a batch interface, another program, a cluster."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from spiqa_tasks.errors import JudgeError
from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.providers import PROVIDERS
from spiqa_tasks.judge.providers.declaration import BatchApi
from spiqa_tasks.judge.retry import AskError
from spiqa_tasks.judge.types import JudgeRequest, Verdict, failed

ALL = "all"
MOST_ENTRIES, MOST_BYTES = 50_000, 150 << 20
"""Limits of one batch; OpenAI's (50,000 and 200 MB) are the lowest ones."""


def batch_api(config: JudgeConfig) -> BatchApi:
    """Return the judge's form of lines and its batch interface; JudgeError for one that has none."""
    make = PROVIDERS[config.provider].make_batches
    if make is None:
        raise JudgeError(f"Expected a judge with a batch interface, found {config.name}. Ask it one by one.")
    return make(config)


def read_responses(
    api: BatchApi, tops: Mapping[str, int | None], lines: Iterable[bytes], verdicts: dict[str, Verdict]
) -> Counter[str]:
    """Add the verdicts in lines of responses, in any order; return how many lines there were, and of each odd kind.

    `tops` holds for each request's key how many log-probabilities it asks for (None: a written answer). A request has
    the first answer to it, or else a failed verdict with the reason that a line gives. Empty lines count for nothing.
    """
    counts: Counter[str] = Counter()
    for line in filter(bytes.strip, lines):
        counts[ALL] += 1
        try:
            response = json.loads(line)
            key = response["custom_id"]
            known = key in tops
        except (ValueError, KeyError, TypeError, RecursionError):
            counts["broken"] += 1
            continue
        if not known:
            counts["of other requests"] += 1
        elif key in verdicts and verdicts[key].ok:
            counts["repeated"] += 1
        else:
            try:
                verdicts[key] = api.verdict(response, tops[key])
            except AskError as fault:
                counts["without an answer"] += 1
                verdicts[key] = failed(fault.reason)
    return counts


def parts(api: BatchApi, requests: Mapping[str, JudgeRequest]) -> Iterator[dict[str, Mapping[str, Any]]]:
    """Yield the lines of the requests, by key, as many at a time as one batch may hold."""
    part: dict[str, Mapping[str, Any]] = {}
    size = 0
    for key, request in requests.items():
        line = api.request(key, request)
        length = len(json.dumps(line)) + 1
        if part and (len(part) == MOST_ENTRIES or size + length > MOST_BYTES):
            yield part
            part, size = {}, 0
        part[key] = line
        size += length
    if part:
        yield part
