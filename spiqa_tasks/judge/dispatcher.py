"""The engine's work on its loop: a queue, at most `concurrency` workers, the cache before and the retries after."""

from __future__ import annotations

import asyncio
import logging
import random
import sqlite3
import warnings
from collections.abc import Callable, Coroutine
from dataclasses import dataclass

from spiqa_tasks.judge.batcher import Batcher
from spiqa_tasks.judge.cache import Claim, VerdictCache
from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.providers import JudgeClient
from spiqa_tasks.judge.retry import AskError, RetryPolicy
from spiqa_tasks.judge.types import JudgeRequest, Verdict, failed

_CLAIM_POLL_SECONDS = 0.2
_STORED_TOGETHER = 500
_log = logging.getLogger(__name__)


@dataclass(slots=True, eq=False)
class Job:
    """A request on its way to a verdict, which goes to `deliver`. A job with an empty `key` bypasses the cache."""

    request: JudgeRequest
    key: str
    policy: RetryPolicy
    deliver: Callable[[Verdict], None]
    attempts: int = 0
    tries: int = 0
    claimed: bool = False


class Dispatcher:
    """Works off jobs. All methods run on one loop.

    One task looks jobs up in the cache and claims the missing ones shortly before they are asked; workers do nothing
    but ask; verdicts are stored, then delivered, beside them. So a worker sends its next request as soon as it has
    read an answer. A job that waits, for its next try or for another process that asks the same, holds no slot. When
    as many requests in a row as there are slots were told to slow down, all wait as long as the server asked for.
    """

    def __init__(self, config: JudgeConfig, client: JudgeClient, cache: VerdictCache | None) -> None:
        self._config = config
        self._client = client
        self._cache = cache
        self._claims = Batcher(cache.claim_many, config.concurrency) if cache else None
        self._puts = Batcher(_putter(cache), _STORED_TOGETHER) if cache else None
        self._queue: asyncio.Queue[Job] = asyncio.Queue()
        self._ready: asyncio.Queue[Job] = asyncio.Queue(config.concurrency)
        self._workers: list[asyncio.Task[None]] = []
        self._settling: set[asyncio.Task[None]] = set()
        self._open: set[Job] = set()
        self._rng = random.Random()
        self._last_answer = 0.0
        self._trouble: str | None = None
        self._refusals = 0
        self._resume_at = 0.0

    def add(self, job: Job) -> None:
        """Take a job in; its verdict is delivered on this loop, always."""
        if not self._open:
            self._last_answer = self._now()
        self._open.add(job)
        self._queue.put_nowait(job)
        if not self._workers:
            self._start(self._feed())
        if len(self._workers) <= min(self._config.concurrency, len(self._open)):
            self._start(self._work())

    async def close(self) -> None:
        """Fail what is open, then let go of everything."""
        for worker in self._workers:
            worker.cancel()
        await asyncio.gather(*self._workers, *self._settling, return_exceptions=True)
        for job in list(self._open):
            self._finish(job, failed("the judge engine was closed before the judge answered"))
        await self._client.aclose()
        for batcher in (self._claims, self._puts):
            if batcher is not None:
                batcher.close()
        if self._cache is not None:
            self._cache.close()

    def _start(self, worker: Coroutine[None, None, None]) -> None:
        self._workers.append(asyncio.get_running_loop().create_task(worker))

    def _finish(self, job: Job, verdict: Verdict) -> None:
        self._open.discard(job)
        job.deliver(verdict)

    async def _feed(self) -> None:
        """Jobs from the queue to the workers, past the cache."""
        while True:
            jobs = [await self._queue.get()]
            while len(jobs) < self._config.concurrency and not self._queue.empty():
                jobs.append(self._queue.get_nowait())
            claims = await asyncio.gather(*map(self._claim, jobs))
            for job, claim in zip(jobs, claims, strict=True):
                if isinstance(claim, Verdict):
                    self._finish(job, claim)
                elif claim == "theirs":
                    self._later(job, _CLAIM_POLL_SECONDS)
            for job, claim in zip(jobs, claims, strict=True):
                if claim == "mine":
                    await self._ready.put(job)

    async def _work(self) -> None:
        while True:
            job = await self._ready.get()
            while (wait := self._resume_at - self._now()) > 0:
                await asyncio.sleep(wait)
            verdict = self._given_up(job) or await self._ask(job)
            if verdict is not None:
                settling = asyncio.get_running_loop().create_task(self._settle(job, verdict))
                self._settling.add(settling)
                settling.add_done_callback(self._settling.discard)

    async def _settle(self, job: Job, verdict: Verdict) -> None:
        """Store, then deliver: what anyone has seen is never paid for again."""
        try:
            await self._store(job, verdict)
        finally:
            self._finish(job, verdict)

    async def _ask(self, job: Job) -> Verdict | None:
        """The verdict, or None where the job comes back to the queue later."""
        reason = self._config.cannot(job.request)
        if reason is not None:
            return failed(reason)
        try:
            verdict = await self._client.ask(job.request)
        except AskError as error:
            return self._after_failure(job, error)
        except Exception as error:  # a defect must not leave anyone waiting for ever: it becomes the reason
            reason = self._config.redact(f"{type(error).__name__}: {error}")
            _log.error("The judge engine failed on a request: %s", reason)
            return failed(f"unexpected {reason}")
        self._last_answer = self._now()
        self._trouble = None
        self._refusals = 0
        return verdict

    def _after_failure(self, job: Job, error: AskError) -> Verdict | None:
        if not error.retryable:
            self._last_answer = self._now()
            return failed(error.reason)
        patient = error.refused and job.policy.patient
        job.tries += 1
        job.attempts += 0 if patient else 1
        delay = job.policy.delay(job.tries, error.retry_after, self._rng)
        self._trouble = error.reason
        self._refusals += 1 if error.refused else 0
        if job.policy.exhausted(job.attempts, self._now() - self._last_answer, delay):
            return failed(f"{error.reason} (gave up after {job.tries} tries)")
        if self._refusals >= self._config.concurrency:
            self._resume_at = self._now() + delay
            self._refusals = 0
        self._later(job, delay)
        return None

    def _given_up(self, job: Job) -> Verdict | None:
        """A failure where the judge has been out of reach for so long that asking on is pointless."""
        silent = self._now() - self._last_answer
        if self._trouble is None or silent <= job.policy.max_seconds:
            return None
        return failed(f"{self._trouble} (the judge has answered nothing for {silent:.0f} s)")

    async def _claim(self, job: Job) -> Claim:
        if not job.key or job.claimed or self._claims is None:
            return "mine"
        try:
            claim = await self._claims(job.key)
        except sqlite3.Error as error:
            self._drop_cache(error)
            return "mine"
        job.claimed = claim == "mine"
        return claim

    async def _store(self, job: Job, verdict: Verdict) -> None:
        if not job.key or self._puts is None:
            return
        try:
            await self._puts((job.key, verdict))
        except sqlite3.Error as error:
            self._drop_cache(error)

    def _drop_cache(self, error: sqlite3.Error) -> None:
        if self._claims is not None:
            warnings.warn(f"Verdicts are no longer kept: the judge's cache failed ({error}).", stacklevel=2)
        self._claims = self._puts = None

    def _later(self, job: Job, seconds: float) -> None:
        asyncio.get_running_loop().call_later(seconds, self._queue.put_nowait, job)

    @staticmethod
    def _now() -> float:
        return asyncio.get_running_loop().time()


def _putter(cache: VerdictCache) -> Callable[[list[tuple[str, Verdict]]], list[None]]:
    def put(rows: list[tuple[str, Verdict]]) -> list[None]:
        cache.put_many(rows)
        return [None] * len(rows)

    return put
