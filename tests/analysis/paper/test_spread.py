"""The spread over orders and seeds, and the bootstrap."""

from __future__ import annotations

import statistics
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from choice_runs import RowsOf, load, write
from host_files import sample_of, write_run
from report_runs import choices, run_of

from spiqa_tasks.analysis.paper.spread import Bootstrap, bootstrap, spread
from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.errors import InputError
from spiqa_tasks.runs.identity import Identity
from spiqa_tasks.runs.run import Run


@pytest.mark.parametrize("partial", [False, True])
def test_parts_of_a_task_are_compared_where_they_are_wanted(rows_of: RowsOf, tmp_path: Path, partial: bool) -> None:
    """Accuracies over orders and resamples are over the answers that there are, or there is one sentence."""
    tasks = {"plain": ("", 7), "shuffled": ("shuffle=1", 14)}
    write(tmp_path, "m", tasks, rows_of, asked=500)
    runs = load(tmp_path, partial=partial)
    if partial:
        assert spread(runs)[0].accuracies == {0: 0.5, 1: 0.0}
        assert bootstrap(runs[0], 5, 10, 0).n == 14
        return
    with pytest.raises(InputError, match="in at least two orders of the options or with two seeds, found none"):
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


def test_spread_is_over_seeds_of_otherwise_equal_runs(rows_of: RowsOf, tmp_path: Path) -> None:
    """Figure 6: a line for each number of examples; orders, and seeds of the model, are lines of their own."""
    tasks = {f"one{seed}": (f"shots=1,seed={seed}", seed) for seed in range(3)}
    tasks |= {f"two{seed}": (f"shots=2,seed={seed}", 7) for seed in (1, 4)}
    tasks |= {"similar": ("shots=2,shot_kind=similar,seed=1", 0), "shuffled": ("shots=2,seed=1,shuffle=3", 14)}
    write(tmp_path, "m", tasks, rows_of)
    for seed in (5, 12):
        write(tmp_path, "hf", {"plain": ("", seed)}, rows_of, model_args=f"pretrained=x,seed={seed}", stamp=str(seed))
    found = {(row.model, row.settings, row.over): row for row in spread(load(tmp_path))}
    assert {key: row.accuracies for key, row in found.items()} == {
        ("m", "shots=1", "seed"): {0: 1.0, 1: 13 / 14, 2: 12 / 14},
        ("m", "shots=2", "seed"): {1: 0.5, 4: 0.5},
        ("m", "shots=2,seed=1", "shuffle"): {0: 0.5, 3: 0.0},
        ("hf,pretrained=x", "", "model seed"): {5: 9 / 14, 12: 2 / 14},
    }
    row = found["m", "shots=1", "seed"]
    assert (row.mean, row.sd) == pytest.approx((statistics.fmean([14, 13, 12]) / 14, 1 / 14))


def test_spread_is_over_any_setting_that_is_named(tmp_path: Path) -> None:
    """Figure B.1: SPIQA's metrics by resolution, the whole pictures last; a setting that no task has is refused."""
    values = {}
    for place, resolution in enumerate(("full", "448", "224px", "1000")):
        rows = load_rows("spiqa", "demo", f"ablation=text,resolution={resolution}")
        samples = [sample_of(row, row["answer"] if number % (place + 2) else "?") for number, row in enumerate(rows)]
        options: dict[str, Any] = {"benchmark": "spiqa", "split": "demo", "stamp": str(place)}
        write_run(tmp_path, "m", {f"t{place}": samples}, settings={f"t{place}": rows[0]["settings"]}, **options)
        values[resolution] = sum(bool(number % (place + 2)) for number in range(len(rows))) / len(rows)
    runs = load(tmp_path)
    (row,) = spread(runs, "rouge_l", "resolution")
    assert (row.over, row.settings) == ("resolution", "ablation=text")
    assert list(row.accuracies) == ["224px", "448", "1000", "full"]
    assert row.accuracies == pytest.approx(values, abs=0.01)
    with pytest.raises(InputError, match="differ by the setting mark alone"):
        spread(runs, None, "mark")


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


def run(settings: str, rights: list[bool], seed: str = "", label: str = "") -> Run:
    """A run of SciFIBench's questions with these settings."""
    made = run_of(choices(rights), "m", "t", f"data:scifibench/cs_fig2cap@d|settings:{settings}")
    return replace(made, identity=Identity("m", seed=seed), label=label)


def test_what_varies_nowhere_is_refused_in_one_sentence() -> None:
    """The setting that was named, or orders and seeds."""
    for over, message in (
        (
            "mark",
            "Expected a model's samples of one split that differ by the setting mark alone, found none. Name runs of "
            "such tasks, or another setting.",
        ),
        (
            None,
            "Expected a model's samples of one split in at least two orders of the options or with two seeds, found "
            "none. Run `--tasks scifibench_shuffle`, or YAMLs that differ in their seed.",
        ),
    ):
        with pytest.raises(InputError) as error:
            spread([run("", [True])], over=over)
        assert str(error.value) == message


def test_settings_that_are_not_the_usual_ones_keep_runs_apart() -> None:
    """They are named without the one that varies; a model's seed is a number where it is one."""
    runs = [
        run(f"mark={mark},shuffle={order}", [True] * order + [False] * 3)
        for mark in ("none", "correct")
        for order in (1, 2)
    ]
    found = spread(runs, over="shuffle")
    assert [(row.settings, row.over, row.accuracies) for row in found] == [
        ("", "shuffle", {1: 0.25, 2: 0.4}),
        ("mark=correct", "shuffle", {1: 0.25, 2: 0.4}),
    ]
    assert (found[0].model, found[0].split) == ("m", "cs_fig2cap")
    assert found[0].mean == pytest.approx(0.325)
    assert found[0].range == pytest.approx(0.15)
    assert found[0].sd == pytest.approx(statistics.stdev([0.25, 0.4]))
    (row,) = spread([run("", [True], "10"), run("", [False], "9"), run("", [True], "x")])
    assert (row.over, row.model, row.accuracies) == ("model seed", "m", {9: 0.0, 10: 1.0, "x": 1.0})
    (row,) = spread([run("", [True], "1", "called"), run("", [False], "2", "called")])
    assert row.model == "called"
