"""Ask a judge for many verdicts; nothing lives between two calls."""

import asyncio
import heapq
import logging
import math
import sys
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import NamedTuple

from spiqa_tasks.judge.pace import Outcome, Pace
from spiqa_tasks.judge.patience import Job, Patience
from spiqa_tasks.judge.providers import PROVIDERS
from spiqa_tasks.judge.providers.hf import HfLocal
from spiqa_tasks.judge.providers.provider import Adaptation, Provider, RequestError
from spiqa_tasks.judge.slots import Slots
from spiqa_tasks.judge.types import JudgeConfig, JudgeRequest, Verdict, failed
from spiqa_tasks.printable import counted, progress, say

# From 3.11 on, Ctrl-C cancels what runs; before, asyncio writes a traceback for each request.
if sys.version_info >= (3, 11):
    from asyncio import Runner
else:
    from backports.asyncio.runner import Runner

# The test question, which shows whether the judge answers anything: it is shorter than any prompt
# of a rule, and no benchmark has it.
_TEST = "Is the sky blue on a clear day? Answer in one word - Yes or No."

# Seconds in which a test question must be answered; if it is, a request that has waited for long is
# lost.
_TEST_SECONDS = 5.0

# A request for one token that has waited so long, and so many times as long as the slowest answer,
# may be lost: with five seconds for a test question, within the 30 s that an outage may cost.
LOST_SECONDS = 20.0
LOST_TIMES = 3.0

# Seconds between two test questions that fail: a server that refuses at once must not be flooded.
_BETWEEN_TESTS = 1.0

_log = logging.getLogger("spiqa_tasks")

# Callback for a key and its verdict, called as soon as the verdict arrives.
Keep = Callable[[str, Verdict], None]


def ask_all(
    config: JudgeConfig,
    requests: dict[str, JudgeRequest],
    keep: Keep,
    adaptation: Adaptation,
) -> dict[str, Verdict]:
    """Return the judge's verdicts by key, each of which goes to `keep` as soon as it arrives.

    Progress goes to stderr. If a loop runs already, as in a notebook, another thread asks.

    Raises MissingPartError: the provider's package is not installed. JudgeError: a model cannot be
    loaded.
    """
    client = PROVIDERS[config.provider](config, adaptation)
    verdicts: dict[str, Verdict] = {}

    doing = f"judge {config.name}: {counted(len(requests), 'judgement')}"
    with progress(doing, len(requests)) as bar:

        def done(key: str, verdict: Verdict) -> None:
            verdicts[key] = verdict
            keep(key, verdict)
            bar.n = len(verdicts)

        if isinstance(client, HfLocal):
            for key, request in requests.items():
                done(key, client.verdict(request))
        else:
            _run(JudgeLoop(config, client, requests, done))
    return verdicts


def _run(loop: "JudgeLoop") -> None:
    """Run the loop to its end, in another thread if this one has a running one (a notebook)."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        with Runner() as runner:
            runner.run(loop.run())
        return

    with ThreadPoolExecutor(1) as pool:
        try:
            pool.submit(asyncio.run, loop.run()).result()
        except KeyboardInterrupt:
            loop.patience.stop(math.inf)  # the pool waits for what is on its way, which is stored
            raise


class _Queue:
    """Jobs that wait: failed ones, each until its next try is due, and new ones in order.

    A failed job that is due comes before the new ones.
    """

    def __init__(self, jobs: list[Job]) -> None:
        self._new = deque(jobs)
        self._again: list[tuple[float, int, Job]] = []

    def __bool__(self) -> bool:
        return bool(self._new or self._again)

    def put(self, job: Job, at: float) -> None:
        """Queue a job again, to be sent at a time of the loop's clock."""
        heapq.heappush(self._again, (at, job.position, job))

    def ready_in(self, now: float) -> float:
        """Return the seconds until a job may be taken; infinity without any."""
        if self._new:
            return 0.0
        return max(0.0, self._again[0][0] - now) if self._again else math.inf

    def take(self, now: float) -> Job:
        """Remove and return the next job: a failed one that is due, else the first new one.

        `ready_in(now)` has to be 0.
        """
        if self._again and self._again[0][0] <= now:
            return heapq.heappop(self._again)[2]
        return self._new.popleft()


