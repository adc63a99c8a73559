"""Judges against labels and against each other, from their scores alone."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import pytest
from scipy.stats import kendalltau, spearmanr
from sklearn.metrics import cohen_kappa_score

from spiqa_tasks.analysis import calibration
from spiqa_tasks.analysis.calibration import (
    REPEATED,
    Opinion,
    Scores,
    baselines,
    examined,
    opinion_of,
    pairs,
    requests,
)
from spiqa_tasks.benchmarks.signature import Signature
from spiqa_tasks.judge.judge import Judge
from spiqa_tasks.judge.rules import Candidate
from spiqa_tasks.judge.rules.l3score import L3ScoreRule
from spiqa_tasks.judge.types import JudgeRequest, Verdict
from spiqa_tasks.runs.readers.labels import Labelled
from spiqa_tasks.scoring.binary import binary_agreement
from spiqa_tasks.scoring.open_answers import LEXICAL
from spiqa_tasks.scoring.text_metrics import CorpusScore

ANSWERS = [
    Labelled(
        Candidate("word " * (1 + place), f"question {place // 2}", "r"),
        place % 3 == 0,
        ("r",),
        "ab"[place % 2],
    )
    for place in range(40)
]
TRUE: Scores = tuple(0.9 if answer.label else 0.2 for answer in ANSWERS)
UPSIDE_DOWN: Scores = tuple(1 - (score or 0) for score in TRUE)


def opinion(scores: Scores, **again: list[Scores]) -> Opinion:
    """A judge's."""
    return Opinion("judge", scores, again, signature=Signature(judge="openai:m"))


def test_a_judge_that_is_always_right_has_the_highest_values() -> None:
    """And one that is always wrong the lowest; the calibration error says how far its scores are from the shares."""
    best, worst = (
        examined(opinion(TRUE), ANSWERS).overall,
        examined(opinion(UPSIDE_DOWN), ANSWERS).overall,
    )
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
        *(
            ("length", name)
            for name in ("1 to 10 words", "11 to 20 words", "21 to 30 words", "31 to 40 words")
        ),
    ]
    assert {group.agreement.n for group in found} == {20, 10}
    assert found[0].quantiles == pytest.approx((0.2, 0.2, 0.9))
    places = [place for place, answer in enumerate(ANSWERS) if answer.system == "a"]
    own = examined(
        opinion(tuple(TRUE[place] for place in places)), [ANSWERS[place] for place in places]
    )
    assert found[0].agreement.n == 20
    assert own.overall is not None
    assert found[0].agreement.kappa == own.overall.kappa
    assert [each.kind for each in own.groups] == ["length"] * 4


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
    assert (
        apart
        == binary_agreement(noisy, [each.label for each in ANSWERS], [None] * 40, 1)
        != found[0]
    )
    bins = examined(opinion(TRUE), ANSWERS).bins
    assert [(each.n, each.score) for each in bins if each.n] == [
        (26, pytest.approx(0.2)),
        (14, pytest.approx(0.9)),
    ]


def test_a_judge_that_failed_on_more_than_a_hundredth_has_no_numbers() -> None:
    """The reason says on how many, and the first thing that went wrong."""
    failed = examined(
        Opinion("judge", (None, *TRUE[1:]), reasons=("HTTP 500", "HTTP 503")), ANSWERS
    )
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
    twice: Scores = (
        (0.6, *TRUE[1:]),
        (TRUE[0], 0.7, *TRUE[2:]),
    )  # the first stays yes, the second becomes yes
    found = examined(
        opinion(TRUE, **{REPEATED: list(twice), "prompt paper": [(None, *UPSIDE_DOWN[1:])]}),
        ANSWERS,
    ).flips
    assert [(each.over, each.n) for each in found] == [
        (f"{REPEATED}, asked 3 times", 40),
        ("prompt paper", 39),
    ]
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
    assert pairs([opinion(TRUE), Opinion("silent", (None,) * 40), Opinion("b", TRUE)])[
        0
    ].judges == ("judge", "b")


