"""The judge of a run: everything is asked together, and each request has one outcome however often it is wanted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.judge.engine import Pending
from spiqa_tasks.judge.l3 import L3Judge
from spiqa_tasks.judge.letters import LetterJudge
from spiqa_tasks.judge.types import JudgeRequest


class Judging:
    """Asks one judge on behalf of records; use from any thread.

    `report` is whether the judge's summary line is printed when all is there.
    """

    def __init__(self, judge: L3Judge | LetterJudge, *, report: bool = True) -> None:
        self.judge = judge
        self._report = report
        self._asked: dict[JudgeRequest, Pending] = {}

    @property
    def rules(self) -> Mapping[str, Any]:
        """How the judge is asked, under the name that a `Context` has for it."""
        return {self.judge.kind: self.judge.rule}

    @property
    def signature(self) -> Mapping[str, str]:
        """The judge's fields of a `Signature`, with the model as served once it has answered."""
        return self.judge.signature_fields()

    def complete(self, records: Sequence[Record]) -> list[Record]:
        """Return the records with what the judge says to each of their asks, waiting for all of them."""
        wanted = [ask.request for record in records for ask in record.asks]
        new = [request for request in dict.fromkeys(wanted) if request not in self._asked]
        self._asked.update(zip(new, self.judge.engine.submit_all(new), strict=True))
        pendings = [self._asked[request] for request in wanted]
        if pendings:
            self.judge.engine.wait(pendings, report=self._report)
        verdicts = iter([pending.result() for pending in pendings])
        return [record.judged([next(verdicts) for _ in record.asks]) for record in records]