class _Try(NamedTuple):
    """A request in flight.

    Attributes:
        is_test: whether the test question was sent in place of the job's request.
        answers_before: number of answers that had arrived when it was sent.
    """

    job: Job
    is_test: bool
    asked_at: float
    answers_before: int


class JudgeLoop:
    """Asks one judge until every request has a verdict, which goes to `keep`.

    It has no rules of its own: `Pace` says how fast, `Slots` how many at once, `Patience` how long.
    """

    def __init__(
        self, config: JudgeConfig, client: Provider, requests: dict[str, JudgeRequest], keep: Keep
    ) -> None:
        self.config = config
        self.client = client
        self.keep = keep
        self.pace = Pace()
        self.slots = Slots(config)
        self.patience = Patience(config.retry)
        jobs = [Job(position, *item) for position, item in enumerate(requests.items())]
        self.queue = _Queue(jobs)
        self.running: dict[asyncio.Task[Verdict], _Try] = {}
        self._watch = _Watch(client, self.slots)

    async def run(self) -> None:
        """Ask until `keep` has had a verdict for each request."""
        try:
            while self.queue or self.running:
                wait = self._start()
                for task in await self._finished(wait):
                    self._settle(task, self.running.pop(task))
                self._give_up()
        finally:
            for task in self.running:
                task.cancel()
            await asyncio.gather(*self.running, return_exceptions=True)
            await self.client.aclose()

    def _start(self) -> float:
        """Send the requests that may be sent now; return the seconds until the next one may be.

        Infinity if as many are in flight as may be: then an answer has to come first.
        """
        while len(self.running) < self.slots.limit:
            now = _now()
            wait = self.queue.ready_in(now) or self.pace.take_turn(now)
            if wait:
                return wait

            job = self.queue.take(now)
            job.first_asked = now if job.first_asked is None else job.first_asked
            request, is_test = job.request, self.patience.needs_test(job, self.pace.is_probing)
            if is_test:
                request = replace(request, prompt=_TEST, images=())
            task = asyncio.create_task(self._watch.reply(request))
            self.running[task] = _Try(job, is_test, now, self.slots.answers)
        return math.inf

    async def _finished(self, wait: float) -> set["asyncio.Task[Verdict]"]:
        """Return the tasks that are done, as soon as one is.

        While jobs are queued, it waits for `wait` seconds at most, the first job's delay.
        """
        longest = min(wait, self.patience.seconds_left(_now())) if self.queue else None
        if self.running:
            done, _ = await asyncio.wait(
                self.running, timeout=longest, return_when=asyncio.FIRST_COMPLETED
            )
            return done
        await asyncio.sleep(longest or 0.0)
        return set()

    def _settle(self, task: "asyncio.Task[Verdict]", attempt: _Try) -> None:
        """Keep the verdict, or put the job into the queue again."""
        error = task.exception()
        if error is None:
            self._answered(attempt, task.result())
        elif not isinstance(error, RequestError):  # a defect must not end the run
            reason = f"unexpected {type(error).__name__}: {error}"
            _log.error("Asking the judge failed: %s", self.config.redact(reason))
            self._done(attempt.job, failed(reason))
        elif error.retryable:
            self._failed(attempt, error)
        else:  # a final error is an answer, too: the server is not down
            self._answered(attempt, failed(error.reason))

    def _answered(self, attempt: _Try, verdict: Verdict) -> None:
        """Keep a verdict; after an answered test question the job's own request is next."""
        now = _now()
        self.patience.answered(now)
        self.pace.came_back(now, attempt.asked_at, "answered")
        self.slots.answered(now, attempt.asked_at)
        if attempt.is_test:
            attempt.job.is_tested = True
            self.queue.put(attempt.job, now)
        else:
            self._done(attempt.job, verdict)

    def _failed(self, attempt: _Try, error: RequestError) -> None:
        """Put the job into the queue again, or keep its failure after its last try."""
        now, job = _now(), attempt.job
        job.tries += 1
        job.is_tested = False
        _log.info(
            "judge %s: try %d of a request failed: %s",
            self.config.name,
            job.tries,
            self.config.redact(error.reason),
        )

        # It waited in the server's queue: with fewer requests at once it is answered.
        is_queued = error.silent and self.slots.shrink(
            now, attempt.asked_at, attempt.answers_before
        )
        if is_queued and not self.patience.is_overdue(job, now):
            self.queue.put(job, now)
            return

        self.patience.failed(job, error, now, attempt.asked_at, of_test=attempt.is_test)
        if job.counted >= self.config.retry.max_attempts:
            self._done(job, failed(f"{job.tries} tries failed, the last with {error.reason}"))
            return

        # A request that fails by itself says nothing of how fast its server is.
        if self.patience.is_servers_fault(job, of_test=attempt.is_test):
            outcome: Outcome = "refused" if error.refused else "failed"
            self.pace.came_back(now, attempt.asked_at, outcome, error.retry_after or 0.0)
        self.queue.put(job, now + self.patience.delay(job, error.retry_after))

    def _give_up(self) -> None:
        """Say on stderr why the judge is silent; if it is given up, fail every job that waits."""
        if trouble := self.patience.silence_message(_now()):
            say(f"judge {self.config.name}: {self.config.redact(trouble)}")

        reason = self.patience.reason_to_give_up(_now())
        while reason and self.queue:
            self._done(self.queue.take(math.inf), failed(reason))

    def _done(self, job: Job, verdict: Verdict) -> None:
        """Hand a verdict to `keep`, without secrets that a server repeated."""
        try:
            self.keep(job.key, self.config.redacted_verdict(verdict))
        except Exception:  # as a defect in asking: the other verdicts count all the same
            _log.exception("Storing a verdict failed.")


