"""Agreement of judges on the same answers."""

from collections.abc import Mapping
from dataclasses import replace

import pytest
from report_runs import run_of

from spiqa_tasks.analysis.agreement import agreements, rank_correlations, ranks
from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.runs.run import Run

SPIQA = "data:spiqa/testA@d|settings:"


def judged(model: str, judge: str, scores: Mapping[str, float], asked: int = 0) -> Run:
    """A run with the given L3Scores."""
    records = [Record(key, "a", "a", scores={"l3score": score}) for key, score in scores.items()]
    run = run_of(records, model, "spiqa_testA", f"{SPIQA}|judge:served {judge}")
    return replace(run, judge=judge, asked=asked)


def test_correlations_are_those_of_the_textbook() -> None:
    """Five answers ranked 1 2 3 4 5 and 2 1 4 3 5: rho = 1 - 6 * 4 / 120, tau = (8 - 2) / 10."""
    one = judged("m", "a", dict(zip("vwxyz", (0.1, 0.2, 0.3, 0.4, 0.5), strict=True)))
    two = judged("m", "b", dict(zip("vwxyz", (0.2, 0.1, 0.4, 0.3, 0.5), strict=True)))
    (found,) = agreements([one, two])
    assert (found.judges, found.predictions, found.n) == (("a", "b"), "m", 5)
    assert found.spearman == pytest.approx(0.8)
    assert found.kendall == pytest.approx(0.6)


def test_judges_are_told_apart_by_what_the_user_called_them() -> None:
    """The same model at two addresses is two judges; a run read from a host's files has its signature's."""
    scores = {"x": 0.1, "y": 0.9}
    names = ["openai:a", "openai:a@http://x/v1", ""]
    found = agreements([judged("m", name, scores) for name in names])
    assert [each.judges for each in found] == [
        ("openai:a", "openai:a@http://x/v1"),
        ("openai:a", "served "),
        ("openai:a@http://x/v1", "served "),
    ]


def test_only_answers_that_both_could_judge_count() -> None:
    """An answer that one judge failed on says nothing about agreement."""
    one = judged("m", "a", {"x": 0.1, "y": 0.9, "z": 0.5})
    two = judged("m", "b", {"x": 0.2, "y": 0.8, "w": 0.0})
    assert [(each.n, each.spearman) for each in agreements([one, two])] == [(2, pytest.approx(1.0))]


@pytest.mark.parametrize("pairs", [[], [(0.1, 0.2)], [(0.1, 0.5), (0.9, 0.5)], [(0.5, 0.1), (0.5, 0.9)]])
def test_what_is_not_defined_is_none(pairs: list[tuple[float, float]]) -> None:
    """Fewer than two answers, or a judge that always says the same: not NaN and not 0."""
    assert rank_correlations(pairs) == (None, None)


def test_several_files_are_compared_each_and_together() -> None:
    """Three judges make three pairs, each on both files and on all answers."""
    runs = [judged(model, judge, {"x": 0.1, "y": 0.9}) for model in ("m", "n") for judge in "abc"]
    found = agreements(runs)
    assert [each.predictions for each in found] == ["m", "n", "all"] * 3
    assert [each.n for each in found] == [2, 2, 4] * 3


def test_models_are_ranked_per_judge() -> None:
    """The best is 1, equal models share a rank, a withheld score has none."""
    values = {"m": 0.7, "n": 0.9, "o": 0.7, "p": 0.1}
    runs = [judged(model, "a", {"x": value}) for model, value in values.items()]
    assert ranks(runs) == {"a": {"m": 2, "n": 1, "o": 2, "p": 4}}
    assert ranks([*runs, judged("q", "a", {"x": 1.0}, asked=9)])["a"] == {"m": 2, "n": 1, "o": 2, "p": 4, "q": None}
    other = judged("m", "b", {"x": 0.1})
    assert ranks([*runs[:2], other]) == {"a": {"m": 2, "n": 1}, "b": {"m": 1}}


def test_the_metric_of_a_judges_rule_ranks_models() -> None:
    """And not the headline of their task; of several runs without a judge the others are still correlated."""
    runs = [judged("m", "a", {"x": 0.9}), judged("n", "a", {"x": 0.1})]
    worse = replace(runs[1].records[0], scores={"l3score": 0.1, "retrieval_accuracy": 1.0})
    assert ranks([runs[0], runs[1].with_records([worse])]) == {"a": {"m": 1, "n": 2}}
