"""The alignment study, the spread over orders and the bootstrap."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from choice_runs import answered
from host_files import write_run

from spiqa_tasks.analysis.comparisons import alignment, bootstrap, spread
from spiqa_tasks.analysis.own_runs import own_runs
from spiqa_tasks.errors import InputError

RowsOf = Callable[[str, str], list[dict[str, Any]]]


def test_alignment_is_the_paired_change_against_the_control(rows_of: RowsOf, tmp_path: Path) -> None:
    """Each marked task has its change, with an interval that holds it and is 0 wide where nothing varies."""
    marked = {
        "scifibench_cs_fig2cap": ("", 7),
        "scifibench_cs_fig2cap_marked_correct": ("mark=correct", 0),
        "scifibench_cs_fig2cap_marked_incorrect_ignore": ("mark=incorrect,ignore=yes", 7),
        "scifibench_cs_fig2cap_marked_incorrect": ("mark=incorrect", 14),
    }
    samples = {task: answered(rows_of("cs_fig2cap", settings), wrong) for task, (settings, wrong) in marked.items()}
    write_run(tmp_path, "m", samples)
    changes = {(row.mark, row.ignore): row for row in alignment(own_runs([tmp_path])[0])}
    assert {key: row.change for key, row in changes.items()} == pytest.approx(
        {("correct", "no"): 0.5, ("incorrect", "yes"): 0.0, ("incorrect", "no"): -0.5}
    )
    assert all(row.low <= row.change <= row.high and row.n == 14 for row in changes.values())
    same = changes["incorrect", "yes"]
    assert (same.low, same.high) == (0, 0)
    # 7 of 14 differences are 1: the interval is that of a binomial share
    assert changes["correct", "no"].low == pytest.approx(0.5 - 1.96 * math.sqrt(0.25 / 14), abs=0.05)


def test_alignment_without_its_control_says_what_to_run(rows_of: RowsOf, tmp_path: Path) -> None:
    """A marked task alone has nothing to be compared with, nor has an unmarked one."""
    write_run(tmp_path / "a", "m", {"marked": answered(rows_of("cs_fig2cap", "mark=correct"), 0)})
    write_run(tmp_path / "b", "m", {"plain": answered(rows_of("cs_fig2cap", ""), 0)})
    for place, wanted in (("a", "the control of marked of m"), ("b", "samples of marked tasks")):
        with pytest.raises(InputError, match=f"{wanted}.*scifibench_alignment"):
            alignment(own_runs([tmp_path / place])[0])


def test_another_models_control_is_none(rows_of: RowsOf, tmp_path: Path) -> None:
    """A control of the same task by another model, or by the same one with another seed, is not compared with."""
    write_run(tmp_path, "m", {"marked": answered(rows_of("cs_fig2cap", "mark=correct"), 0)}, "seed=1")
    write_run(tmp_path, "m", {"plain": answered(rows_of("cs_fig2cap", ""), 0)}, "seed=2", stamp="2")
    with pytest.raises(InputError, match="control"):
        alignment(own_runs([tmp_path])[0])


def test_spread_is_over_orders_of_the_options_of_one_model(rows_of: RowsOf, tmp_path: Path) -> None:
    """Range, mean and deviation are those of the accuracies by order; models and splits are kept apart."""
    for model, wrong in (("a", (0, 7, 14)), ("b", (1, 1, 1))):
        tasks = {f"t{k}": answered(rows_of("cs_fig2cap", f"shuffle={k}"), count) for k, count in enumerate(wrong)}
        write_run(tmp_path / model, model, tasks)
    first, second = spread(own_runs([tmp_path / "a", tmp_path / "b"])[0])
    assert first.accuracies == {0: 1.0, 1: 0.5, 2: 0.0}
    assert (first.model, first.split, first.range, first.mean, first.sd) == ("a", "cs_fig2cap", 1.0, 0.5, 0.5)
    assert second.range == second.sd == 0
    with pytest.raises(InputError, match="scifibench_shuffle"):
        spread(own_runs([tmp_path / "a"], ["t0"])[0])


def test_bootstrap_has_the_mean_and_the_variance_of_a_share(rows_of: RowsOf, tmp_path: Path) -> None:
    """100,000 resamples of 500 have the variance p(1-p)/500 of section 4.4."""
    write_run(tmp_path, "m", {"t": answered(rows_of("cs_fig2cap", ""), 6)})
    (run,), _ = own_runs([tmp_path])
    row = bootstrap(run, 500, 100_000, 0)
    p = 8 / 14
    assert (row.n, row.size, row.repeats) == (14, 500, 100_000)
    assert row.mean == pytest.approx(p, abs=3e-4)
    assert row.variance == pytest.approx(p * (1 - p) / 500, rel=0.03)
    for size, repeats in ((0, 10), (10, 0)):
        with pytest.raises(InputError, match="at least 1"):
            bootstrap(run, size, repeats, 0)
