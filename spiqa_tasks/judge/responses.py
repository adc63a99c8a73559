"""Responses as lines of files: of a batch interface, another program, a cluster."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping

from spiqa_tasks.judge.providers.declaration import BatchApi
from spiqa_tasks.judge.retry import AskError
from spiqa_tasks.judge.types import Verdict, failed

ALL = "all"


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
