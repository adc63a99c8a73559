"""How long a judge is asked: which tries count, and when it is given up. Pure."""

import random
from dataclasses import dataclass

from spiqa_tasks.judge.providers.provider import RequestError
from spiqa_tasks.judge.types import JudgeRequest, RetryPolicy

# Tries that always count; before each later one a test question shows whether it is the server's
# fault.
FIRST_TRIES = 3

# Seconds without any answer after which people are told why nothing happens.
SILENCE = 10.0

# A generator apart from `random`: the host's draws must not depend on how often a judge failed.
_JITTER = random.Random()


@dataclass(eq=False, slots=True)
class Job:
    """A request until its verdict is there.

    Attributes:
        position: among all requests; the first of those never asked is next.
        tries: for messages.
        counted: tries that count towards `max_attempts`.
        first_asked, last_failed: seconds; None before.
        failures_in_a_row: since anybody was answered.
        is_tested: whether the judge has just answered a test question for it.
    """

    position: int
    key: str
    request: JudgeRequest
    tries: int = 0
    counted: int = 0
    first_asked: float | None = None
    last_failed: float = 0.0
    failures_in_a_row: int = 0
    is_tested: bool = False


@dataclass(slots=True)
class Patience:
    """How often a request is made again, and when the judge is given up.

    At most nine tries of a request count: the first three always do, later ones only if the judge
    answered a test question before them, and a refusal (429) only once the request is older than
    the policy's patience. The judge is given up once it has answered nobody for as long as that, or
    asks for a longer wait.
    """

    policy: RetryPolicy
    trouble: str = ""
    _last_answer: float = 0.0
    _silent_since: float = 0.0
    _stopped_until: float = 0.0
    _is_told: bool = False

    def needs_test(self, job: Job, is_probing: bool) -> bool:
        """Return whether a test question comes before the job's request."""
        if not self.policy.patient or job.is_tested:
            return False
        return job.counted >= (1 if is_probing else FIRST_TRIES)

    def answered(self, now: float) -> None:
        """Note that the judge answered some request: its silence, if any, is over."""
        self._last_answer, self.trouble, self._is_told = now, "", False

    def failed(
        self, job: Job, error: RequestError, now: float, asked_at: float, *, of_test: bool
    ) -> None:
        """Note that a try made at `asked_at` failed at `now`, and count it by the rules above.

        `of_test`: the test question failed, not the job's request.
        """
        if not self.trouble:
            self._silent_since = max(self._last_answer, asked_at)
        self.trouble = error.reason

        # somebody was answered since the request last failed
        if self._last_answer > job.last_failed:
            job.failures_in_a_row = 0
        job.failures_in_a_row += 1
        job.last_failed = now

        if error.retry_after is not None and error.retry_after > self.policy.patience:
            self.stop(now + error.retry_after)

        if self.is_overdue(job, now):
            job.counted = job.tries
        elif of_test:
            # the server is at fault: what the request did meanwhile says nothing about it
            job.counted = min(job.counted, FIRST_TRIES)
        elif not error.refused:
            job.counted += 1

    def is_servers_fault(self, job: Job, *, of_test: bool) -> bool:
        """Return whether a failed try says something about the server, not about the request."""
        return of_test or job.counted <= FIRST_TRIES

    def is_overdue(self, job: Job, now: float) -> bool:
        """Return whether every try of the job counts, as it is older than the patience."""
        age = 0.0 if job.first_asked is None else now - job.first_asked
        return not self.policy.patient or age > self.policy.patience

    def delay(self, job: Job, retry_after: float | None) -> float:
        """Return the seconds before the job's next try, at least what the server asked for.

        They grow only while nobody is answered. Jitter keeps requests that failed together from
        coming back together.
        """
        doubled = self.policy.base * 2.0 ** min(job.failures_in_a_row - 1, 30)
        backoff = min(self.policy.cap, doubled) * _JITTER.uniform(0.5, 1.0)
        return backoff if retry_after is None else retry_after + backoff * 0.1

    def stop(self, until: float) -> None:
        """Give the judge up: nothing more is asked before `until`."""
        self._stopped_until = until

    def seconds_left(self, now: float) -> float:
        """Return the seconds until the judge is given up, if it answers nobody."""
        silent = now - self._silent_since if self.trouble else 0.0
        return max(0.0, self.policy.patience - silent)

    def silence_message(self, now: float) -> str:
        """Return why the judge answers nobody, once in each silence that lasts, or ''."""
        left = self.seconds_left(now)
        is_due = 0 < left < self.policy.patience - SILENCE
        if self._is_told or not is_due:
            return ""
        self._is_told = True
        return f"{self.trouble}; it is asked for another {left:.0f} s ..."

    def reason_to_give_up(self, now: float) -> str | None:
        """Return why all open requests fail, or None."""
        stopped = self._stopped_until - now
        if stopped > 0:
            return (
                f"{self.trouble}; the server asks for {stopped:,.0f} s of patience: score again "
                "after that"
            )
        if self.seconds_left(now) > 0:
            return None
        return (
            f"the judge has answered nothing for {self.policy.patience:.0f} s and last failed with "
            f"{self.trouble}"
        )
