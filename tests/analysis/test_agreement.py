"""Agreement between judges."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from spiqa_tasks.offline.agreement import agreements, ranks
from spiqa_tasks.offline.scored import Number, Scored


def scored(label: str, judge: str, scores: Mapping[str, float], value: float | None = None) -> Scored:
    """A result with the given L3Scores."""
    mean = sum(scores.values()) / len(scores) if scores and value is None else value
    samples = [{"id": key, "scores": {"l3score": score}} for key, score in scores.items()]
    return Scored("t", label, judge, {"l3score": Number(mean, len(samples))}, {}, {}, "", samples)


def test_correlations_are_those_of_the_textbook() -> None:
    """Five answers ranked 1 2 3 4 5 and 2 1 4 3 5: rho = 1 - 6 * 4 / 120, tau = (8 - 2) / 10."""
    one = scored("m", "a", dict(zip("vwxyz", (0.1, 0.2, 0.3, 0.4, 0.5), strict=True)))
    two = scored("m", "b", dict(zip("vwxyz", (0.2, 0.1, 0.4, 0.3, 0.5), strict=True)))
    (agreement,) = agreements([one, two])
    assert (agreement.judges, agreement.label, agreement.n) == (("a", "b"), "m", 5)
    assert agreement.spearman == pytest.approx(0.8)
    assert agreement.kendall == pytest.approx(0.6)


def test_only_answers_that_both_could_judge_count() -> None:
    """An answer that one judge failed on says nothing about agreement."""
    one = scored("m", "a", {"x": 0.1, "y": 0.9, "z": 0.5})
    two = scored("m", "b", {"x": 0.2, "y": 0.8, "w": 0.0})
    assert [(each.n, each.spearman) for each in agreements([one, two])] == [(2, pytest.approx(1.0))]


def test_a_judge_that_always_says_the_same_has_no_correlation() -> None:
    """Undefined is None, not NaN and not 0."""
    one, two = scored("m", "a", {"x": 0.1, "y": 0.9}), scored("m", "b", {"x": 0.5, "y": 0.5})
    (agreement,) = agreements([one, two])
    assert agreement.spearman is None
    assert agreement.kendall is None


def test_several_files_are_compared_each_and_together() -> None:
    """Three judges make three pairs, each on both files and on all answers."""
    results = [scored(label, judge, {"x": 0.1, "y": 0.9}) for label in ("m", "n") for judge in "abc"]
    found = agreements(results)
    assert [each.label for each in found] == ["m", "n", "all"] * 3
    assert [each.n for each in found] == [2, 2, 4] * 3


def test_models_are_ranked_per_judge() -> None:
    """The best is 1, equal models share a rank, a withheld score has none."""
    values = {"m": 0.7, "n": 0.9, "o": 0.7, "p": None}
    results = [scored(label, "a", {}, value) for label, value in values.items()]
    assert ranks(results) == {"a": {"m": 2, "n": 1, "o": 2, "p": None}}
