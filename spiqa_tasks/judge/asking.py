"""Ask a judge for many verdicts: one `asyncio.run` in the calling thread; nothing lives between two calls."""

import asyncio
import itertools
import logging
import math
import random
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from spiqa_tasks.extras import require
from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.pace import Pace
from spiqa_tasks.judge.providers import PROVIDERS, Provider
from spiqa_tasks.judge.providers.hf import BATCH, HfLocal
from spiqa_tasks.judge.providers.provider import AskError
from spiqa_tasks.judge.types import JudgeRequest, Verdict, failed, redacted_verdict
from spiqa_tasks.printable import counted, progress

_SUSPECT = 3
"""Failures of one request, after which a test question is asked before it: is the server at fault, or the request?"""
_TEST = "Is the sky blue on a clear day? Answer in one word - Yes or No."
_NAP_SECONDS = 0.25
"""Longest sleep of a waiting request before it looks at the pace again, which others may have changed."""
_SILENT_SECONDS, _TIMES_SLOWEST, _TEST_SECONDS = 20.0, 3.0, 5.0
"""A request for one token that has waited so long, and so many times as long as the slowest answer so far, is lost if a
test question is answered in so many seconds: 20 + 5 are within the 30 s that an outage may cost beside its length."""
_IN_QUEUE, _TIMES_QUICKEST = 0.25, 1.5
"""Part of the timeout that a request may wait in a server's queue: where it is longer, and so many times as long as the
quickest answer took, which is no queue but a slow server, fewer are in flight."""
_log = logging.getLogger("spiqa_tasks")

Keep = Callable[[str, Verdict], None]
"""Callback for a key and its verdict, called as soon as the verdict arrives."""


def asked(
    config: JudgeConfig, requests: Mapping[str, JudgeRequest], keep: Keep
) -> dict[str, Verdict]:
    """Return the judge's verdicts by key, each of which goes to `keep` as soon as it arrives. Progress goes to stderr.

    Where a loop runs already, as in a notebook, another thread asks.

    Raises MissingPartError: the provider's package is not installed. JudgeError: a model cannot be loaded.
    """
    provider = PROVIDERS[config.provider]
    if provider.extra:
        require(provider.extra, f"The judge {config.name}")
    doing, count = f"judge {config.name}: {counted(len(requests), 'judgement')}", itertools.count(1)
    verdicts: dict[str, Verdict] = {}
    with progress(doing, len(requests)) as show, ThreadPoolExecutor(1) as pool:

        def done(key: str, verdict: Verdict) -> None:
            verdicts[key] = verdict
            keep(key, verdict)
            show(next(count))

        client = provider(config)
        if isinstance(client, HfLocal):
            items = list(requests.items())
            for start in range(0, len(items), BATCH):
                keys, batch = zip(*items[start : start + BATCH], strict=True)
                for key, verdict in zip(keys, client.batch(batch), strict=True):
                    done(key, verdict)
            return verdicts
        asking = Asking(config, client, done)
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return asyncio.run(asking.all(requests))
        try:
            return pool.submit(lambda: asyncio.run(asking.all(requests))).result()
        except KeyboardInterrupt:
            asking.stopped_until = math.inf  # what is on its way is stored
            raise


@dataclass(eq=False, slots=True)
class _Job:
    """An open request; `attempts` of its `tries` count towards `max_attempts`."""

    place: int
    key: str
    request: JudgeRequest
    tries: int = 0
    attempts: int = 0
    first_asked: float | None = None


