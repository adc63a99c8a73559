"""Judges against labels and against each other, from their scores alone."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from scipy.stats import kendalltau, spearmanr
from sklearn.metrics import cohen_kappa_score

from spiqa_tasks.analysis.calibration import REPEATED, Opinion, Scores, examined, pairs
from spiqa_tasks.benchmarks.signature import Signature
from spiqa_tasks.judge.rules import Candidate
from spiqa_tasks.runs.readers.labels import Labelled
from spiqa_tasks.scoring.binary import binary_agreement

ANSWERS = [
    Labelled(Candidate("word " * (1 + place), f"question {place // 2}", "r"), place % 3 == 0, ("r",), "ab"[place % 2])
    for place in range(40)
]
TRUE: Scores = tuple(0.9 if answer.label else 0.2 for answer in ANSWERS)
UPSIDE_DOWN: Scores = tuple(1 - (score or 0) for score in TRUE)


def opinion(scores: Scores, **again: list[Scores]) -> Opinion:
    """A judge's."""
    return Opinion("judge", scores, again, signature=Signature(judge="openai:m"))


def test_a_judge_that_is_always_right_has_the_highest_values() -> None:
    """And one that is always wrong the lowest; the calibration error says how far its scores are from the shares."""
    best, worst = examined(opinion(TRUE), ANSWERS).overall, examined(opinion(UPSIDE_DOWN), ANSWERS).overall
    assert best is not None
    assert worst is not None
    assert [best.accuracy.value, best.kappa.value, best.auroc.value] == pytest.approx([1, 1, 1])
    assert [worst.accuracy.value, worst.auroc.value, worst.f1.value] == pytest.approx([0, 0, 0])
    labelled = sum(answer.label for answer in ANSWERS) / 40
    assert best.calibration_error.value == pytest.approx(0.1 * labelled + 0.2 * (1 - labelled))
    assert (best.n, best.positives) == (40, 14)


def test_groups_are_by_system_and_by_length() -> None:
    """Each answer is in one of each kind; lengths go up; a kind with one group alone is left out."""
    found = examined(opinion(TRUE), ANSWERS).groups
    assert [(group.kind, group.name) for group in found] == [
        ("system", "a"),
        ("system", "b"),
        *(("length", name) for name in ("1 to 10 words", "11 to 20 words", "21 to 30 words", "31 to 40 words")),
    ]
    assert {group.agreement.n for group in found} == {20, 10}
    assert found[0].quantiles == pytest.approx((0.2, 0.2, 0.9))
    places = [place for place, answer in enumerate(ANSWERS) if answer.system == "a"]
    own = examined(opinion(tuple(TRUE[place] for place in places)), [ANSWERS[place] for place in places])
    assert found[0].agreement.n == 20
    assert own.overall is not None
    assert found[0].agreement.kappa == own.overall.kappa
    assert [each.kind for each in own.groups] == ["length"] * 4


def test_traps_are_the_only_groups_where_there_are_any() -> None:
    """In the order in which they come; answers of nobody known are called so, and lengths of one word by it."""
    trapped = [replace(answer, kind="yz"[place % 2]) for place, answer in enumerate(ANSWERS)]
    groups = examined(opinion(TRUE), trapped).groups
    assert [(each.kind, each.name) for each in groups] == [("trap", "y"), ("trap", "z")]
    short = [
        replace(answer, system="b" * (place % 2), candidate=Candidate("x" if place < 20 else "x y", str(place), "r"))
        for place, answer in enumerate(ANSWERS)
    ]
    assert [each.name for each in examined(opinion(TRUE), short).groups] == ["unknown", "b", "1 words", "2 words"]


