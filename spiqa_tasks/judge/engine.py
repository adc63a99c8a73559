"""One engine for every use of a judge: requests in from any thread, verdicts out, each paid for once."""

from __future__ import annotations

import asyncio
import atexit
import logging
import os
import sqlite3
import sys
import threading
import weakref
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import Future, wait
from dataclasses import replace

from spiqa_tasks.errors import JudgeError
from spiqa_tasks.judge.cache import VerdictCache, fork_lock, open_cache
from spiqa_tasks.judge.cache_entry import request_key
from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.dispatcher import Dispatcher, Job
from spiqa_tasks.judge.pricing import estimated_tokens
from spiqa_tasks.judge.providers import PROVIDERS, JudgeClient
from spiqa_tasks.judge.redaction import redacted_verdict
from spiqa_tasks.judge.retry import RetryPolicy
from spiqa_tasks.judge.summary import JudgingEstimate, Summary, Tally
from spiqa_tasks.judge.types import JudgeRequest, Verdict, failed
from spiqa_tasks.printable import counted, said_if_slow, say

Pending = Future[Verdict]
"""A verdict on its way."""
_CLOSE_SECONDS = 5.0
_log = logging.getLogger("spiqa_tasks")


class _Session:
    """A loop in a daemon thread with everything that must not outlive a fork."""

    def __init__(self, config: JudgeConfig, make: Callable[[JudgeConfig], JudgeClient]) -> None:
        with fork_lock:
            self.client = make(config)
        self.cache: VerdictCache | None = open_cache(config.cache_dir) if config.cache else None
        self.dispatcher = Dispatcher(config, self.client, self.cache)
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, name="judge-engine", daemon=True)
        self.thread.start()

    def close(self) -> None:
        closing = asyncio.run_coroutine_threadsafe(self.dispatcher.close(), self.loop)
        wait([closing], _CLOSE_SECONDS)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(_CLOSE_SECONDS)
        if not self.thread.is_alive():
            self.loop.close()


