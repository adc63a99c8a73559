"""What the records of a run share: the host, the rule of the judge, the programs of the text metrics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial

from spiqa_tasks.benchmarks.record import Ask
from spiqa_tasks.judge.rules import Candidate, Rule


@dataclass(frozen=True)
class Context:
    """What the records of a run share.

    Attributes:
        host: what ran it, for the signature.
        rule: by which the judge is asked; None where none is asked.
        signature: fields that all of their signatures have: of the settings, the metrics and the judge.
        unavailable: text metric -> why it cannot be computed here.
    """

    host: str
    rule: Rule | None = None
    signature: Mapping[str, str] = field(default_factory=dict)
    unavailable: Mapping[str, str] = field(default_factory=dict)

    def asks(self, metric: str, candidate: Candidate) -> tuple[Ask, ...]:
        """Return the question to the judge whose verdict becomes a metric's score; none where no judge is asked."""
        if self.rule is None:
            return ()
        return (Ask(metric, self.rule.request(candidate), partial(self.rule.score, candidate)),)