class _Watch:
    """Waits for replies, and ends the wait for those that are lost.

    A request for one token that has waited for long is lost if the judge answers a test question
    meanwhile; a written answer may take its time. One test question serves all that wait.
    """

    def __init__(self, client: Provider, slots: Slots) -> None:
        self._client, self._slots = client, slots
        self._test: asyncio.Task[Verdict] | None = None

    async def reply(self, request: JudgeRequest) -> Verdict:
        """Return the client's verdict. Raises RequestError, also for a request that is lost."""
        if request.top_logprobs is None:
            return await self._client.ask(request)

        asked_at, answers_before = _now(), self._slots.answers
        reply = asyncio.ensure_future(self._client.ask(request))
        seconds = max(LOST_SECONDS, LOST_TIMES * self._slots.slowest)
        try:
            await asyncio.wait((reply,), timeout=seconds)
            while not reply.done():
                if await self._answers_test() and not reply.done():
                    reason = f"no answer within {seconds:.0f} s, but to a test question"
                    raise RequestError(reason, retryable=True)
                self._slots.shrink(_now(), asked_at, answers_before)
            return reply.result()
        finally:
            reply.cancel()

    async def _answers_test(self) -> bool:
        """Return whether the judge answers a test question; a final error is an answer, too."""
        if self._test is None or self._test.done():
            self._test = asyncio.ensure_future(self._ask_test())
        test = self._test
        await asyncio.wait((test,))
        error = test.exception()
        return error is None or (isinstance(error, RequestError) and not error.retryable)

    async def _ask_test(self) -> Verdict:
        """Ask a test question; one that fails takes `_BETWEEN_TESTS` seconds at least."""
        asked_at = _now()
        try:
            return await asyncio.wait_for(self._client.ask(JudgeRequest(_TEST)), _TEST_SECONDS)
        except Exception:
            await asyncio.sleep(asked_at + _BETWEEN_TESTS - _now())
            raise


def _now() -> float:
    """Return the time of the loop's clock, in seconds."""
    return asyncio.get_running_loop().time()
