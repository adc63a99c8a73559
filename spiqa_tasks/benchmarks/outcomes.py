"""Shares of answers that were refused, unparsed, failed or truncated, and the one sentence about them."""

from collections.abc import Sequence
from dataclasses import dataclass

from spiqa_tasks.benchmarks.benchmark import Benchmark
from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.benchmarks.signature import parse

MANY = 0.05
"""Share of answers of a kind from which they are said: gains and leakages of a few points are as large."""


@dataclass(frozen=True)
class Outcomes:
    """Shares, 0 to 1, of `n` answers.

    Attributes:
        refused: the model would not answer, or wrote that it saw no picture.
        unparsed: nothing was read in what it wrote, or it wrote nothing, "nan" or "None".
        failed: the request failed.
        truncated: the answer is known to be cut off, read or not; None if nobody says it of any.
        taken_whole: no answer was read in what it wrote, so that all of it was scored.
    """

    n: int
    refused: float
    unparsed: float
    failed: float
    truncated: float | None
    taken_whole: float

    @property
    def remark(self) -> str:
        """The numbers of such answers if those of a kind are at least 5%, or ''; refused and unparsed are one kind."""
        if max(self.refused + self.unparsed, self.truncated or 0.0, self.taken_whole) < MANY:
            return ""
        kinds = {
            "truncated": self.truncated or 0.0,
            "refused": self.refused,
            "empty or unparsed": self.unparsed,
            "taken whole, as no answer was read in them": self.taken_whole,
        }
        counts = ", ".join(f"{round(share * self.n)} {kind}" for kind, share in kinds.items() if share)
        return f"of {self.n} answers {counts}"


def outcomes(records: Sequence[Record]) -> Outcomes:
    """Return the shares of at least one record."""
    n, cuts = len(records), [record.truncated for record in records]
    return Outcomes(
        n,
        refused=sum(record.refused for record in records) / n,
        unparsed=sum(record.unparsed for record in records) / n,
        failed=sum(record.status == "request_failed" for record in records) / n,
        truncated=None if set(cuts) == {None} else cuts.count(True) / n,
        taken_whole=taken_whole(records) / n,
    )


def taken_whole(records: Sequence[Record]) -> int:
    """Return the number of answers taken whole; 0 for plain files, whose answers may be those parts alone."""
    count = sum(record.taken_whole for record in records)
    return 0 if count and parse(records[0].signature).predictions == "jsonl" else count


def remarks_on(benchmark: Benchmark, records: Sequence[Record]) -> list[str]:
    """Return the warnings about a run's records: the benchmark's own, and the remark on answers that are none."""
    remark = outcomes(records).remark if records else ""
    remedy = "Most count as wrong: read some; raise max_new_tokens for truncated ones."
    return [*benchmark.remarks(records), *([f"{remark[0].upper()}{remark[1:]}. {remedy}"] if remark else [])]
