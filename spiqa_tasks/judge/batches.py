"""Verdicts through a provider's batch interface: within a day, at half the price, handed over once."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypedDict

from filelock import FileLock, Timeout

from spiqa_tasks.errors import JudgeError
from spiqa_tasks.files.atomic import check_folder, write_atomically
from spiqa_tasks.files.cache_folder import cache_path
from spiqa_tasks.judge.batch_files import ALL, batch_api, parts, read_responses
from spiqa_tasks.judge.engine import Engine
from spiqa_tasks.judge.pricing import BATCH_SHARE
from spiqa_tasks.judge.providers.declaration import BatchError
from spiqa_tasks.judge.providers.server import told
from spiqa_tasks.judge.types import JudgeRequest, Verdict, failed
from spiqa_tasks.printable import counted, say

FILE_NAME, LOCKED_SECONDS = "batches.json", 600.0
"""Where open batches are listed, beside the cache of verdicts, and how long to wait for another process at them."""
LONGEST_WAIT, ARRIVAL_SECONDS = 26 * 3600.0, 60.0
"""Seconds that a call waits for batches promised within a day, and in which a new one shows in the server's list."""
MOST_MISSES = 8
"""Looks in a row that may fail."""
_FIRST_PAUSE, _LONGEST_PAUSE = 1.0, 60.0


def judge_in_batches(engine: Engine, requests: Sequence[JudgeRequest], *, wait: bool) -> bool:
    """Hand over the requests without a verdict, collect what is done; return whether every batch has ended.

    A request in an open batch, also one of an earlier call that was killed, is never handed over again. Verdicts go to
    the cache; a request that failed in its batch has failed for this process and is handed over anew by the next call.
    With `wait` for 26 hours at most, else with one look.

    Raises:
        JudgeError: a server that refuses or is out of reach, or a cache that cannot be written.
    """
    wanted = engine.keyed(requests)
    missing = {key: wanted[key] for key in sorted(wanted.keys() - engine.known(wanted))}
    if not missing:
        return True
    engine.require_key()
    counter = _Counter(engine, missing)
    end, pause, misses, before = time.monotonic() + LONGEST_WAIT, _FIRST_PAUSE, 0, ""
    while True:
        try:
            line, misses = counter.look(), 0
        except BatchError as error:
            misses += 1
            if not wait or error.refused or misses > MOST_MISSES:
                raise
            line = f"{error} Trying again."
        if not line:
            engine.fail_rest(missing, "another process collected its batch, which has no answer to it")
            return True
        if not wait or time.monotonic() > end:
            say(f"{line} Run the same command again to collect them.")
            return False
        if line != before:
            say(line)
        before = line
        time.sleep(pause)
        pause = min(2 * pause, _LONGEST_PAUSE)


class OpenBatch(TypedDict):
    """A batch: whom it was handed to, since when (Unix time, just before), and its name there once that is known.

    `tops` holds for each request's key how many log-probabilities it asks for; None: a written answer.
    """

    judge: str
    url: str
    since: float
    id: str | None
    tops: dict[str, int | None]


@contextmanager
def _open_batches(path: Path) -> Iterator[dict[str, OpenBatch]]:
    """Yield the open batches in the file, by their tags, with other processes kept out; JudgeError where they stay."""
    try:
        with FileLock(f"{path}.lock", timeout=LOCKED_SECONDS):
            try:
                opened = json.loads(path.read_bytes()) if path.exists() else {}
                sound = all(batch.keys() == OpenBatch.__required_keys__ for batch in opened.values())
            except (OSError, ValueError, AttributeError, RecursionError):
                sound = False
            if not sound:
                raise JudgeError(
                    f"Expected the list of open batches in {path}, found something else. Restore it, or delete it to "
                    "give up the batches that it named: their requests would be paid again."
                )
            yield opened
    except Timeout:
        raise JudgeError(f"Expected {path} to be free, found another process at it. Run the command again.") from None


