"""The engine's work on its loop: a queue, at most `concurrency` workers, the cache before and the retries after."""

from __future__ import annotations

import asyncio
import itertools
import logging
import random
import sqlite3
import warnings
from collections.abc import Callable, Coroutine
from dataclasses import dataclass

from spiqa_tasks.judge.batcher import Batcher
from spiqa_tasks.judge.cache import Claim, Owner, VerdictCache
from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.pace import Outcome, Pace
from spiqa_tasks.judge.providers import PROVIDERS, JudgeClient
from spiqa_tasks.judge.redaction import redacted_verdict
from spiqa_tasks.judge.retry import AskError, RetryPolicy
from spiqa_tasks.judge.types import JudgeRequest, Verdict, failed

_CLAIM_POLL_SECONDS = 0.5
_SUSPECT = 3
"""Failures of one request while others are answered, after which it is at fault and not the server."""
_NAP_SECONDS = 0.25
"""How long to wait for one's turn before the pace, which others may have changed, is looked at again."""
_REFUSED_SECONDS = 1.0
"""The longest that one refused request waits without a `Retry-After`: the pace holds the others back."""
_LONG_WAIT_SECONDS = 3.0
"""How long a verdict is awaited from another process before it is logged."""
_STORED_TOGETHER = 500
_log = logging.getLogger("spiqa_tasks")


@dataclass(slots=True, eq=False)
class Job:
    """A request on its way to a verdict, which goes to `deliver`. A job with an empty `key` bypasses the cache.

    Of its `tries`, `attempts` count against it. The last one was made at `asked` with the `ticket` of the pace, and
    when it failed the judge had given so many `answers`.
    """

    request: JudgeRequest
    key: str
    policy: RetryPolicy
    deliver: Callable[[Verdict], None]
    attempts: int = 0
    tries: int = 0
    claimed: bool = False
    first_asked: float | None = None
    asked: float = 0.0
    waits_since: float | None = None
    ticket: int = 0
    answers: int = -1