def test_answers_to_one_question_are_one_cluster_and_the_seed_draws_the_intervals() -> None:
    """Questions that are asked once are none: other names of theirs change nothing."""
    noisy = tuple((place * 7 % 10) / 10 + 0.04 for place in range(40))
    found = [examined(opinion(noisy), ANSWERS, seed).overall for seed in (1, 1, 2)]
    assert found[0] == found[1] != found[2]
    alone = [
        replace(answer, candidate=replace(answer.candidate, question=str(place)))
        for place, answer in enumerate(ANSWERS)
    ]
    apart = examined(opinion(noisy), alone, 1).overall
    assert apart == binary_agreement(noisy, [each.label for each in ANSWERS], [None] * 40, 1) != found[0]
    bins = examined(opinion(TRUE), ANSWERS).bins
    assert [(each.n, each.score) for each in bins if each.n] == [(26, pytest.approx(0.2)), (14, pytest.approx(0.9))]


def test_a_judge_that_failed_on_more_than_a_hundredth_has_no_numbers() -> None:
    """The reason says on how many, and the first thing that went wrong."""
    failed = examined(Opinion("judge", (None, *TRUE[1:]), reasons=("HTTP 500", "HTTP 503")), ANSWERS)
    assert failed.overall is None
    assert (failed.failed, failed.groups) == (1, ())
    assert failed.withheld == "39 of 40 answers have a score, fewer than 99%; HTTP 500"
    assert failed.opinion.name == "judge"
    silent = examined(Opinion("judge", (None,) * 40, reasons=()), ANSWERS)
    assert silent.withheld == "0 of 40 answers have a score, fewer than 99%"
    many = ANSWERS * 3
    assert examined(opinion((None, *(TRUE * 3)[1:])), many).overall is not None


def test_flips_are_verdicts_that_another_asking_changes() -> None:
    """The same prompt in any of several times, another wording compared with the first; failures are left out."""
    twice: Scores = (0.6, *TRUE[1:]), (TRUE[0], 0.7, *TRUE[2:])  # the first stays yes, the second becomes yes
    found = examined(
        opinion(TRUE, **{REPEATED: list(twice), "prompt paper": [(None, *UPSIDE_DOWN[1:])]}), ANSWERS
    ).flips
    assert [(each.over, each.n) for each in found] == [(f"{REPEATED}, asked 3 times", 40), ("prompt paper", 39)]
    assert [each.share.value for each in found] == pytest.approx([1 / 40, 1])
    assert found[0].share.low <= 1 / 40 <= found[0].share.high
    (none,) = examined(opinion(TRUE, other=[(None,) * 40]), ANSWERS).flips
    assert (none.over, none.n, math.isnan(none.share.value)) == ("other", 0, True)


def test_judges_are_set_against_each_other() -> None:
    """Kappa of their yes or no as scikit-learn has it, on the answers that both scored."""
    other: Scores = (None, *(0.7 if place % 5 else score for place, score in enumerate(TRUE)))[:40]
    (pair,) = pairs([opinion(TRUE), Opinion("other", other)])
    said = [[(score or 0) > 0.5 for score in scores[1:]] for scores in (TRUE, other)]
    assert pair.judges == ("judge", "other")
    assert pair.n == 39
    assert pair.kappa == pytest.approx(cohen_kappa_score(*said))
    assert pair.same == pytest.approx(sum(a == b for a, b in zip(*said, strict=True)) / 39)
    assert pair.spearman == pytest.approx(spearmanr(TRUE[1:], other[1:]).statistic)
    assert pair.kendall == pytest.approx(kendalltau(TRUE[1:], other[1:]).statistic)
    half = Opinion("half", (0.5,) * 40)
    assert pairs([opinion(TRUE), half])[0].same == pytest.approx(26 / 40)  # 0.5 is no yes
    assert pairs([opinion(TRUE), Opinion("silent", (None,) * 40), Opinion("b", TRUE)])[0].judges == ("judge", "b")


def test_a_judge_has_a_score_or_none_for_every_answer() -> None:
    """Scores of other answers than those that are examined are a fault of the caller."""
    with pytest.raises(ValueError, match="zip"):
        examined(opinion((*TRUE, 0.5)), ANSWERS)
    with pytest.raises(ValueError, match="zip"):
        pairs([opinion(TRUE), Opinion("other", TRUE[1:])])
