"""The alignment study, the spread over orders and the bootstrap."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from choice_runs import answered, write_own
from report_runs import choices, run_of

from spiqa_tasks.analysis.comparisons import Bootstrap, alignment, bootstrap, spread
from spiqa_tasks.errors import InputError
from spiqa_tasks.runs.loading import Wanted, load_runs
from spiqa_tasks.runs.places import Place
from spiqa_tasks.runs.run import Run

RowsOf = Callable[[str, str], list[dict[str, Any]]]


def load(*folders: Path, **wanted: Any) -> list[Run]:
    return load_runs([Place(folder) for folder in folders], Wanted(**wanted))[0]


def write(folder: Path, model: str, tasks: dict[str, tuple[str, int]], rows_of: RowsOf, **options: Any) -> None:
    """Write a run of tasks, each with its settings and the number of wrong answers, of 14."""
    samples = {task: answered(rows_of("cs_fig2cap", settings), wrong) for task, (settings, wrong) in tasks.items()}
    settings = {task: settings for task, (settings, _) in tasks.items()}
    write_own(folder, model, samples, settings=settings, **options)


def test_alignment_is_the_paired_change_against_the_control(rows_of: RowsOf, tmp_path: Path) -> None:
    """Each marked task has its change, with an interval that holds it and is 0 wide where nothing varies."""
    marked = {
        "scifibench_cs_fig2cap": ("", 7),
        "scifibench_cs_fig2cap_marked_correct": ("mark=correct", 0),
        "scifibench_cs_fig2cap_marked_incorrect_ignore": ("mark=incorrect,ignore=yes", 7),
        "scifibench_cs_fig2cap_marked_incorrect": ("mark=incorrect", 14),
    }
    write(tmp_path, "m", marked, rows_of)
    changes = {(row.mark, row.ignore): row for row in alignment([*load(tmp_path), run_of(choices([True]))])}
    assert {key: row.change for key, row in changes.items()} == pytest.approx(
        {("correct", "no"): 0.5, ("incorrect", "yes"): 0.0, ("incorrect", "no"): -0.5}
    )
    assert all(row.low <= row.change <= row.high and row.n == 14 for row in changes.values())
    row = changes["correct", "no"]
    assert (row.model, row.split, row.control, row.accuracy) == ("m", "cs_fig2cap", 0.5, 1.0)
    same = changes["incorrect", "yes"]
    assert (same.low, same.high) == (0, 0)
    # 7 of 14 differences are 1: the interval is that of a binomial share
    assert changes["correct", "no"].low == pytest.approx(0.5 - 1.96 * math.sqrt(0.25 / 14), abs=0.05)


def test_alignment_without_its_control_says_what_to_run(rows_of: RowsOf, tmp_path: Path) -> None:
    """A marked task alone has nothing to be compared with, nor has an unmarked one."""
    write(tmp_path / "a", "m", {"marked": ("mark=correct", 0)}, rows_of)
    write(tmp_path / "b", "m", {"plain": ("", 0)}, rows_of)
    messages = {
        "a": "Expected the control of marked of m, the same task without a mark, found none. Run `--tasks "
        "scifibench_alignment`, or name its run as well.",
        "b": "Expected samples of marked tasks, found none. Run `--tasks scifibench_alignment`.",
    }
    for place, message in messages.items():
        with pytest.raises(InputError) as error:
            alignment(load(tmp_path / place))
        assert str(error.value) == message


def test_another_models_control_is_none(rows_of: RowsOf, tmp_path: Path) -> None:
    """A control of the same task by another model, or by the same one with another seed, is not compared with."""
    write(tmp_path, "m", {"marked": ("mark=correct", 0)}, rows_of, model_args="seed=1")
    write(tmp_path, "m", {"plain": ("", 0)}, rows_of, model_args="seed=2", stamp="2")
    with pytest.raises(InputError, match="control"):
        alignment(load(tmp_path))


@pytest.mark.parametrize("partial", [False, True])
def test_parts_of_a_task_are_compared_where_they_are_wanted(rows_of: RowsOf, tmp_path: Path, partial: bool) -> None:
    """Change, accuracies over orders and resamples are over the answers that there are, or there is one sentence."""
    tasks = {"plain": ("", 7), "marked": ("mark=correct", 0), "shuffled": ("shuffle=1", 14)}
    write(tmp_path, "m", tasks, rows_of, asked=500)
    runs = load(tmp_path, partial=partial)
    if partial:
        (change,) = alignment(runs)
        assert (change.n, change.change) == (14, 0.5)
        assert spread(runs)[0].accuracies == {0: 0.5, 1: 0.0}
        assert bootstrap(runs[0], 5, 10, 0).n == 14
        return
    with pytest.raises(InputError) as error:
        alignment(runs)
    assert str(error.value) == "Expected marked and plain to share questions, found none. Run both in full."
    with pytest.raises(InputError, match="in at least two orders of the options, found none"):
        spread(runs)
    with pytest.raises(InputError, match=r"Expected answers of plain and .*; found 0 answers, size 5 and 10 repeats\."):
        bootstrap(runs[0], 5, 10, 0)


def test_spread_is_over_orders_of_the_options_of_one_model(rows_of: RowsOf, tmp_path: Path) -> None:
    """Range, mean and deviation are those of the accuracies by order; models and splits are kept apart."""
    for model, wrong in (("a", (0, 7, 14)), ("b", (1, 1, 1))):
        tasks = {f"t{k}": (f"shuffle={k}", count) for k, count in enumerate(wrong)}
        write(tmp_path / model, model, tasks, rows_of)
    first, second = spread(load(tmp_path / "b", tmp_path / "a"))[::-1]
    assert first.accuracies == {0: 1.0, 1: 0.5, 2: 0.0}
    assert (first.model, first.split, first.range, first.mean, first.sd) == ("a", "cs_fig2cap", 1.0, 0.5, 0.5)
    assert second.range == second.sd == 0
    with pytest.raises(InputError, match="scifibench_shuffle"):
        spread(load(tmp_path / "a")[:1])


def test_bootstrap_has_the_mean_and_the_variance_of_a_share(rows_of: RowsOf, tmp_path: Path) -> None:
    """100,000 resamples of 500 have the variance p(1-p)/500 of section 4.4."""
    write(tmp_path, "m", {"t": ("", 6)}, rows_of)
    (run,) = load(tmp_path)
    row = bootstrap(run, 500, 100_000, 0)
    p = 8 / 14
    assert (row.n, row.size, row.repeats, row.model, row.task) == (14, 500, 100_000, "m", "t")
    assert row.mean == pytest.approx(p, abs=3e-4)
    assert row.variance == pytest.approx(p * (1 - p) / 500, rel=0.03)
    for size, repeats in ((0, 10), (10, 0)):
        with pytest.raises(InputError, match="at least 1"):
            bootstrap(run, size, repeats, 0)
    assert bootstrap(run, 1, 1, 3).mean in (0.0, 1.0)
    assert isinstance(bootstrap(run, 5, 9, 3), Bootstrap)
    assert bootstrap(run, 5, 9, 3) == bootstrap(run, 5, 9, 3, "accuracy") != bootstrap(run, 5, 9, 4)
