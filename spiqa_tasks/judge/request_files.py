"""Judge requests and responses as lines of files, for providers' tools, vLLM or a cluster without a network."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping

from spiqa_tasks.errors import JudgeError
from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.providers import PROVIDERS, RequestFiles
from spiqa_tasks.judge.retry import AskError
from spiqa_tasks.judge.types import Verdict, failed

ALL = "all"


def files_of(config: JudgeConfig) -> RequestFiles:
    """Return the form of a judge's files; JudgeError for a provider without files."""
    make = PROVIDERS[config.provider].make_files
    if make is None:
        raise JudgeError(f"Expected a judge that is asked through files, found {config.name}. Ask it directly.")
    return make(config)


def read_responses(
    files: RequestFiles, tops: Mapping[str, int | None], lines: Iterable[bytes]
) -> tuple[dict[str, Verdict], Counter[str]]:
    """Return the verdicts in lines of responses, in any order, and how many lines there were, and of each odd kind.

    `tops` holds for each request's key how many log-probabilities it asks for (None: a written answer). A request has
    the first answer to it, or else a failed verdict with the reason that a line gives. Empty lines count for nothing.
    """
    verdicts: dict[str, Verdict] = {}
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
                verdicts[key] = files.verdict(response, tops[key])
            except AskError as fault:
                counts["without an answer"] += 1
                verdicts[key] = failed(fault.reason)
    return verdicts, counts
