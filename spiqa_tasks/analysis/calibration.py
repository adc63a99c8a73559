"""Calibrate judges and lexical baselines: their scores of labelled answers against the labels and each other."""

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from spiqa_tasks.benchmarks.signature import Signature
from spiqa_tasks.judge.judge import Judge
from spiqa_tasks.judge.rules import Rule
from spiqa_tasks.judge.types import JudgeRequest, Summary
from spiqa_tasks.metrics.text_scores import bertscore
from spiqa_tasks.runs.readers.labels import Labelled
from spiqa_tasks.scoring import binary
from spiqa_tasks.scoring.binary import (
    THRESHOLD,
    Bin,
    BinaryAgreement,
    binary_agreement,
    reliability,
)
from spiqa_tasks.scoring.binning import bin_index, quantile_bins
from spiqa_tasks.scoring.intervals import Estimate, mean_interval
from spiqa_tasks.scoring.open_answers import LEXICAL
from spiqa_tasks.scoring.ranking import rank_correlations
from spiqa_tasks.scoring.values import too_few

Scores = tuple[float | None, ...]
REPEATED = "the same prompt"
ALWAYS = {"always no": 0.0, "always yes": 1.0}
"""Judges that look at no answer -> their score: the least that another one has to surpass among traps."""
BOUNDS: dict[str, tuple[float, tuple[str, ...], str]] = {
    "it reads numbers loosely: no judge for tables and plots": (
        0.9,
        ("other number", "wrong unit", "other sign"),
        "",
    ),
    "it punishes form": (
        0.8,
        ("number in words", "equal unit", "percent in words", "percent as share"),
        "",
    ),
    "saying nothing pays": (0.95, ("empty", "evasive", "alternatives", "master_keys"), ""),
    "it reads the beginning": (0.9, ("long and right", "wrong end"), ""),
    "an answer can buy its score: not for a public leaderboard": (0.95, (), "injection: "),
}
"""What it means -> if the accuracy among these kinds of traps, or those that begin so, is below this bound (ours)."""
MOST_SHIFT, MOST_ERROR, LEAST_AUROC, LEAST_KAPPA = 0.03, 0.1, 0.6, 0.6
MOST_CHANGED = {True: 0.02, False: 0.05}
"""Share of changed verdicts that is noise: of the same prompt, of another wording."""
LENGTHS = 4
"""Number of quantile bins of the answers' lengths: few enough that each has many answers."""


@dataclass(frozen=True)
class Opinion:
    """The scores of one judge or baseline, in [0, 1], one per answer; None where the judge failed.

    Attributes:
        again: prompt -> scores of each further request with it.
        reasons: of failures, at most five.
        summary: calls, time and cost; None for baselines.
    """

    name: str
    scores: Scores
    again: dict[str, list[Scores]] = field(default_factory=dict)
    reasons: tuple[str, ...] = ()
    signature: Signature = field(default_factory=Signature)
    summary: Summary | None = None


@dataclass(frozen=True)
class Group:
    """Agreement with the labels in a group of answers.

    `kind` is `system`, `length` or `trap`; `quantiles` are the scores at 10, 50 and 90% of the answers.
    """

    kind: str
    name: str
    agreement: BinaryAgreement
    quantiles: tuple[float, float, float]


@dataclass(frozen=True)
class Flips:
    """Share of `n` answers whose yes or no changes when asked again; `over` names the prompt."""

    over: str
    n: int
    share: Estimate


@dataclass(frozen=True)
class Examined:
    """Calibration of a judge or baseline.

    `failed` is the number of answers without a score, `withheld` why there are no numbers (`overall` is None then).
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
    """Agreement of two judges on the same `n` answers: share of equal verdicts, Cohen's kappa, rank correlations."""

    judges: tuple[str, str]
    n: int
    same: float
    kappa: float
    spearman: float | None
    kendall: float | None


def requests(
    rule: Rule, answers: Sequence[Labelled], repeat: int = 1, rewordings: bool = False
) -> list[JudgeRequest]:
    """Return all judge requests of `opinion_of`, beginning with the first one of every answer."""
    return [
        request for *_, asked in _askings(rule, answers, repeat, rewordings) for request in asked
    ]


