"""Rank correlation of L3Score with text metrics."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from answer_files import right_answers, scored
from judged_runs import write_judged, write_two_judges
from report_runs import choices, run_of
from run_command import run_json

from spiqa_tasks.analysis.paper.correlation import Correlation, correlations
from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.benchmarks.registry import rows_for_scoring
from spiqa_tasks.errors import InputError
from spiqa_tasks.runs.loading import load_runs
from spiqa_tasks.runs.paths import RunPath
from spiqa_tasks.runs.run import Run
from spiqa_tasks.runs.scoring import write_runs
from spiqa_tasks.runs.selection import Selection

SPIQA = "data:spiqa/testA@d|settings:"


def run_with(scores: list[tuple[float, float]], model: str = "m", **changes: Any) -> Run:
    """A run with L3Score and ROUGE-L of every answer."""
    records = [
        Record(f"p/{place}", "a", "a", scores={"l3score": judged, "rouge_l": text})
        for place, (judged, text) in enumerate(scores)
    ]
    mean = sum(text for _, text in scores) / len(scores)
    return replace(run_of(records, model, "spiqa_testA", SPIQA), reported={"rouge_l": mean}, **changes)


def test_correlations_are_spearmans_of_each_run_and_of_all(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Equal to numpy's correlation of ranks; a run without a judge is left out with a sentence."""
    scores = {name: np.random.default_rng(seed).random(39).tolist() for seed, name in enumerate("ab")}
    for name, each in scores.items():
        write_judged(tmp_path, name, each)
    write_judged(tmp_path, "unjudged", None)
    status, rows, errors = run_json(capsys, "correlate", tmp_path)
    assert status == 3
    assert "spiqa_demo of unjudged is left out: it has no L3Score." in errors
    rouge = {row["model"]: row for row in rows if row["metric"] == "rouge_l"}
    assert {model: row["n"] for model, row in rouge.items()} == {"a": 39, "b": 39, "all runs": 78}
    from scipy.stats import rankdata

    from spiqa_tasks.metrics.text_scores import text_scores

    pairs = []
    for place, row in enumerate(rows_for_scoring("spiqa", "demo", "")):
        words = row["answer"].split()
        pairs.append((" ".join(words[: 1 + place % len(words)]), row["answer"]))
    lengths = text_scores(pairs, ["rouge_l"]).per_item["rouge_l"]
    expected = np.corrcoef(rankdata(scores["a"]), rankdata(lengths))[0, 1]
    assert rouge["a"]["spearman"] == pytest.approx(expected)


def test_only_pairs_of_scores_count() -> None:
    """Three answers in the same order have a rho of 1; of all runs together it is another."""
    found, remarks = correlations(
        [run_with([(0.1, 0.2), (0.2, 0.3), (0.9, 0.4)]), run_with([(0.5, 0.9), (0.6, 0.1)], "n")]
    )
    assert remarks == []
    assert found[:2] == [
        Correlation("m", "spiqa_testA", "rouge_l", "l3score", 3, pytest.approx(1.0)),
        Correlation("n", "spiqa_testA", "rouge_l", "l3score", 2, pytest.approx(-1.0)),
    ]
    assert (found[2].model, found[2].task, found[2].n) == ("all runs", "", 5)
    assert len(found) == 3
    assert len(correlations([run_with([(0.1, 0.2), (0.2, 0.3)])])[0]) == 1


@pytest.mark.parametrize("scores", [[(0.5, 0.1)], [(0.5, 0.1), (0.5, 0.9)], [(0.1, 0.5), (0.9, 0.5)]])
def test_a_correlation_that_is_not_defined_is_none(scores: list[tuple[float, float]]) -> None:
    """One answer, or all of the same score."""
    (found,), _ = correlations([run_with(scores)])
    assert (found.n, found.spearman) == (len(scores), None)


