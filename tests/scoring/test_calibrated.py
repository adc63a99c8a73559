"""The mean that people would have given."""

import json
import statistics
from pathlib import Path

import numpy as np
import pytest

from spiqa_tasks.scoring.calibrated import calibrated_mean
from spiqa_tasks.scoring.intervals import share_interval
from spiqa_tasks.scoring.open_answers import LEXICAL

SIZE = 400


def test_it_is_the_estimate_of_the_paper() -> None:
    """The mean score of the others plus the mean error of the labelled, at the weight of least variance (PPI++)."""
    rng = np.random.default_rng(0)
    people = rng.random(SIZE) < 0.7
    scores = np.abs((people == (rng.random(SIZE) < 0.8)) - rng.beta(0.5, 6, SIZE))
    labels = [float(label) if place < 100 else None for place, label in enumerate(people)]
    found = calibrated_mean(scores.tolist(), labels)
    y, f, g = people[:100].astype(float), scores[:100], scores[100:]
    weight = np.cov(y, f)[0, 1] / (1 + 100 / 300) / scores.var(ddof=1)
    assert found.weight == pytest.approx(weight)
    assert found.value == pytest.approx(y.mean() + weight * (g.mean() - f.mean()))
    assert (found.n, found.labelled) == (SIZE, 100)
    assert found.low is not None
    assert found.high is not None
    spread = np.sqrt(np.var(y - weight * f, ddof=1) / 100 + weight**2 * g.var(ddof=1) / 300)
    assert (found.high - found.low) / 2 == pytest.approx(1.98 * spread, rel=0.05)


@pytest.mark.parametrize(
    "score", [lambda _label: 0.4, lambda label: 0.9 - 0.8 * label], ids=["constant", "contrary"]
)
def test_without_a_use_of_the_judge_it_is_the_mean_of_the_labels(score: object) -> None:
    """With its interval, clusters and all."""
    people = [float(place % 3 > 0) for place in range(60)]
    labels = [*people, *[None] * 100]
    scores = [score(label) for label in people] + [0.4] * 100  # type: ignore[operator]
    clusters = [place // 4 for place in range(160)]
    found, alone = calibrated_mean(scores, labels, clusters), share_interval(people, clusters[:60])
    assert (found.value, found.weight) == (pytest.approx(2 / 3), 0)
    assert (found.low, found.high) == (alone.low, alone.high)


def test_answers_that_are_all_labelled_have_the_mean_of_their_labels() -> None:
    """There is nothing left to predict."""
    people = [1.0, 0.0, 1.0, 1.0] * 10
    assert calibrated_mean([0.9] * 40, [*people]).value == 0.75


def test_an_interval_of_papers_is_wider_and_of_one_paper_none() -> None:
    """Answers of one paper are right or wrong together."""
    rng = np.random.default_rng(1)
    people = np.repeat(rng.random(40) < 0.6, 10)
    scores = np.where(rng.random(SIZE) < 0.7, people, ~people).astype(float).tolist()
    labels = [float(label) if place % 4 == 0 else None for place, label in enumerate(people)]
    alone = calibrated_mean(scores, labels)
    papers = calibrated_mean(scores, labels, [place // 10 for place in range(SIZE)])
    one = calibrated_mean(scores, labels, ["paper"] * SIZE)
    assert papers.value == alone.value
    assert (papers.high or 0) - (papers.low or 0) > 1.5 * ((alone.high or 0) - (alone.low or 0))
    assert (one.low, one.high) == (None, None)


@pytest.mark.parametrize("accuracy", [0.6, 0.8, 0.95])
def test_the_interval_holds_the_truth_as_often_as_it_says(accuracy: float) -> None:
    """Fifty labels of 400 answers; `python perf calibrated` has the whole grid."""
    rng = np.random.default_rng(2)
    hits = []
    for _ in range(600):
        people = rng.random(SIZE) < 0.7
        scores = np.where(rng.random(SIZE) < accuracy, people, ~people).astype(float).tolist()
        found = calibrated_mean(
            scores, [float(label) if place < 50 else None for place, label in enumerate(people)]
        )
        hits.append((found.low or 0.0) <= 0.7 <= (found.high or 0.0))
    assert 0.93 <= statistics.fmean(hits) <= 0.975


def test_peoples_verdicts_on_natural_questions_are_recovered(real_data: Path) -> None:
    """Of ChatGPT's 3,020 answers comparing words calls too many wrong; 100 verdicts put that right."""
    entries = json.loads((real_data / "evouna" / "NQ.json").read_text(encoding="utf-8"))
    asked = [
        entry for entry in entries if not entry["improper"] and entry["judge_chatgpt"] is not None
    ]
    people = np.array([float(entry["judge_chatgpt"]) for entry in asked])
    score = LEXICAL["contains_normalized"]
    scores = [
        score(entry["answer_chatgpt"] or "", entry["golden_answer"].split("/")) for entry in asked
    ]
    rng = np.random.default_rng(0)
    found, alone = [], []
    for _ in range(100):
        known = set(rng.choice(len(people), 100, replace=False).tolist())
        found.append(
            calibrated_mean(
                scores, [label if at in known else None for at, label in enumerate(people)]
            )
        )
        alone.append(share_interval(people[sorted(known)].tolist()))
    assert abs(statistics.fmean(scores) - people.mean()) > 0.1
    assert statistics.fmean(each.value for each in found) == pytest.approx(people.mean(), abs=0.01)
    assert (
        statistics.fmean((each.low or 0) <= people.mean() <= (each.high or 0) for each in found)
        >= 0.93
    )
    width, of_labels = (
        statistics.fmean((one.high or 0) - (one.low or 0) for one in each)
        for each in (found, alone)
    )
    assert width < 0.95 * of_labels