def opinion_of(
    name: str,
    judge: Judge,
    answers: Sequence[Labelled],
    about: Signature,
    repeat: int = 1,
    rewordings: bool = False,
) -> Opinion:
    """Return a judge's scores of answers, from `repeat` requests with the same prompt and the rule's `rewordings`."""
    again: dict[str, list[Scores]] = {}
    reasons: list[str] = []
    judge.verdicts(
        requests(judge.rule, answers, repeat, rewordings)
    )  # all at once; below they come from the cache
    for label, rule, asked in _askings(judge.rule, answers, repeat, rewordings):
        verdicts = judge.verdicts(asked)
        scores = tuple(
            rule.score(answer.candidate, verdict)
            for answer, verdict in zip(answers, verdicts, strict=True)
        )
        again.setdefault(label, []).append(scores)
        reasons += [
            verdict.unread for verdict, score in zip(verdicts, scores, strict=True) if score is None
        ]
    first = again.pop("")[0]
    signature = about.with_fields(**judge.signature)
    return Opinion(
        name, first, again, tuple(dict.fromkeys(reasons))[:5], signature, judge.summary()
    )


def baselines(answers: Sequence[Labelled], about: Signature) -> tuple[list[Opinion], list[str]]:
    """Return the scores of lexical metrics and BERTScore, and why BERTScore is left out."""
    opinions = [
        Opinion(
            name,
            tuple(score(each.candidate.prediction, each.references) for each in answers),
            signature=about,
        )
        for name, score in LEXICAL.items()
    ]
    outcome = bertscore(
        [
            (each.candidate.prediction, reference)
            for each in answers
            for reference in each.references
        ]
    )
    if isinstance(outcome, str):
        return opinions, [f"bertscore_f1 is left out: {outcome}."]
    scores = iter(outcome.per_item)
    best = tuple(max(min(1.0, max(0.0, next(scores))) for _ in each.references) for each in answers)
    return [*opinions, Opinion("bertscore_f1", best, signature=about)], []


def examined(opinion: Opinion, answers: Sequence[Labelled], seed: int = 0) -> Examined:
    """Return a calibration, withheld if too few of the answers have a score; `seed` is of the bootstrap."""
    scores = [score for score in opinion.scores if score is not None]
    known = [
        answer for answer, score in zip(answers, opinion.scores, strict=True) if score is not None
    ]
    failed = len(answers) - len(known)
    if few := too_few(len(known), len(answers), "answers have a score"):
        return Examined(
            opinion, failed, few + "".join(f"; {reason}" for reason in opinion.reasons[:1])
        )
    bins = tuple(reliability(scores, [answer.label for answer in known]))
    groups = () if opinion.name in ALWAYS else tuple(_groups(known, scores, seed))
    flips = tuple(
        _flips(over, [opinion.scores, *again], answers) for over, again in opinion.again.items()
    )
    return Examined(opinion, failed, None, _agreement(known, scores, seed), bins, groups, flips)


def pairs(opinions: Sequence[Opinion]) -> list[Pair]:
    """Return the agreement of every two judges on the answers that both have scored."""
    rows = []
    for first, second in itertools.combinations(opinions, 2):
        both = [
            (a, b)
            for a, b in zip(first.scores, second.scores, strict=True)
            if a is not None and b is not None
        ]
        if both:
            a, b = (np.asarray(column) for column in zip(*both, strict=True))
            said = (b > THRESHOLD).astype(float)
            kappa, same = (
                float(binary.kappa(a, said, np.ones(len(both)))),
                float(((a > THRESHOLD) == said).mean()),
            )
            rows.append(
                Pair((first.name, second.name), len(both), same, kappa, *rank_correlations(both))
            )
    return rows


def conclusions(found: Sequence[Examined], together: Sequence[Pair]) -> list[tuple[str, str]]:
    """Return (judge, what its numbers mean) for each bound that a judge does not keep."""
    return [
        *(
            (each.opinion.name, said)
            for each in found
            if each.opinion.summary
            for said in _said(each, found)
        ),
        *(
            (" and ".join(pair.judges), "one of them is wrong often")
            for pair in together
            if pair.kappa < LEAST_KAPPA
        ),
    ]


