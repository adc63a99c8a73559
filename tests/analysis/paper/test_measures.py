"""The spread over orders and seeds, the bootstrap, and rank correlations of L3Score with text
metrics.
"""

import statistics
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from choice_runs import RowsOf, load, write
from host_files import sample_of, write_run
from judged_runs import write_judged, write_two_judges
from report_runs import choices, run_of
from run_command import run_json

from spiqa_tasks.analysis.paper.measures import bootstrap, correlations, spread
from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.benchmarks.registry import load_rows, rows_for_scoring
from spiqa_tasks.errors import InputError
from spiqa_tasks.runs.run import Run, Written

SPIQA = "data:spiqa/testA@d|settings:"


def run_with(scores: list[tuple[float, float]], model: str = "m", **changes: Any) -> Run:
    """A run with L3Score and ROUGE-L of every answer."""
    records = [
        Record(f"p/{place}", "a", "a", scores={"l3score": judged, "rouge_l": text})
        for place, (judged, text) in enumerate(scores)
    ]
    mean = sum(text for _, text in scores) / len(scores)
    return replace(
        run_of(records, model, "spiqa_testA", SPIQA),
        written=Written(values={"rouge_l": mean}),
        **changes,
    )


def test_correlations_are_spearmans_of_each_run_and_of_all(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Equal to numpy's correlation of ranks; a run without a judge is left out with a sentence."""
    scores = {
        name: np.random.default_rng(seed).random(39).tolist() for seed, name in enumerate("ab")
    }
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
    shared = {"task": "spiqa_testA", "metric": "rouge_l", "correlated_with": "l3score", "judge": ""}
    assert found[:2] == [
        {**shared, "model": "m", "n": 3, "spearman": pytest.approx(1.0)},
        {**shared, "model": "n", "n": 2, "spearman": pytest.approx(-1.0)},
    ]
    assert (found[2]["model"], found[2]["task"], found[2]["n"]) == ("all runs", "", 5)
    assert len(found) == 3
    assert len(correlations([run_with([(0.1, 0.2), (0.2, 0.3)])])[0]) == 1


@pytest.mark.parametrize(
    "scores", [[(0.5, 0.1)], [(0.5, 0.1), (0.5, 0.9)], [(0.1, 0.5), (0.9, 0.5)]]
)
def test_a_correlation_that_is_not_defined_is_none(scores: list[tuple[float, float]]) -> None:
    """One answer, or all of the same score."""
    (found,), _ = correlations([run_with(scores)])
    assert (found["n"], found["spearman"]) == (len(scores), None)


@pytest.mark.parametrize("partial", [False, True])
def test_a_part_of_a_task_is_correlated_where_it_is_wanted(partial: bool) -> None:
    """Else the run is left out, with the reason."""
    whole = run_with([(0.1, 0.2), (0.2, 0.3)])
    part = run_with([(0.1, 0.2), (0.2, 0.3)], "n", asked=9, partial=partial)
    found, remarks = correlations([whole, part])
    assert [each["model"] for each in found] == (["m", "n", "all runs"] if partial else ["m"])
    reason = "2 of 9 questions were answered, fewer than 99%"
    assert remarks == ([] if partial else [f"spiqa_testA of n is left out: {reason}."])


def test_without_any_l3score_there_is_one_sentence() -> None:
    """With each run and why it is left out."""
    with pytest.raises(InputError) as error:
        correlations([run_of(choices([True]))])
    assert (
        str(error.value)
        == "Expected runs of SPIQA with L3Score and a text metric for every answer, found none. Run"
        " with a judge, or have `spiqa-tasks score` fill the judgements in. mmstar_filtered of m"
        " is left out: it has no L3Score."
    )
    with pytest.raises(InputError, match=r"fill the judgements in\.$"):
        correlations([])


def test_the_released_l3score_is_correlated_too() -> None:
    """Where it is the only one; answers without a text's score are left out."""
    scores = [
        {"l3score_released": 0.1, "rouge_l": 0.2},
        {"l3score_released": 0.9, "rouge_l": 0.7},
        {"rouge_l": 0.1},
    ]
    records = [Record(f"p/{place}", "a", "a", scores=each) for place, each in enumerate(scores)]
    run = run_of(records[:2], "m", "t", f"{SPIQA}protocol=both")
    (found,), _ = correlations([replace(run, written=Written(values={"rouge_l": 0.45}))])
    assert (found["correlated_with"], found["metric"], found["n"]) == (
        "l3score_released",
        "rouge_l",
        2,
    )


def test_answers_that_two_judges_scored_are_pooled_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each counts once for each judge; one can be named, and the same answers twice are left
    out.
    """
    names = [(model, judge) for model in "mn" for judge in "ab"]
    scored = {
        name: np.random.default_rng(seed).random(39).tolist() for seed, name in enumerate(names)
    }
    place = write_two_judges(tmp_path, scored)
    status, rows, _ = run_json(capsys, "correlate", place)
    assert status == 0
    pooled = {
        row["judge"]: row
        for row in rows
        if row["model"] == "all runs" and row["metric"] == "rouge_l"
    }
    assert {judge: row["n"] for judge, row in pooled.items()} == {"openai:a": 78, "openai:b": 78}
    _, alone, _ = run_json(capsys, "correlate", place, "--judge", "openai:b")
    assert [row for row in rows if row["judge"] == "openai:b"] == alone
    once = run_with([(0.1, 0.2), (0.2, 0.3)])
    found, remarks = correlations([once, run_with([(0.1, 0.2), (0.2, 0.3)])])
    assert len(found) == 1
    assert remarks == [
        "spiqa_testA of m is left out: x_results.json has answers of the same model and judge, too."
    ]


@pytest.mark.parametrize("partial", [False, True])
def test_parts_of_a_task_are_compared_where_they_are_wanted(
    rows_of: RowsOf, tmp_path: Path, partial: bool
) -> None:
    """Accuracies over orders and resamples are over the answers that there are, or there is one
    sentence.
    """
    tasks = {"plain": ("", 7), "shuffled": ("shuffle=1", 14)}
    write(tmp_path, "m", tasks, rows_of, asked=500)
    runs = load(tmp_path, partial=partial)
    if partial:
        assert spread(runs)[0]["accuracies"] == {0: 0.5, 1: 0.0}
        assert bootstrap(runs[0], 5, 10, 0)["n"] == 14
        return
    with pytest.raises(
        InputError, match="in two orders of the options or with two seeds, found none"
    ):
        spread(runs)
    with pytest.raises(
        InputError,
        match=r"Expected answers of plain and .*; found 0 answers, size 5 and 10 repeats\.",
    ):
        bootstrap(runs[0], 5, 10, 0)


def test_spread_is_over_orders_of_the_options_of_one_model(rows_of: RowsOf, tmp_path: Path) -> None:
    """Range, mean and deviation are those of the accuracies by order; models and splits are kept
    apart.
    """
    for model, wrong in (("a", (0, 7, 14)), ("b", (1, 1, 1))):
        tasks = {f"t{k}": (f"shuffle={k}", count) for k, count in enumerate(wrong)}
        write(tmp_path / model, model, tasks, rows_of)
    first, second = spread(load(tmp_path / "b", tmp_path / "a"))[::-1]
    assert first["accuracies"] == {0: 1.0, 1: 0.5, 2: 0.0}
    assert (first["model"], first["split"], first["range"], first["mean"], first["sd"]) == (
        "a",
        "cs_fig2cap",
        1.0,
        0.5,
        0.5,
    )
    assert second["range"] == second["sd"] == 0
    with pytest.raises(InputError, match="scifibench_shuffle"):
        spread(load(tmp_path / "a")[:1])


def test_spread_is_over_seeds_of_otherwise_equal_runs(rows_of: RowsOf, tmp_path: Path) -> None:
    """Figure 6: a line for each number of examples; orders, and seeds of the model, are lines of
    their own.
    """
    tasks = {f"one{seed}": (f"shots=1,seed={seed}", seed) for seed in range(3)}
    tasks |= {f"two{seed}": (f"shots=2,seed={seed}", 7) for seed in (1, 4)}
    tasks |= {
        "similar": ("shots=2,shot_kind=similar,seed=1", 0),
        "shuffled": ("shots=2,seed=1,shuffle=3", 14),
    }
    write(tmp_path, "m", tasks, rows_of)
    for seed in (5, 12):
        write(
            tmp_path,
            "hf",
            {"plain": ("", seed)},
            rows_of,
            model_args=f"pretrained=x,seed={seed}",
            stamp=str(seed),
        )
    found = {(row["model"], row["settings"], row["over"]): row for row in spread(load(tmp_path))}
    assert {key: row["accuracies"] for key, row in found.items()} == {
        ("m", "shots=1", "seed"): {0: 1.0, 1: 13 / 14, 2: 12 / 14},
        ("m", "shots=2", "seed"): {1: 0.5, 4: 0.5},
        ("m", "shots=2,seed=1", "shuffle"): {0: 0.5, 3: 0.0},
        ("hf,pretrained=x", "", "model seed"): {5: 9 / 14, 12: 2 / 14},
    }
    row = found["m", "shots=1", "seed"]
    assert (row["mean"], row["sd"]) == pytest.approx((statistics.fmean([14, 13, 12]) / 14, 1 / 14))


def test_spread_is_over_any_setting_that_is_named(tmp_path: Path) -> None:
    """Figure B.1: SPIQA's metrics by resolution, the whole pictures last; a setting that no task
    has is refused.
    """
    values = {}
    for place, resolution in enumerate(("full", "448", "224px", "1000")):
        rows = load_rows("spiqa", "demo", f"ablation=text,resolution={resolution}")
        samples = [
            sample_of(row, row["answer"] if number % (place + 2) else "?")
            for number, row in enumerate(rows)
        ]
        options: dict[str, Any] = {"benchmark": "spiqa", "split": "demo", "stamp": str(place)}
        write_run(
            tmp_path,
            "m",
            {f"t{place}": samples},
            settings={f"t{place}": rows[0]["settings"]},
            **options,
        )
        values[resolution] = sum(bool(number % (place + 2)) for number in range(len(rows))) / len(
            rows
        )
    runs = load(tmp_path)
    (row,) = spread(runs, "rouge_l", "resolution")
    assert (row["over"], row["settings"]) == ("resolution", "ablation=text")
    assert list(row["accuracies"]) == ["224px", "448", "1000", "full"]
    assert row["accuracies"] == pytest.approx(values, abs=0.01)
    with pytest.raises(InputError, match="differ by the setting mark alone"):
        spread(runs, None, "mark")


def test_bootstrap_has_the_mean_and_the_variance_of_a_share(
    rows_of: RowsOf, tmp_path: Path
) -> None:
    """100,000 resamples of 500 have the variance p(1-p)/500 of section 4.4."""
    write(tmp_path, "m", {"t": ("", 6)}, rows_of)
    (run,) = load(tmp_path)
    row = bootstrap(run, 500, 100_000, 0)
    p = 8 / 14
    assert (row["n"], row["size"], row["repeats"], row["model"], row["task"]) == (
        14,
        500,
        100_000,
        "m",
        "t",
    )
    assert row["mean"] == pytest.approx(p, abs=3e-4)
    assert row["variance"] == pytest.approx(p * (1 - p) / 500, rel=0.03)
    for size, repeats in ((0, 10), (10, 0)):
        with pytest.raises(InputError, match="at least 1"):
            bootstrap(run, size, repeats, 0)
    assert bootstrap(run, 1, 1, 3)["mean"] in (0.0, 1.0)
    assert bootstrap(run, 5, 9, 3) == bootstrap(run, 5, 9, 3, "accuracy") != bootstrap(run, 5, 9, 4)
