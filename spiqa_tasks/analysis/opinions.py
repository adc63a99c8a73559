"""What judges and lexical baselines make of labelled answers: a score for each, and for each asked again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from spiqa_tasks.benchmarks.signature import Signature
from spiqa_tasks.judge.judge import Judge
from spiqa_tasks.judge.rules import Rule
from spiqa_tasks.judge.types import JudgeRequest, Summary
from spiqa_tasks.metrics.bertscore import bertscore
from spiqa_tasks.runs.readers.labels import Labelled
from spiqa_tasks.scoring.open_answers import LEXICAL

Scores = tuple[float | None, ...]
REPEATED = "the same prompt"


@dataclass(frozen=True)
class Opinion:
    """What one judge or baseline makes of answers.

    Attributes:
        name: what it is called.
        scores: in [0, 1], one per answer; None where the judge failed.
        again: how the answers were asked about once more -> the scores of each such asking.
        reasons: why answers have no score, the first few.
        signature: what the scores were made from, and how.
        summary: what asking took; None of what asks nobody.
    """

    name: str
    scores: Scores
    again: dict[str, list[Scores]] = field(default_factory=dict)
    reasons: tuple[str, ...] = ()
    signature: Signature = field(default_factory=Signature)
    summary: Summary | None = None


def requests(rule: Rule, answers: Sequence[Labelled], repeat: int = 1, rewordings: bool = False) -> list[JudgeRequest]:
    """Return all that a judge is asked by `opinion_of`, the first asking of every answer first."""
    return [request for _, each, time in _askings(rule, repeat, rewordings) for request in _asked(each, answers, time)]


def opinion_of(
    name: str, judge: Judge, answers: Sequence[Labelled], about: Signature, repeat: int = 1, rewordings: bool = False
) -> Opinion:
    """Return a judge's scores of the answers, waiting for them.

    Args:
        name: what the judge is called.
        judge: it and its rule.
        answers: what it is asked about.
        about: the signature of the answers.
        repeat: how often the same is asked, each time anew.
        rewordings: whether the rule's other wordings are asked, too.
    """
    again: dict[str, list[Scores]] = {}
    reasons: list[str] = []
    judge.verdicts(requests(judge.rule, answers, repeat, rewordings))
    for label, rule, time in _askings(judge.rule, repeat, rewordings):
        verdicts = judge.verdicts(_asked(rule, answers, time))
        scores = tuple(rule.score(answer.candidate, verdict) for answer, verdict in zip(answers, verdicts, strict=True))
        again.setdefault(label, []).append(scores)
        reasons += [verdict.unread for verdict, score in zip(verdicts, scores, strict=True) if score is None]
    first = again.pop("")[0]
    signature = about.with_fields(**judge.signature)
    return Opinion(name, first, again, tuple(dict.fromkeys(reasons))[:5], signature, judge.summary())


def baselines(answers: Sequence[Labelled], about: Signature) -> tuple[list[Opinion], list[str]]:
    """Return what comparing words makes of the answers, and why a baseline is left out."""
    found = [
        Opinion(name, tuple(score(each.candidate.prediction, each.references) for each in answers), signature=about)
        for name, score in LEXICAL.items()
    ]
    pairs = [(each.candidate.prediction, reference) for each in answers for reference in each.references]
    outcome = bertscore(pairs)
    if isinstance(outcome, str):
        return found, [f"bertscore_f1 is left out: {outcome}."]
    scores = iter(outcome.per_item)
    best = tuple(max(min(1.0, max(0.0, next(scores))) for _ in each.references) for each in answers)
    return [*found, Opinion("bertscore_f1", best, signature=about)], []


def _askings(rule: Rule, repeat: int, rewordings: bool) -> list[tuple[str, Rule, int]]:
    """How the answers are asked about: what that is called, by which rule, for the how manieth time (from 0)."""
    found = [("" if time == 0 else REPEATED, rule, time) for time in range(repeat)]
    return found + [(f"prompt {name}", other, 0) for name, other in (rule.rewordings() if rewordings else {}).items()]


def _asked(rule: Rule, answers: Sequence[Labelled], time: int) -> list[JudgeRequest]:
    found = [rule.request(answer.candidate) for answer in answers]
    return [replace(request, repeat=time) for request in found] if time else found