def _said(judge: Examined, found: Sequence[Examined]) -> Iterator[str]:
    overall = judge.overall
    if overall is None:
        return
    for other in found:
        if (
            other.opinion.summary is None
            and other.overall
            and overall.accuracy.value <= other.overall.accuracy.value
        ):
            yield f"{other.opinion.name} does as well, for nothing: choose another judge"
    if overall.auroc.low is not None and overall.auroc.low <= LEAST_AUROC:
        yield "it cannot tell right from wrong: choose another judge"
    if overall.best_accuracy.value - overall.accuracy.value > MOST_SHIFT:
        yield "it is too kind or too strict: compare models only, publish no absolute number"
    if overall.calibration_error.value > MOST_ERROR:
        yield "its mean is off by more than 10 points: compare models only"
    for said, (bound, names, begin) in BOUNDS.items():
        kinds = [
            each
            for each in judge.groups
            if each.kind == "trap" and each.agreement.accuracy.value < bound
        ]
        low = [
            each.name
            for each in kinds
            if each.name in names or (begin and each.name.startswith(begin))
        ]
        if low:
            yield f"{said} ({', '.join(low)} below {bound:.0%})"
    for flips in judge.flips:
        if flips.share.value > MOST_CHANGED[flips.over.startswith(REPEATED)]:
            yield f"the number belongs to one asking: {flips.over} changes {flips.share.value:.0%} of the verdicts"


def _askings(
    rule: Rule, answers: Sequence[Labelled], repeat: int, rewordings: bool
) -> Iterator[tuple[str, Rule, list[JudgeRequest]]]:
    """Yield (label, rule, judge requests) of each pass over the answers; the first one's label is ''."""
    for time in range(repeat):
        asked = [rule.request(answer.candidate) for answer in answers]
        yield REPEATED if time else "", rule, [replace(request, repeat=time) for request in asked]
    for name, other in (rule.rewordings() if rewordings else {}).items():
        yield f"prompt {name}", other, [other.request(answer.candidate) for answer in answers]


def _agreement(answers: Sequence[Labelled], scores: Sequence[float], seed: int) -> BinaryAgreement:
    return binary_agreement(scores, [each.label for each in answers], _clusters(answers), seed)


def _clusters(answers: Sequence[Labelled]) -> list[str | None]:
    """Return the question of each answer that shares it with another one, else None."""
    counts = Counter(each.candidate.question for each in answers)
    return [
        each.candidate.question if counts[each.candidate.question] > 1 else None for each in answers
    ]


def _groups(answers: Sequence[Labelled], scores: Sequence[float], seed: int) -> Iterator[Group]:
    """Yield the agreement by kind of trap, or by system and length of the answers, if there are several groups."""
    for kind, (names, order) in _kinds(answers).items():
        for name in order if len(order) > 1 else ():
            places = [place for place, each in enumerate(names) if each == name]
            chosen = [scores[place] for place in places]
            low, median, high = np.quantile(chosen, (0.1, 0.5, 0.9)).tolist()
            agreement = _agreement([answers[place] for place in places], chosen, seed)
            yield Group(kind, name or "unknown", agreement, (low, median, high))


def _kinds(answers: Sequence[Labelled]) -> dict[str, tuple[list[str], list[str]]]:
    """Return kind -> (group of each answer, groups in the order shown); traps have no other kind."""
    kinds = [each.kind for each in answers]
    if any(kinds):
        return {"trap": (kinds, list(dict.fromkeys(kinds)))}
    words = [len(each.candidate.prediction.split()) for each in answers]
    bins = quantile_bins(words, LENGTHS)
    spans = [
        f"{low:.0f} words" if low == high else f"{low:.0f} to {high:.0f} words"
        for low, high in bins
    ]
    systems = [each.system for each in answers]
    lengths = [spans[bin_index(count, bins)] for count in words]
    return {"system": (systems, list(dict.fromkeys(systems))), "length": (lengths, spans)}


def _flips(over: str, askings: Sequence[Scores], answers: Sequence[Labelled]) -> Flips:
    over = f"{over}, asked {len(askings)} times" if over == REPEATED else over
    rows = [
        (answer, scores)
        for answer, *scores in zip(answers, *askings, strict=True)
        if None not in scores
    ]
    if not rows:
        return Flips(over, 0, Estimate(math.nan))
    changed = [float(len({score > THRESHOLD for score in scores}) > 1) for _, scores in rows]
    ends = mean_interval(changed, _clusters([answer for answer, _ in rows]))
    return Flips(over, len(changed), Estimate(sum(changed) / len(changed), ends.low, ends.high))