ABOUT = Signature(data="labels/x@1")
TWO = [
    Labelled(Candidate("blue sky", "q", "blue/azure"), True, ("blue", "azure")),
    Labelled(Candidate("red", "q", "blue"), False, ("blue",)),
]


def test_baselines_are_the_lexical_scores_and_bertscore_where_it_is_installed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The best reference counts; raw scores beyond 0 and 1 are cut; without the package a sentence says so."""

    def scored(pairs: Sequence[tuple[str, str]]) -> CorpusScore:
        assert list(pairs) == [("blue sky", "blue"), ("blue sky", "azure"), ("red", "blue")]
        return CorpusScore(0.5, (0.3, 0.8, 1.0000001))

    monkeypatch.setattr(calibration, "bertscore", scored)
    found, remarks = baselines(TWO, ABOUT)
    assert {each.name: each.scores for each in found} == {
        "exact": (0.0, 0.0),
        "contains": (1.0, 0.0),
        "contains_normalized": (1.0, 0.0),
        "token_f1": (pytest.approx(2 / 3), 0.0),
        "bertscore_f1": (0.8, 1.0),
    }
    assert all(each.signature == ABOUT and each.summary is None for each in found)
    assert remarks == []
    monkeypatch.setattr(calibration, "bertscore", lambda _pairs: "it is not installed")
    found, remarks = baselines(TWO, ABOUT)
    assert ([each.name for each in found], remarks) == (
        list(LEXICAL),
        ["bertscore_f1 is left out: it is not installed."],
    )


def test_every_asking_is_a_request_of_its_own() -> None:
    """The first one is what any run asks; repeats differ in their number alone, rewordings in the prompt."""
    asked = requests(L3ScoreRule(), TWO, 3, rewordings=True)
    assert asked[:2] == [L3ScoreRule().request(each.candidate) for each in TWO]
    assert [each.repeat for each in asked] == [0, 0, 1, 1, 2, 2, 0, 0]
    assert len({each.prompt for each in asked}) == 4
    assert len(set(asked)) == 8
    assert requests(L3ScoreRule(), TWO) == asked[:2]


class Judging:
    """Stands in for a judge: sure of what begins with "blue", and failing on the second asking of anything."""

    def __init__(self) -> None:
        self.rule, self.signature = L3ScoreRule(), {"judge": "openai:m", "judge_prompt": "p"}
        self.asked: list[list[JudgeRequest]] = []

    def verdicts(self, requests: Sequence[JudgeRequest]) -> list[Verdict]:
        self.asked.append(list(requests))
        sure = {True: (("Yes", -0.01), ("No", -9.0)), False: (("No", -0.01), ("Yes", -9.0))}
        return [
            Verdict("ok", top_logprobs=sure["answer: blue sky" in each.prompt.lower()])
            if each.repeat != 1
            else Verdict("judge_failed", reason=f"HTTP {500 + place}")
            for place, each in enumerate(requests)
        ]

    def summary(self) -> Any:
        return "what it took"


def test_a_judges_opinion_has_every_asking_by_its_name() -> None:
    """All is asked together first; failures have no score, and their reasons are kept, each once."""
    judge = Judging()
    found = opinion_of("name", cast(Judge, judge), TWO, ABOUT, 3, rewordings=True)
    assert judge.asked[0] == requests(L3ScoreRule(), TWO, 3, rewordings=True)
    assert [each for part in judge.asked[1:] for each in part] == judge.asked[0]
    assert found.name == "name"
    assert found.scores == (pytest.approx(1, abs=0.01), pytest.approx(0, abs=0.01))
    (rewording,) = L3ScoreRule().rewordings()
    assert found.again == {
        REPEATED: [(None, None), found.scores],
        f"prompt {rewording}": [found.scores],
    }
    assert found.reasons == ("HTTP 500", "HTTP 501")
    assert found.signature == ABOUT.with_fields(judge="openai:m", judge_prompt="p")
    assert cast(str, found.summary) == "what it took"
