"""What judges and baselines make of answers: scores in order, askings apart, reasons kept."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from spiqa_tasks.analysis import opinions
from spiqa_tasks.analysis.opinions import baselines, requests
from spiqa_tasks.benchmarks.signature import Signature
from spiqa_tasks.judge.rules import Candidate
from spiqa_tasks.judge.rules.l3score import L3ScoreRule
from spiqa_tasks.runs.readers.labels import Labelled
from spiqa_tasks.scoring.lexical import LEXICAL
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

    monkeypatch.setattr(opinions, "bertscore", scored)
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
    monkeypatch.setattr(opinions, "bertscore", lambda _pairs: "it is not installed")
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
