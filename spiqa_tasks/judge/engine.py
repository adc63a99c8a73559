"""One engine for every use of a judge: requests in from any thread, verdicts out, each paid for once."""

from __future__ import annotations

import asyncio
import atexit
import os
import sys
import threading
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import wait
from dataclasses import dataclass

from spiqa_tasks.judge.cache import VerdictCache, open_cache
from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.dispatcher import Dispatcher, Job
from spiqa_tasks.judge.pending import Pending
from spiqa_tasks.judge.pricing import estimated_tokens
from spiqa_tasks.judge.providers import JudgeClient
from spiqa_tasks.judge.retry import RetryPolicy
from spiqa_tasks.judge.stored import request_key
from spiqa_tasks.judge.summary import Summary, Tally
from spiqa_tasks.judge.types import JudgeRequest, Verdict

_CLOSE_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class JudgingEstimate:
    """What judging would take: requests to make, verdicts in the cache, tokens, US dollars (None: price unknown)."""

    calls: int
    cached: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None


class _PendingVerdict:
    """A verdict on its way; after a fork the child asks for it itself when it wants it."""

    __slots__ = ("__weakref__", "engine", "key", "request", "session", "verdict")

    def __init__(self, engine: Engine, request: JudgeRequest, key: str) -> None:
        self.engine = engine
        self.request: JudgeRequest | None = request
        self.key = key
        self.session: _Session | None = None
        self.verdict: Verdict | None = None

    def done(self) -> bool:
        return self.verdict is not None

    def result(self, timeout: float | None = None) -> Verdict:
        return self.verdict or self.engine._wait_for(self, timeout)


