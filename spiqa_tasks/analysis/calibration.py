"""How far judges can be trusted: their scores of labelled answers against the labels and against each other."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from spiqa_tasks.analysis.agreement import rank_correlations
from spiqa_tasks.analysis.opinions import REPEATED, Opinion, Scores
from spiqa_tasks.runs.readers.labels import Labelled
from spiqa_tasks.scoring import binary
from spiqa_tasks.scoring.binary import THRESHOLD, Bin, BinaryAgreement, binary_agreement, reliability
from spiqa_tasks.scoring.binning import bin_index, quantile_bins
from spiqa_tasks.scoring.clustered import Estimate, mean_interval
from spiqa_tasks.scoring.coverage import is_covered

LENGTHS = 4
"""Into how many groups of about the same size the answers are divided by their length."""


@dataclass(frozen=True)
class Group:
    """A judge's scores of a group of answers.

    Attributes:
        kind: what the group is of: `system`, `length` or `trap`.
        name: its name.
        agreement: with the labels.
        quantiles: the scores that 10, 50 and 90% of the answers do not exceed.
    """

    kind: str
    name: str
    agreement: BinaryAgreement
    quantiles: tuple[float, float, float]


@dataclass(frozen=True)
class Flips:
    """The share of `n` answers whose yes or no changes where they are asked about again, `over` the same prompt."""

    over: str
    n: int
    share: Estimate


@dataclass(frozen=True)
class Examined:
    """What a judge or baseline is worth on labelled answers.

    Attributes:
        opinion: its scores.
        failed: how many answers have none.
        withheld: why there are no numbers; None where there are.
        overall: agreement with the labels; None where it is withheld.
        bins: the reliability of the scores.
        groups: agreement by group.
        flips: how often asking again changes the verdict.
    """

    opinion: Opinion
    failed: int
    withheld: str | None = None
    overall: BinaryAgreement | None = None
    bins: tuple[Bin, ...] = ()
    groups: tuple[Group, ...] = ()
    flips: tuple[Flips, ...] = ()


@dataclass(frozen=True)
class Pair:
    """How two judges go together on the same `n` answers: Cohen's kappa of their yes or no, and rank correlations."""

    judges: tuple[str, str]
    n: int
    same: float
    kappa: float
    spearman: float | None
    kendall: float | None


def examined(opinion: Opinion, answers: Sequence[Labelled], seed: int = 0) -> Examined:
    """Return what a judge or baseline is worth; withheld where it scored fewer than 99% of the answers.

    Args:
        opinion: its scores.
        answers: what they are of.
        seed: of the bootstrap.
    """
    failed = sum(score is None for score in opinion.scores)
    if not is_covered(len(answers) - failed, len(answers)):
        scored = f"{len(answers) - failed} of {len(answers)} answers have a score, fewer than 99%"
        return Examined(opinion, failed, scored + "".join(f"; {reason}" for reason in opinion.reasons[:1]))
    pairs = [(answer, score) for answer, score in zip(answers, opinion.scores, strict=True) if score is not None]
    known, scores = [answer for answer, _ in pairs], [score for _, score in pairs]
    bins = reliability(scores, [answer.label for answer in known])
    flips = tuple(_flips(over, opinion.scores, again, answers) for over, again in opinion.again.items())
    return Examined(
        opinion, failed, None, _agreement(known, scores, seed), tuple(bins), tuple(_groups(known, scores, seed)), flips
    )


def pairs(opinions: Sequence[Opinion]) -> list[Pair]:
    """Return how every two judges go together on the answers that both have scored."""
    found = []
    for first, second in itertools.combinations(opinions, 2):
        both = [(a, b) for a, b in zip(first.scores, second.scores, strict=True) if a is not None and b is not None]
        if not both:
            continue
        a, b = (np.asarray(column) for column in zip(*both, strict=True))
        said = (b > THRESHOLD).astype(float)
        kappa = float(binary.kappa(a, said, np.ones(len(both))))
        same = float(((a > THRESHOLD) == said).mean())
        found.append(Pair((first.name, second.name), len(both), same, kappa, *rank_correlations(both)))
    return found


def _agreement(answers: Sequence[Labelled], scores: Sequence[float], seed: int) -> BinaryAgreement:
    return binary_agreement(scores, [each.label for each in answers], _clusters(answers), seed)


def _clusters(answers: Sequence[Labelled]) -> list[str | None]:
    """The question of each answer that shares it with another one."""
    counts = Counter(each.candidate.question for each in answers)
    return [each.candidate.question if counts[each.candidate.question] > 1 else None for each in answers]


def _groups(answers: Sequence[Labelled], scores: Sequence[float], seed: int) -> Iterator[Group]:
    """The agreement by kind of trap, or by who answered and by the length of the answers, where there are several."""
    for kind, (names, order) in _kinds(answers).items():
        for name in order if len(order) > 1 else ():
            places = [place for place, each in enumerate(names) if each == name]
            chosen = [scores[place] for place in places]
            low, median, high = np.quantile(chosen, (0.1, 0.5, 0.9)).tolist()
            found = _agreement([answers[place] for place in places], chosen, seed)
            yield Group(kind, name or "unknown", found, (low, median, high))


def _kinds(answers: Sequence[Labelled]) -> dict[str, tuple[list[str], list[str]]]:
    """Kind of group -> the group of each answer, and the groups in the order shown; traps have no other kind."""
    kinds = [each.kind for each in answers]
    if any(kinds):
        return {"trap": (kinds, list(dict.fromkeys(kinds)))}
    words = [len(each.candidate.prediction.split()) for each in answers]
    bins = quantile_bins(words, LENGTHS)
    spans = [f"{low:.0f} words" if low == high else f"{low:.0f} to {high:.0f} words" for low, high in bins]
    systems = [each.system for each in answers]
    lengths = [spans[bin_index(count, bins)] for count in words]
    return {"system": (systems, list(dict.fromkeys(systems))), "length": (lengths, spans)}


def _flips(over: str, first: Scores, again: Sequence[Scores], answers: Sequence[Labelled]) -> Flips:
    changed, asked = [], []
    for answer, *scores in zip(answers, first, *again, strict=True):
        known = [score for score in scores if score is not None]
        if len(known) == len(scores):
            changed.append(float(len({score > THRESHOLD for score in known}) > 1))
            asked.append(answer)
    over = f"{over}, asked {len(again) + 1} times" if over == REPEATED else over
    if not changed:
        return Flips(over, 0, Estimate(math.nan))
    ends = mean_interval(changed, _clusters(asked)) or (math.nan, math.nan)
    return Flips(over, len(changed), Estimate(sum(changed) / len(changed), *ends))