class Asking:
    """At most `concurrency` workers that ask one judge at its pace; fewer where requests queue for long at its server.

    A job that waits for its next try holds no worker. A judge that answers nothing for as long as the policy's
    patience, or asks for a longer wait than that, ends everything, however many jobs are open.
    """

    def __init__(self, config: JudgeConfig, client: Provider, keep: Keep) -> None:
        self._config, self._client, self._keep, self._policy = config, client, keep, config.retry
        self._pace, self._random, self._turn = Pace(), random.Random(), asyncio.Lock()
        self._queue: asyncio.PriorityQueue[tuple[bool, int, _Job]] = asyncio.PriorityQueue()
        self._over, self._verdicts = asyncio.Event(), dict[str, Verdict]()
        self._answers, self._last_answer, self._quickest, self._slowest = 0, 0.0, math.inf, 0.0
        self._limit, self._unqueued = config.concurrency, 0
        self._workers = set[asyncio.Task[None]]()
        self._test: asyncio.Task[Verdict] | None = None
        self._trouble, self._silent_since, self.stopped_until = "", 0.0, 0.0

    async def all(self, requests: Mapping[str, JudgeRequest]) -> dict[str, Verdict]:
        """Return the verdicts by key, at least one."""
        self._open = len(requests)
        for place, (key, request) in enumerate(requests.items()):
            self._enqueue(_Job(place, key, request))
        self._hire()
        try:
            await self._over.wait()
        finally:
            for worker in self._workers:
                worker.cancel()
            await asyncio.gather(*self._workers, return_exceptions=True)
            await self._client.aclose()
        return self._verdicts

    def _enqueue(self, job: _Job) -> None:
        """Put a job into the queue: those that were tried before are first, the others in their order."""
        self._queue.put_nowait((job.tries == 0, job.place, job))

    def _hire(self) -> None:
        while len(self._workers) < min(self._limit, self._open):
            self._workers.add(asyncio.create_task(self._work()))

    async def _work(self) -> None:
        while len(self._workers) <= self._limit:
            _, _, job = await self._queue.get()
            try:
                verdict = await self._ask(job)
            except Exception as error:  # a defect must not end a worker, or all wait for ever: it becomes the reason
                verdict = failed(f"unexpected {type(error).__name__}: {error}")
                _log.error("Asking the judge failed: %s", self._config.redact(str(verdict.reason)))
            if verdict is None:
                continue
            verdict = redacted_verdict(verdict, self._config.api_key)
            self._verdicts[job.key] = verdict
            try:
                self._keep(job.key, verdict)
            except Exception:  # likewise; the verdict counts all the same
                _log.exception("Storing a verdict failed.")
            if len(self._verdicts) == self._open:
                self._over.set()
        if (worker := asyncio.current_task()) is not None:
            self._workers.discard(worker)

    async def _ask(self, job: _Job) -> Verdict | None:
        """The verdict, or None where the job comes back to the queue later."""
        test = replace(job.request, prompt=_TEST, images=())
        is_suspect = self._policy.patient and job.attempts >= (
            1 if self._pace.probing else _SUSPECT
        )
        for request in (test, job.request) if is_suspect else (job.request,):
            async with self._turn:
                while (verdict := self._given_up()) is None and (
                    wait := self._pace.start_in(self._now())
                ) > 0:
                    await asyncio.sleep(min(wait, _NAP_SECONDS, self._left()))
            if verdict is not None:
                return verdict
            asked, before = self._now(), self._answers
            job.first_asked = asked if job.first_asked is None else job.first_asked
            try:
                verdict = await self._reply(request)
            except AskError as error:
                if error.silent and self._shrink(asked, before) and not self._is_exhausted(job):
                    job.tries += 1
                    self._enqueue(job)
                    return None
                if error.retryable:
                    return self._after_failure(job, error, asked, of_test=request is test)
                verdict = failed(error.reason)
            self._last_answer, self._trouble = self._now(), ""
            self._pace.came_back(self._last_answer, asked, "answered")
            self._slowest = max(self._slowest, self._last_answer - asked)
            self._quickest = min(self._quickest, self._last_answer - asked)
            self._answers += 1
            self._unqueued = 0 if self._is_queued(asked) else self._unqueued + 1
            if self._unqueued >= self._limit:
                self._limit, self._unqueued = min(2 * self._limit, self._config.concurrency), 0
                self._hire()
        return verdict

    def _is_queued(self, asked: float) -> bool:
        waited = self._now() - asked
        return waited > max(_IN_QUEUE * self._config.timeout, _TIMES_QUICKEST * self._quickest)

    def _shrink(self, asked: float, before: int) -> bool:
        """Where requests queue, have as many in flight as the server answers while one may wait; return whether so."""
        if self._answers == before or not self._is_queued(asked):
            return False
        pace = (self._answers - before) / (self._now() - asked)
        self._limit = max(1, min(self._limit, int(pace * _IN_QUEUE * self._config.timeout)))
        return True

    async def _reply(self, request: JudgeRequest) -> Verdict:
        """Ask; an AskError for a request for one token that is lost. One that has text written may take its time."""
        if request.top_logprobs is None:
            return await self._client.ask(request)
        asked, before = self._now(), self._answers
        reply = asyncio.ensure_future(self._client.ask(request))
        silent = max(_SILENT_SECONDS, _TIMES_SLOWEST * self._slowest)
        try:
            await asyncio.wait((reply,), timeout=silent)
            while not reply.done():
                if await self._is_there() and not reply.done():
                    raise AskError(
                        f"no answer within {silent:.0f} s, but to a test question", retryable=True
                    )
                self._shrink(asked, before)
            return reply.result()
        finally:
            reply.cancel()

    async def _is_there(self) -> bool:
        """Whether the judge answers a test question, which all requests share that wait for that."""
        if self._test is None or self._test.done():
            self._test = asyncio.ensure_future(
                asyncio.wait_for(self._client.ask(JudgeRequest(_TEST)), _TEST_SECONDS)
            )
        test = self._test
        await asyncio.wait((test,))
        error = test.exception()
        return error is None or (isinstance(error, AskError) and not error.retryable)

    def _after_failure(
        self, job: _Job, error: AskError, asked: float, *, of_test: bool
    ) -> Verdict | None:
        now, policy = self._now(), self._policy
        job.tries += 1
        reason = self._config.redact(error.reason)
        _log.info("judge %s: try %d of a request failed: %s", self._config.name, job.tries, reason)
        if self._is_exhausted(job):
            job.attempts = job.tries
        elif of_test:
            job.attempts = min(job.attempts, _SUSPECT)
        elif not error.refused:
            job.attempts += 1
        if not self._trouble:
            self._silent_since = max(self._last_answer, asked)
        self._trouble = error.reason
        if error.retry_after is not None and error.retry_after > policy.patience:
            self.stopped_until = now + error.retry_after
            return self._given_up()
        if job.attempts >= policy.max_attempts:
            return failed(f"{error.reason} (gave up after {job.tries} tries)")
        if of_test or job.attempts <= _SUSPECT:  # others are the request's own failures
            self._pace.came_back(
                now, asked, "refused" if error.refused else "failed", error.retry_after or 0.0
            )
        delay = policy.delay(job.tries, error.retry_after, self._random)
        asyncio.get_running_loop().call_later(min(delay, self._left()), self._enqueue, job)
        return None

    def _is_exhausted(self, job: _Job) -> bool:
        """Whether every try counts: the request was first made too long ago, or the policy is not patient."""
        since = 0.0 if job.first_asked is None else self._now() - job.first_asked
        return not self._policy.patient or since > self._policy.patience

    def _left(self) -> float:
        """The seconds until the judge has answered nothing for as long as the policy's patience."""
        silent = self._now() - self._silent_since if self._trouble else 0.0
        return max(0.0, self._policy.patience - silent)

    def _given_up(self) -> Verdict | None:
        """A failure where the judge has been out of reach for so long that asking on is pointless."""
        stopped = self.stopped_until - self._now()
        if stopped > 0:
            return failed(
                f"{self._trouble}; the server asks for {stopped:,.0f} s of patience: score again after that"
            )
        if self._left() > 0:
            return None
        return failed(
            f"{self._trouble} (the judge has answered nothing for {self._policy.patience:.0f} s)"
        )

    @staticmethod
    def _now() -> float:
        return asyncio.get_running_loop().time()
