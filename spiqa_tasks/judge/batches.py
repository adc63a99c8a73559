"""Verdicts through a provider's batch interface: within a day, at half the price, handed over once."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from filelock import FileLock

from spiqa_tasks.errors import JudgeError
from spiqa_tasks.files.cache_folder import cache_path
from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.engine import Engine
from spiqa_tasks.judge.open_batches import OpenBatch, OpenBatches
from spiqa_tasks.judge.pricing import BATCH_SHARE
from spiqa_tasks.judge.providers import PROVIDERS
from spiqa_tasks.judge.providers.declaration import BatchApi
from spiqa_tasks.judge.types import JudgeRequest, Verdict, failed

MOST_ENTRIES = 50_000
MOST_BYTES = 150 << 20
"""Limits of one batch; OpenAI's (50,000 and 200 MB) are the lower ones."""
_FIRST_WAIT, _LONGEST_WAIT = 1.0, 60.0

Say = Callable[[str], None]


def require_batches(config: JudgeConfig) -> None:
    """Raise JudgeError for a judge without a batch interface, or without a cache to keep its verdicts."""
    if PROVIDERS[config.provider].make_batches is None or not config.cache:
        raise JudgeError(
            f"Expected a judge with a batch interface for --batch, found {config.name}. Judge without --batch."
        )


def judge_in_batches(engine: Engine, requests: Iterable[JudgeRequest], *, wait: bool, say: Say) -> bool:
    """Hand over the requests without a verdict, collect what is done; return whether every verdict is there.

    A request in an open batch, also one of an earlier call that was killed, is never handed over again. Verdicts go to
    the cache; a request that failed in its batch has failed for this process and is handed over anew by the next call.

    Args:
        engine: of the judge.
        requests: all that the caller wants answered.
        wait: until every batch has ended; else one look at each.
        say: is given the lines for people.

    Raises:
        JudgeError: no batch interface, its package missing, or a server that refuses.
    """
    config = engine.config
    require_batches(config)
    missing = engine.missing(requests)
    if not missing:
        return True
    engine.require_key()
    make_batches = PROVIDERS[config.provider].make_batches
    assert make_batches is not None
    api = make_batches(config)
    opened = OpenBatches(config, config.cache_dir or cache_path(os.environ))
    opened.folder.mkdir(parents=True, exist_ok=True)
    with FileLock(opened.folder / ".lock"):
        batches = _arrived(api, opened)
        under_way = {key for batch in batches for key in batch.tops}
        for part in _parts(api, {key: missing[key] for key in missing.keys() - under_way}):
            batches.append(_hand_over(api, opened, part))
            say(f"Judge {config.name}: batch {batches[-1].id} of {len(part)} requests handed over.")
    return _collect(engine, api, opened, batches, wait=wait, say=say)


def _arrived(api: BatchApi, opened: OpenBatches) -> list[OpenBatch]:
    """The open batches; one whose arrival is not known is looked for, and forgotten where it is not there."""
    batches = []
    for batch in opened:
        name = batch.id or api.find(batch.tag, len(batch.tops), batch.since)
        if name is None:
            opened.forget(batch)
        else:
            batches.append(batch if batch.id else opened.arrived(batch, name))
    return batches


def _parts(api: BatchApi, missing: Mapping[str, JudgeRequest]) -> Iterator[dict[str, tuple[JudgeRequest, Any]]]:
    """The requests with their entries, as many at a time as one batch may hold."""
    part: dict[str, tuple[JudgeRequest, Any]] = {}
    size = 0
    for key in sorted(missing):
        entry = api.entry(key, missing[key])
        length = len(json.dumps(entry))
        if part and (len(part) == MOST_ENTRIES or size + length > MOST_BYTES):
            yield part
            part, size = {}, 0
        part[key] = (missing[key], entry)
        size += length
    if part:
        yield part


def _hand_over(api: BatchApi, opened: OpenBatches, part: Mapping[str, tuple[JudgeRequest, Any]]) -> OpenBatch:
    batch = opened.begin({key: request.top_logprobs for key, (request, _) in part.items()})
    return opened.arrived(batch, api.submit([entry for _, entry in part.values()], batch.tag))


def _collect(
    engine: Engine, api: BatchApi, opened: OpenBatches, batches: list[OpenBatch], *, wait: bool, say: Say
) -> bool:
    """Look at the open batches until all have ended, or once; whether all have."""
    pause, told = _FIRST_WAIT, ""
    while True:
        still_open, done = [], 0
        for batch in batches:
            assert batch.id is not None
            progress = api.progress(batch.id)
            if progress.ended:
                verdicts = _verdicts(api, batch, progress.fault)
                engine.settle(verdicts)
                opened.forget(batch)
                say(_account(engine.config, batch, verdicts.values()))
            else:
                still_open.append(batch)
                done += progress.done
        if not still_open:
            return True
        line = f"{done} of {sum(len(batch.tops) for batch in still_open)} requests are done in their batches"
        if not wait:
            say(f"Judge {engine.config.name}: {line}. Run the same command again to collect them.")
            return False
        if line != told:
            say(f"Judge {engine.config.name}: {line}; stopping is safe, the same command goes on.")
        batches, told = still_open, line
        time.sleep(pause)
        pause = min(2 * pause, _LONGEST_WAIT)


def _verdicts(api: BatchApi, batch: OpenBatch, fault: str | None) -> dict[str, Verdict]:
    """The verdicts of an ended batch, a failed one for each entry that it says nothing about."""
    assert batch.id is not None
    silent = dict.fromkeys(batch.tops, failed(fault or f"the batch {batch.id} holds no answer to this request"))
    return silent | dict(api.verdicts(batch.id, batch.tops))


def _account(config: JudgeConfig, batch: OpenBatch, verdicts: Iterable[Verdict]) -> str:
    """What a batch gave and cost."""
    answered = [verdict for verdict in verdicts if verdict.ok]
    prompts = sum(verdict.prompt_tokens for verdict in answered)
    completions = sum(verdict.completion_tokens for verdict in answered)
    price = config.cost(prompts, completions)
    cost = "" if price is None else f", about ${BATCH_SHARE * price:.2f} instead of ${price:.2f}"
    return (
        f"Judge {config.name}: batch {batch.id} has ended: {len(answered)} judged, "
        f"{len(batch.tops) - len(answered)} failed, {prompts + completions:,} tokens{cost}."
    )
