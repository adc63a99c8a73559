"""What judges and baselines make of answers: scores in order, askings apart, reasons kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import pytest

from spiqa_tasks.analysis import calibration
from spiqa_tasks.analysis.calibration import REPEATED, baselines, opinion_of, requests
from spiqa_tasks.benchmarks.signature import Signature
from spiqa_tasks.judge.judge import Judge
from spiqa_tasks.judge.rules import Candidate
from spiqa_tasks.judge.rules.l3score import L3ScoreRule
from spiqa_tasks.judge.types import JudgeRequest, Verdict
from spiqa_tasks.runs.readers.labels import Labelled
from spiqa_tasks.scoring.open_answers import LEXICAL
from spiqa_tasks.scoring.text_metrics import CorpusScore

ABOUT = Signature(data="labels/x@1")
ANSWERS = [
    Labelled(Candidate("blue sky", "q", "blue/azure"), True, ("blue", "azure")),
    Labelled(Candidate("red", "q", "blue"), False, ("blue",)),
]


def test_baselines_are_the_lexical_scores_and_bertscore_where_it_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The best reference counts; raw scores beyond 0 and 1 are cut; without the package a sentence says so."""

    def scored(pairs: Sequence[tuple[str, str]]) -> CorpusScore:
        assert list(pairs) == [("blue sky", "blue"), ("blue sky", "azure"), ("red", "blue")]
        return CorpusScore(0.5, (0.3, 0.8, 1.0000001))

    monkeypatch.setattr(calibration, "bertscore", scored)
    found, remarks = baselines(ANSWERS, ABOUT)
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
    found, remarks = baselines(ANSWERS, ABOUT)
    assert ([each.name for each in found], remarks) == (
        list(LEXICAL),
        ["bertscore_f1 is left out: it is not installed."],
    )


def test_every_asking_is_a_request_of_its_own() -> None:
    """The first one is what any run asks; repeats differ in their number alone, rewordings in the prompt."""
    asked = requests(L3ScoreRule(), ANSWERS, 3, rewordings=True)
    assert asked[:2] == [L3ScoreRule().request(each.candidate) for each in ANSWERS]
    assert [each.repeat for each in asked] == [0, 0, 1, 1, 2, 2, 0, 0]
    assert len({each.prompt for each in asked}) == 4
    assert len(set(asked)) == 8
    assert requests(L3ScoreRule(), ANSWERS) == asked[:2]


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
    found = opinion_of("name", cast(Judge, judge), ANSWERS, ABOUT, 3, rewordings=True)
    assert judge.asked[0] == requests(L3ScoreRule(), ANSWERS, 3, rewordings=True)
    assert [each for part in judge.asked[1:] for each in part] == judge.asked[0]
    assert found.name == "name"
    assert found.scores == (pytest.approx(1, abs=0.01), pytest.approx(0, abs=0.01))
    (rewording,) = L3ScoreRule().rewordings()
    assert found.again == {REPEATED: [(None, None), found.scores], f"prompt {rewording}": [found.scores]}
    assert found.reasons == ("HTTP 500", "HTTP 501")
    assert found.signature == ABOUT.with_fields(judge="openai:m", judge_prompt="p")
    assert cast(str, found.summary) == "what it took"


def test_a_judge_is_asked_once_by_default_and_five_reasons_are_enough() -> None:
    """However many answers it failed on."""
    judge = Judging()
    assert opinion_of("name", cast(Judge, judge), ANSWERS, ABOUT).again == {}
    assert judge.asked == [requests(L3ScoreRule(), ANSWERS)] * 2
    many = opinion_of("name", cast(Judge, judge), ANSWERS * 4, ABOUT, 2)
    assert many.reasons == tuple(f"HTTP {500 + place}" for place in range(5))