class Engine:
    """Asks one judge, with at most `config.concurrency` requests at a time, from a loop in a thread of its own.

    Nothing starts before the first request. Identical requests share one verdict while any of them is held; verdicts
    are kept in the cache for later runs and for other processes. Use from any thread; a forked child starts afresh.
    """

    def __init__(self, config: JudgeConfig, make: Callable[[JudgeConfig], JudgeClient] | None = None) -> None:
        self.config = config
        self._provider = PROVIDERS[config.provider]
        self._make = make or self._provider.make_client
        self._reported = ""
        self._told = 0
        self._settled: dict[str, Verdict] = {}
        self._session: _Session | None = None
        self._reset()
        _engines.add(self)

    def submit_all(self, requests: Sequence[JudgeRequest]) -> list[Pending]:
        """Hand requests over and return at once; those with a stored verdict have it already.

        Raises:
            JudgeError: the judge cannot be set up at all.
        """
        keys, cache = self._keys(requests), self._running().cache
        stored = cache.get_many(list(dict.fromkeys(keys))) if cache else {}
        line = "judge %s at %s: %d requests, %d of their verdicts in the cache %s"
        host = self.config.host or "this process"
        _log.info(line, self.config.name, host, len(requests), len(stored), cache or "none")
        with self._lock:
            return [self._submitted(request, key, stored.get(key)) for request, key in zip(requests, keys, strict=True)]

    def require_key(self) -> None:
        """Raise JudgeError for a public server without a key; called when the judge is going to be asked."""
        missing = self._provider.missing_key(self.config)
        if missing is not None:
            raise JudgeError(missing)

    def ask_now(self, request: JudgeRequest, policy: RetryPolicy) -> Verdict:
        """Ask under another retry policy, past the cache, and wait. Raises JudgeError where a key is missing."""
        self.require_key()
        return self._enqueued(request, "", policy).result()

    def map(self, requests: Sequence[JudgeRequest], *, report: bool = False) -> list[Verdict]:
        """Return the verdicts in the order of the requests; see `wait`."""
        pendings = self.submit_all(requests)
        self.wait(pendings, report=report)
        return [pending.result() for pending in pendings]

    def wait(self, pendings: Sequence[Pending], *, report: bool = False) -> None:
        """Wait for all, with a progress bar on a terminal's stderr; `report` then prints the summary line to stderr.

        An unchanged summary is not printed again: metrics over the same verdicts come one after another.
        """
        if not all(pending.done() for pending in pendings):
            name = f"judge {self.config.name}"
            with said_if_slow(f"{name}: {counted(len(pendings), 'judgement')}"):
                for pending in _shown(pendings, name):
                    pending.result()
        cache = self._session and self._session.cache
        if cache and (count := cache.unstored()) > self._told:
            self._told = count
            say(
                f"Expected to store {counted(count, 'verdict')} in the judge's cache {cache}, which failed: "
                f"{cache.trouble}. They count in this run, and the next one pays for them again. Make room, or end the "
                "program that has locked it."
            )
        if report and (line := self.summary().line()) != self._reported:
            self._reported = line
            print(line, file=sys.stderr)

    def estimate(self, requests: Sequence[JudgeRequest]) -> JudgingEstimate:
        """Return what judging these would take; asks nothing and needs no key."""
        wanted = self.keyed(requests)
        missing = [wanted[key] for key in wanted.keys() - self.known(wanted)]
        prompts = sum(estimated_tokens(request.prompt) for request in missing)
        completions = sum(request.max_tokens for request in missing)
        price = self.config.cost(prompts, completions)
        return JudgingEstimate(len(missing), len(wanted) - len(missing), prompts, completions, price)

    def keyed(self, requests: Sequence[JudgeRequest]) -> dict[str, JudgeRequest]:
        """Return the different requests by their keys in the cache."""
        return dict(zip(self._keys(requests), requests, strict=True))

    def known(self, keys: Iterable[str]) -> set[str]:
        """Return those of `keys` that have a stored verdict."""
        cache = self._running().cache
        return set(cache.get_many(list(keys))) if cache else set()

    def settle(self, verdicts: Mapping[str, Verdict]) -> None:
        """Take verdicts from elsewhere, by key: stored for later runs, or, where failed, the first reason for this one.

        Raises:
            JudgeError: the cache does not take them.
        """
        verdicts = {key: redacted_verdict(verdict, self.config.api_key) for key, verdict in verdicts.items()}
        cache = self._running().cache
        answered = [(key, verdict) for key, verdict in verdicts.items() if verdict.ok]
        reason = "it cannot be written"
        try:
            stored = not answered or (cache is not None and cache.put_many(answered))
            reason = (cache and cache.trouble) or reason
        except sqlite3.Error as error:
            stored, reason = False, str(error)
        if not stored:
            raise JudgeError(
                f"Expected to store {len(answered)} verdicts in the judge's cache, which failed: {reason}. "
                "Run the same command again when it can be written: nothing is lost."
            )
        with self._lock:
            self._settled = {**verdicts, **self._settled}

    def fail_rest(self, keys: Collection[str], reason: str) -> None:
        """Fail, in this process, those of `keys` that have no verdict and no earlier reason."""
        self.settle(dict.fromkeys(set(keys) - self.known(keys), failed(reason)))

    def summary(self) -> Summary:
        """Return what judging took so far."""
        with self._lock:
            found = self._tally.summary(self.config.name, self.config.cost)
            cache = self._session and self._session.cache
        return replace(found, unstored=cache.unstored() if cache else 0)

    def close(self) -> None:
        """Stop; verdicts still awaited fail. A later request starts the engine again."""
        with self._lock:
            session, self._session = self._session, None
        if session:
            session.close()

    def _reset(self) -> None:
        """Start without a session: at first, and in a forked child, which has no copy of the parent's thread."""
        if self._session is not None:
            _abandoned.append(self._session)
        self._lock = threading.RLock()
        self._held: weakref.WeakValueDictionary[str, Pending] = weakref.WeakValueDictionary()
        self._session = None
        self._tally = Tally()

    def _running(self) -> _Session:
        """The session, started if need be."""
        with self._lock:
            if self._session is None:
                self._session = _Session(self.config, self._make)
            return self._session

    def _keys(self, requests: Sequence[JudgeRequest]) -> list[str]:
        """The requests' keys in the cache."""
        fingerprint = self._running().client.fingerprint
        return [request_key(self.config, fingerprint, request) for request in requests]

    def _submitted(self, request: JudgeRequest, key: str, stored: Verdict | None) -> Pending:
        """The request's pending verdict: that of an equal request, a stored one, or a new one on its way."""
        pending = self._held.get(key)
        if pending is not None and (not pending.done() or pending.result().ok):
            return pending
        if stored := stored or self._settled.get(key):
            pending = Pending()
            self._tally.opened()
            self._deliver(pending, request, stored)
        else:
            pending = self._enqueued(request, key, self.config.retry)
        self._held[key] = pending
        return pending

    def _enqueued(self, request: JudgeRequest, key: str, policy: RetryPolicy) -> Pending:
        """A verdict that is asked for; one without a key bypasses the cache and is not counted."""
        with self._lock:
            session, pending = self._running(), Pending()
            self._tally.opened()
            job = Job(request, key, policy, lambda verdict: self._deliver(pending, request, verdict, counted=bool(key)))
            session.loop.call_soon_threadsafe(session.dispatcher.add, job)
            return pending

    def _deliver(self, pending: Pending, request: JudgeRequest, verdict: Verdict, *, counted: bool = True) -> None:
        with self._lock:
            pending.set_result(verdict)
            self._tally.closed(verdict, request, counted=counted)


def _shown(pendings: Sequence[Pending], name: str) -> Iterable[Pending]:
    """The pending verdicts, with a progress bar as they are gone through where stderr is a terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        return pendings
    with fork_lock:
        from tqdm import tqdm
    return tqdm(pendings, name, file=sys.stderr, unit=" judgements")


# Sessions that a forked child inherited; kept so that their database connections are never closed from the child.
_abandoned: list[_Session] = []
_engines: weakref.WeakSet[Engine] = weakref.WeakSet()
_shared: dict[JudgeConfig, Engine] = {}
_shared_lock = threading.Lock()


def shared_engine(config: JudgeConfig) -> Engine:
    """Return this process's engine for a judge, the same one on every call."""
    with _shared_lock:
        if config not in _shared:
            _shared[config] = Engine(config)
        return _shared[config]


def _after_fork() -> None:
    global _shared_lock
    _shared_lock = threading.Lock()
    for engine in list(_engines):
        engine._reset()


def _at_exit() -> None:
    for engine in list(_engines):
        engine.close()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
atexit.register(_at_exit)