class _Counter:
    """Where requests are handed over and verdicts collected.

    `_due` are the keys to hand over in this call: those in no open batch, and those of one that never arrived.
    """

    def __init__(self, engine: Engine, missing: Mapping[str, JudgeRequest]) -> None:
        self._engine, self._config, self._missing = engine, engine.config, missing
        self._api, self._due = batch_api(engine.config), set(missing)
        folder = engine.config.cache_dir or cache_path()
        check_folder(folder)
        self._path = folder / FILE_NAME
        self._made: dict[str, float] = {}

    def look(self) -> str:
        """Collect what has ended and hand over what is due; return how far the rest is, empty where nothing is open."""
        trouble: BatchError | None = None
        done = left = 0
        with _open_batches(self._path) as self._opened:
            for tag, batch in list(self._opened.items()):
                if (batch["judge"], batch["url"]) == (self._config.name, self._config.url):
                    self._due -= batch["tops"].keys()
                    try:
                        done += self._follow(tag, batch)
                    except BatchError as error:
                        trouble = error
                    left += len(batch["tops"]) if tag in self._opened else 0
            self._due -= self._engine.known(self._due)
            for part in parts(self._api, {key: self._missing[key] for key in sorted(self._due)}):
                self._hand_over(part)
                left += len(part)
        if trouble is not None:
            raise trouble
        return f"Judge {self._config.name}: {done} of {left} requests are done in their batches." if left else ""

    def _write(self) -> None:
        write_atomically(self._path, json.dumps(self._opened).encode())

    def _follow(self, tag: str, batch: OpenBatch) -> int:
        """Look at a batch, and collect it where it has ended; return how many requests are done and not collected."""
        others = {other["id"] or "" for other in self._opened.values()}
        with told(self._config):
            name = batch["id"] or self._api.find(tag, batch["tops"], others)
        if name is None and self._age(tag, batch) >= ARRIVAL_SECONDS:
            del self._opened[tag]
            self._due |= batch["tops"].keys() & self._missing.keys()
        batch["id"] = name or None
        self._write()
        if not name:
            return 0
        verdicts: dict[str, Verdict] = {}
        try:
            with told(self._config):
                look = self._api.look(name)
                if look.responses is None:
                    return look.done
                counts = read_responses(self._api, batch["tops"], look.responses, verdicts)
            if counts[ALL] < look.done:
                raise BatchError(self._config.name, f"{counts[ALL]} of {look.done} responses of the batch {name}")
            fault = look.fault
        except BatchError as error:
            self._engine.settle(verdicts)
            if not error.gone:
                raise
            with told(self._config):  # a server that is there and lists its batches
                self._api.find(tag, batch["tops"], others)
            fault = f"the server knows the batch {name} no more"
        silent = failed(fault or f"the batch {name} holds no answer to this request")
        self._engine.settle(verdicts | dict.fromkeys(batch["tops"].keys() - verdicts.keys(), silent))
        del self._opened[tag]
        self._write()
        answered = [verdict for verdict in verdicts.values() if verdict.ok]
        cost = self._config.cost(sum(v.prompt_tokens for v in answered), sum(v.completion_tokens for v in answered))
        half = "" if cost is None else f", about ${BATCH_SHARE * cost:.2f} instead of ${cost:.2f}"
        account = f"{len(answered)} judged, {len(batch['tops']) - len(answered)} failed{half}{fault and f'; {fault}'}"
        say(f"Judge {self._config.name}: batch {name} has ended: {account}.")
        return 0

    def _age(self, tag: str, batch: OpenBatch) -> float:
        """The seconds since a batch was handed over; by a clock that was set back since, they begin anew."""
        if tag in self._made:
            return time.monotonic() - self._made[tag]
        batch["since"] = min(batch["since"], time.time())
        return time.time() - batch["since"]

    def _hand_over(self, part: Mapping[str, Mapping[str, Any]]) -> None:
        """Write a batch down, then create it; an error leaves the note, for the next look, unless nothing was done."""
        tag, tops = uuid.uuid4().hex, {key: self._missing[key].top_logprobs for key in part}
        batch = OpenBatch(judge=self._config.name, url=self._config.url, since=time.time(), id=None, tops=tops)
        self._opened[tag], self._made[tag] = batch, time.monotonic()
        self._write()
        try:
            with told(self._config):
                batch["id"] = self._api.create(list(part.values()), tag)
        except BatchError as error:
            if error.refused:
                del self._opened[tag]
            raise
        finally:
            self._write()
        self._due -= part.keys()
        whose = f"Judge {self._config.name}: batch {batch['id']}"
        say(f"{whose} of {counted(len(part), 'request')} handed over; stopping is safe now.")