class _Session:
    """A loop in a daemon thread with everything that must not outlive a fork."""

    def __init__(self, config: JudgeConfig, make: Callable[[JudgeConfig], JudgeClient]) -> None:
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
        self._make = make or config.declaration.make_client
        self._reported = ""
        self._settled: dict[str, Verdict] = {}
        self._session: _Session | None = None
        self._reset()
        _engines.add(self)

    def submit(self, request: JudgeRequest) -> Pending:
        """Hand a request over and return at once. Raises JudgeError where the judge cannot be set up at all."""
        with self._condition:
            return self._submitted(request, self._key(request, self._running()), None)

    def submit_all(self, requests: Sequence[JudgeRequest]) -> list[Pending]:
        """Hand requests over; those with a stored verdict have it at once, which is much faster than one by one."""
        with self._condition:
            session = self._running()
        keys = [self._key(request, session) for request in requests]
        stored = session.cache.get_many(list(dict.fromkeys(keys))) if session.cache else {}
        with self._condition:
            return [self._submitted(request, key, stored.get(key)) for request, key in zip(requests, keys, strict=True)]

    def ask_now(self, request: JudgeRequest, policy: RetryPolicy) -> Verdict:
        """Ask under another retry policy, past the cache, and wait. Raises JudgeError where a key is missing."""
        self.config.require_key()
        with self._condition:
            pending = _PendingVerdict(self, request, "")
            self._enqueue(pending, policy)
        return pending.result()

    def map(self, requests: Iterable[JudgeRequest], *, progress: bool = True) -> list[Verdict]:
        """The verdicts in the order of the requests."""
        pendings = self.submit_all(list(requests))
        self.wait(pendings, progress=progress)
        return [pending.result() for pending in pendings]

    def wait(self, pendings: Sequence[Pending], *, progress: bool = True, report: bool = False) -> None:
        """Wait for all, with a progress bar on a terminal's stderr; `report` then prints the summary line there.

        A summary that was printed before is not printed again: metrics over the same verdicts come one after another.
        """
        if not all(pending.done() for pending in pendings):
            from tqdm import tqdm

            shown = None if progress else True
            bar = tqdm(pendings, f"judge {self.config.name}", file=sys.stderr, disable=shown, unit=" judgements")
            for pending in bar:
                pending.result()
        if report and (line := self.summary().line()) != self._reported:
            self._reported = line
            print(line, file=sys.stderr)

    def estimate(self, requests: Iterable[JudgeRequest]) -> JudgingEstimate:
        """Return what judging these would take; asks nothing and needs no key."""
        wanted, missing = self._wanted(requests)
        prompts = sum(estimated_tokens((request.system or "") + request.prompt) for request in missing.values())
        completions = sum(request.max_tokens for request in missing.values())
        price = self.config.cost(prompts, completions)
        return JudgingEstimate(len(missing), wanted - len(missing), prompts, completions, price)

    def missing(self, requests: Iterable[JudgeRequest]) -> dict[str, JudgeRequest]:
        """Return, by their keys in the cache, those of `requests` that have no verdict there."""
        return self._wanted(requests)[1]

    def settle(self, verdicts: Mapping[str, Verdict]) -> None:
        """Take verdicts that were had elsewhere, by key: stored for later runs, or, where failed, final in this one."""
        with self._condition:
            session = self._running()
            self._settled.update(verdicts)
        if session.cache:
            session.cache.put_many(verdicts.items())

    def summary(self) -> Summary:
        """What judging took so far."""
        with self._condition:
            return self._tally.summary(self.config.name, self.config.cost)

    def close(self) -> None:
        """Stop; verdicts still awaited fail. A later request starts the engine again."""
        with self._condition:
            session, self._session = self._session, None
        if session is not None:
            session.close()

    def _wanted(self, requests: Iterable[JudgeRequest]) -> tuple[int, dict[str, JudgeRequest]]:
        """How many different requests there are, and those without a stored verdict by their keys."""
        with self._condition:
            session = self._running()
        wanted = {self._key(request, session): request for request in requests}
        stored = session.cache.known(list(wanted)) if session.cache else set()
        return len(wanted), {key: request for key, request in wanted.items() if key not in stored}

    def _reset(self) -> None:
        """Start without a session: at first, and in a forked child, where the parent's thread does not exist."""
        if self._session is not None:
            _abandoned.append(self._session)
        self._condition = threading.Condition()
        self._held: weakref.WeakValueDictionary[str, _PendingVerdict] = weakref.WeakValueDictionary()
        self._session = None
        self._tally = Tally()

    def _running(self) -> _Session:
        if self._session is None:
            self._session = _Session(self.config, self._make)
        return self._session

    def _key(self, request: JudgeRequest, session: _Session) -> str:
        config = self.config
        judge = (config.provider, config.model, config.url, session.client.fingerprint)
        return request_key(*judge, request, config.extra)

    def _submitted(self, request: JudgeRequest, key: str, stored: Verdict | None) -> _PendingVerdict:
        """The request's pending verdict: that of an equal request, one that is there, or a new one on its way."""
        stored = stored or self._settled.get(key)
        pending = self._held.get(key)
        if pending is None or (pending.verdict is not None and not pending.verdict.ok):
            pending = _PendingVerdict(self, request, key)
            self._held[key] = pending
            if stored is None:
                self._enqueue(pending, self.config.retry)
            else:
                self._tally.opened()
                self._deliver(pending, stored)
        return pending

    def _enqueue(self, pending: _PendingVerdict, policy: RetryPolicy) -> None:
        if pending.request is None:
            return
        session = self._running()
        pending.session = session
        self._tally.opened()
        job = Job(pending.request, pending.key, policy, lambda verdict: self._deliver(pending, verdict))
        session.loop.call_soon_threadsafe(session.dispatcher.add, job)

    def _deliver(self, pending: _PendingVerdict, verdict: Verdict) -> None:
        with self._condition:
            cut = pending.request is not None and pending.request.cut
            pending.verdict = verdict
            pending.request = None
            self._condition.notify_all()
            self._tally.closed(verdict, counted=bool(pending.key), cut=cut)

    def _wait_for(self, pending: _PendingVerdict, timeout: float | None) -> Verdict:
        with self._condition:
            if pending.verdict is None and pending.session in _abandoned:
                self._enqueue(pending, self.config.retry)
            self._condition.wait_for(pending.done, timeout)
            if pending.verdict is None:
                raise TimeoutError(f"The judge {self.config.name} gave no verdict within {timeout} s.")
            return pending.verdict


# Sessions that a forked child inherited; kept so that their database connections are never closed from the child.
_abandoned: list[_Session] = []
_engines: weakref.WeakSet[Engine] = weakref.WeakSet()
_shared: dict[JudgeConfig, Engine] = {}
_shared_lock = threading.Lock()


def shared_engine(config: JudgeConfig) -> Engine:
    """This process's engine for a judge, the same one on every call."""
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