@pytest.mark.parametrize("partial", [False, True])
def test_a_part_of_a_task_is_correlated_where_it_is_wanted(partial: bool) -> None:
    """Else the run is left out, with the reason."""
    whole = run_with([(0.1, 0.2), (0.2, 0.3)])
    part = run_with([(0.1, 0.2), (0.2, 0.3)], "n", asked=9, partial=partial)
    found, remarks = correlations([whole, part])
    assert [each.model for each in found] == (["m", "n", "all runs"] if partial else ["m"])
    reason = "2 of 9 questions were answered, fewer than 99%"
    assert remarks == ([] if partial else [f"spiqa_testA of n is left out: {reason}."])


def test_without_any_l3score_there_is_one_sentence() -> None:
    """With each run and why it is left out."""
    with pytest.raises(InputError) as error:
        correlations([run_of(choices([True]))])
    assert str(error.value) == (
        "Expected runs of SPIQA with L3Score and a text metric for every answer, found none. Run with a judge, or have "
        "`spiqa-tasks score` fill the judgements in. mmstar_filtered of m is left out: it has no L3Score."
    )
    with pytest.raises(InputError, match=r"fill the judgements in\.$"):
        correlations([])


def test_the_released_l3score_is_correlated_too() -> None:
    """Where it is the only one; answers without a text's score are left out."""
    scores = [{"l3score_released": 0.1, "rouge_l": 0.2}, {"l3score_released": 0.9, "rouge_l": 0.7}, {"rouge_l": 0.1}]
    records = [Record(f"p/{place}", "a", "a", scores=each) for place, each in enumerate(scores)]
    run = run_of(records[:2], "m", "t", f"{SPIQA}protocol=both")
    (found,), _ = correlations([replace(run, reported={"rouge_l": 0.45})])
    assert (found.correlated_with, found.metric, found.n) == ("l3score_released", "rouge_l", 2)


def test_answers_that_two_judges_scored_are_pooled_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each counts once for each judge; one can be named, and the same answers twice are left out."""
    names = [(model, judge) for model in "mn" for judge in "ab"]
    scored = {name: np.random.default_rng(seed).random(39).tolist() for seed, name in enumerate(names)}
    place = write_two_judges(tmp_path, scored)
    status, rows, _ = run_json(capsys, "correlate", place)
    assert status == 0
    pooled = {row["judge"]: row for row in rows if row["model"] == "all runs" and row["metric"] == "rouge_l"}
    assert {judge: row["n"] for judge, row in pooled.items()} == {"openai:a": 78, "openai:b": 78}
    _, alone, _ = run_json(capsys, "correlate", place, "--judge", "openai:b")
    assert [row for row in rows if row["judge"] == "openai:b"] == alone
    once = run_with([(0.1, 0.2), (0.2, 0.3)])
    found, remarks = correlations([once, run_with([(0.1, 0.2), (0.2, 0.3)])])
    assert len(found) == 1
    assert remarks == ["spiqa_testA of m is left out: x_results.json has answers of the same model and judge, too."]


def test_a_run_of_score_is_correlated_as_a_hosts_run_is(tmp_path: Path) -> None:
    """With CIDEr of every answer, which `score` writes."""
    judged = [place / 40 for place in range(39)]
    answers = {
        key: " ".join(text.split()[: 1 + place % 3])
        for place, (key, text) in enumerate(right_answers("spiqa_demo").items())
    }
    run = scored("spiqa_demo", answers)
    records = [record.with_scores({"l3score": score}) for record, score in zip(run.records, judged, strict=True)]
    made = [replace(answer, record=record) for answer, record in zip(run.read(), records, strict=True)]
    write_runs([replace(run, read=lambda: made, omitted={})], tmp_path)
    ((read,), _) = load_runs([RunPath(tmp_path)], Selection())
    found, _ = correlations([read])
    assert {each.metric for each in found} >= {"rouge_l", "cider"}
    assert {each.n for each in found} == {39}


def test_a_run_without_l3score_is_left_out() -> None:
    """The others are correlated; twice the same run is left out once more."""
    alone = replace(run_of([Record("1", scores={"accuracy": 1.0})]), label="alone")
    found, remarks = correlations([alone, run_with([(0.1, 0.2), (0.2, 0.3)]), alone])
    assert ([each.model for each in found], len(remarks)) == (["m"], 2)