class Dispatcher:
    """Works off jobs. All methods run on one loop.

    A worker claims a job in the cache, asks, and goes on with the next one; verdicts are stored, then delivered,
    beside it. A job that waits, for its next try or for another process that asks the same, holds no slot and no claim.
    A server is asked at its `Pace`; one that answers nothing for as long as the policy's patience, or asks for a longer
    wait than that, stops everything, however many jobs are open.
    """

    def __init__(self, config: JudgeConfig, client: JudgeClient, cache: VerdictCache | None) -> None:
        self._config = config
        self._provider = PROVIDERS[config.provider]
        self._client = client
        self._cache = cache
        self._claims: Batcher[str, Claim] | None = None
        self._puts: Batcher[tuple[str, Verdict], bool] | None = None
        if cache:
            self._claims = Batcher(cache.claim_many, config.concurrency)
            self._puts = Batcher(lambda rows: [cache.put_many(rows)] * len(rows), _STORED_TOGETHER)
        self._queue: asyncio.PriorityQueue[tuple[bool, int, Job]] = asyncio.PriorityQueue()
        self._order = itertools.count()
        self._workers: list[asyncio.Task[None]] = []
        self._settling: set[asyncio.Task[None]] = set()
        self._open: set[Job] = set()
        self._rng = random.Random()
        self._pace = Pace()
        self._turn = asyncio.Lock()
        self._answers = 0
        self._last_answer = 0.0
        self._trouble: str | None = None
        self._silent_since = 0.0
        self._stopped_until = 0.0
        self._named: set[Owner] = set()

    def add(self, job: Job) -> None:
        """Take a job in; its verdict is delivered on this loop, always."""
        if not self._open and self._now() >= self._stopped_until:
            self._trouble = None
        self._open.add(job)
        self._enqueue(job)
        if len(self._workers) < min(self._config.concurrency, len(self._open)):
            self._workers.append(asyncio.get_running_loop().create_task(self._work()))

    def _enqueue(self, job: Job) -> None:
        """Put a job into the queue: those that were tried before are first, the others in their order."""
        self._queue.put_nowait((job.tries == 0, next(self._order), job))

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

    def _finish(self, job: Job, verdict: Verdict) -> None:
        self._open.discard(job)
        try:
            job.deliver(verdict)
        except Exception:
            _log.exception("The judge engine failed to deliver a verdict.")

    async def _work(self) -> None:
        while True:
            _, _, job = await self._queue.get()
            try:
                verdict = self._given_up(job) or await self._claimed_and_asked(job)
            except Exception as error:  # a defect must not leave anyone waiting for ever: it becomes the reason
                verdict = failed(self._config.redact(f"unexpected {type(error).__name__}: {error}"))
                _log.error("The judge engine failed on a request: %s", verdict.reason)
            if verdict is not None:
                self._spawn(self._settle(job, redacted_verdict(verdict, self._config.api_key)))

    def _spawn(self, work: Coroutine[None, None, None]) -> None:
        """Run beside the workers what `close` waits for."""
        task = asyncio.get_running_loop().create_task(work)
        self._settling.add(task)
        task.add_done_callback(self._settling.discard)

    async def _claimed_and_asked(self, job: Job) -> Verdict | None:
        """The verdict, stored or new; None where the job comes back to the queue later."""
        claim = await self._claim(job)
        if isinstance(claim, Verdict):
            return claim
        if isinstance(claim, Owner):
            self._leave_to(claim, job)
            return None
        async with self._turn:
            while (verdict := self._given_up(job)) is None and (wait := self._pace.start_in(self._now())) > 0:
                await asyncio.sleep(min(wait, _NAP_SECONDS, self._left(job)))
        return verdict or await self._ask(job)

    async def _settle(self, job: Job, verdict: Verdict) -> None:
        """Store, then deliver: what anyone has seen is never paid for again."""
        try:
            await self._store(job, verdict)
        finally:
            self._finish(job, verdict)

    async def _ask(self, job: Job) -> Verdict | None:
        """The verdict, or None where the job comes back to the queue later."""
        config = self._config
        reason = self._provider.missing_key(config) or self._provider.cannot(config.model, job.request)
        if reason is not None:
            return failed(reason)
        job.asked, job.ticket = self._now(), self._pace.ticket
        job.first_asked = job.asked if job.first_asked is None else job.first_asked
        try:
            verdict = await self._client.ask(job.request)
        except AskError as error:
            return self._after_failure(job, error)
        self._answered(job)
        return verdict

    def _answered(self, job: Job) -> None:
        """Note that the judge is there."""
        self._last_answer = self._now()
        self._answers += 1
        self._trouble = None
        self._pace.came_back(self._last_answer, job.ticket, "answered")

    def _after_failure(self, job: Job, error: AskError) -> Verdict | None:
        if not error.retryable:
            self._answered(job)
            return failed(error.reason)
        now, policy = self._now(), job.policy
        job.tries += 1
        reason = self._config.redact(error.reason)
        _log.info("judge %s: try %d of a request failed: %s", self._config.name, job.tries, reason)
        if not policy.patient or (job.first_asked is not None and now - job.first_asked > policy.patience):
            job.attempts = job.tries
        elif not error.refused and (job.answers != self._answers or job.attempts >= _SUSPECT):
            job.attempts += 1
        job.answers = self._answers
        if self._trouble is None:
            self._silent_since = max(self._last_answer, job.asked)
        self._trouble = error.reason
        if error.retry_after is not None and error.retry_after > policy.patience:
            self._stopped_until = now + error.retry_after
            return self._given_up(job)
        if job.attempts >= policy.max_attempts:
            return failed(f"{error.reason} (gave up after {job.tries} tries)")
        outcome: Outcome = "refused" if error.refused else "failed"
        self._pace.came_back(now, job.ticket, outcome, error.retry_after or 0.0)
        delay = policy.delay(job.tries, error.retry_after, self._rng)
        if error.refused and error.retry_after is None:
            delay = min(delay, _REFUSED_SECONDS)
        self._later(job, min(delay, self._left(job)))
        return None

    def _left(self, job: Job) -> float:
        """The seconds until the judge has answered nothing for as long as the policy's patience."""
        silent = 0.0 if self._trouble is None else self._now() - self._silent_since
        return max(0.0, job.policy.patience - silent)

    def _given_up(self, job: Job) -> Verdict | None:
        """A failure where the judge has been out of reach for so long that asking on is pointless."""
        stopped = self._stopped_until - self._now()
        if stopped > 0:
            return failed(f"{self._trouble}; the server asks for {stopped:,.0f} s of patience: score again after that")
        if self._left(job) > 0:
            return None
        return failed(f"{self._trouble} (the judge has answered nothing for {job.policy.patience:.0f} s)")

    def _leave_to(self, owner: Owner, job: Job) -> None:
        """Come back to a job that another process is asking; a long wait is logged."""
        now = self._now()
        job.waits_since = now if job.waits_since is None else job.waits_since
        if now - job.waits_since > _LONG_WAIT_SECONDS and owner not in self._named:
            self._named.add(owner)
            line = "Judge %s: waiting for verdicts that process %d on %s is asking for."
            _log.warning(line, self._config.name, owner.pid, owner.host)
        self._later(job, _CLAIM_POLL_SECONDS)

    async def _claim(self, job: Job) -> Claim:
        if not job.key or self._claims is None:
            return "mine"
        try:
            claim = await self._claims(job.key)
        except sqlite3.Error as error:
            self._drop_cache(error)
            return "mine"
        job.claimed = claim == "mine"
        return claim

    async def _store(self, job: Job, verdict: Verdict) -> None:
        if not job.claimed or self._puts is None:
            return
        job.claimed = False
        try:
            await self._puts((job.key, verdict))
        except sqlite3.Error as error:
            self._drop_cache(error)

    def _drop_cache(self, error: sqlite3.Error) -> None:
        if self._claims is not None:
            warnings.warn(f"Verdicts are no longer kept: the judge's cache failed ({error}).", stacklevel=2)
        self._claims = self._puts = None

    def _later(self, job: Job, seconds: float) -> None:
        """Put the job into the queue again after some seconds, in which anybody may ask it."""
        if job.claimed:
            self._spawn(self._store(job, failed("tried again later")))
        asyncio.get_running_loop().call_later(seconds, self._enqueue, job)

    @staticmethod
    def _now() -> float:
        return asyncio.get_running_loop().time()
