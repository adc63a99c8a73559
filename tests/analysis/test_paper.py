"""Numbers that only the papers report, compared with independent calculations."""

import math
import statistics
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from choice_runs import RowsOf, answered, load, write, write_own
from host_files import sample_of, write_run
from judged_runs import write_judged, write_two_judges
from PIL import Image
from report_runs import choices, run_of
from run_command import run_json

from spiqa_tasks.analysis import paper
from spiqa_tasks.analysis.paper import alignment, bootstrap, by_size, correlations, spread
from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.benchmarks.registry import load_rows, rows_for_scoring
from spiqa_tasks.errors import InputError
from spiqa_tasks.runs.run import Reported, Run
from spiqa_tasks.scoring.intervals import paired

SPIQA = "data:spiqa/testA@d|settings:|judge:openai:j"


def run_with(scores: list[tuple[float, float]], model: str = "m", **changes: Any) -> Run:
    """A run with L3Score and ROUGE-L of every answer."""
    records = [
        Record(f"p/{place}", "a", "a", scores={"l3score": judged, "rouge_l": text})
        for place, (judged, text) in enumerate(scores)
    ]
    mean = sum(text for _, text in scores) / len(scores)
    return replace(
        run_of(records, model, "spiqa_testA", SPIQA),
        reported=Reported(values={"rouge_l": mean}),
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
    assert "spiqa_demo of unjudged: l3score: 0 of 39 answers have a score" in errors
    rouge = {row["model"]: row for row in rows if row["metric"] == "rouge_l"}
    assert {model: row["n"] for model, row in rouge.items()} == {"a": 39, "b": 39, "all runs": 78}
    from scipy.stats import rankdata

    from spiqa_tasks.metrics.text_scores import text_scores

    pairs = []
    for place, row in enumerate(rows_for_scoring("spiqa", "demo", "")):
        words = row["answer"].split()
        pairs.append((" ".join(words[: 1 + place % len(words)]), row["answer"]))
    lengths = text_scores(pairs, ["rouge_l"])["rouge_l"].per_item
    expected = np.corrcoef(rankdata(scores["a"]), rankdata(lengths))[0, 1]
    assert rouge["a"]["spearman"] == pytest.approx(expected)


def test_scores_over_a_part_are_withheld_and_not_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A judge was asked: the remedy is --partial."""
    write_judged(tmp_path, "a", [0.5] * 39)
    (samples,) = tmp_path.rglob("*_samples_*.jsonl")
    samples.write_text("".join(samples.read_text().splitlines(keepends=True)[:9]))
    status, _, errors = run_json(capsys, "correlate", tmp_path)
    assert status == 2
    assert "of a: 9 of 39 questions were answered, fewer than 99%; --partial prints" in errors
    assert "it has no L3Score" not in errors


def test_only_pairs_of_scores_are_correlated() -> None:
    """Three answers in the same order have a rho of 1; of all runs together it is another."""
    found = correlations(
        [run_with([(0.1, 0.2), (0.2, 0.3), (0.9, 0.4)]), run_with([(0.5, 0.9), (0.6, 0.1)], "n")]
    )
    shared = {
        "task": "spiqa_testA",
        "metric": "rouge_l",
        "correlated_with": "l3score",
        "judge": "openai:j",
    }
    assert found[:2] == [
        {**shared, "model": "m", "n": 3, "spearman": pytest.approx(1.0)},
        {**shared, "model": "n", "n": 2, "spearman": pytest.approx(-1.0)},
    ]
    assert (found[2]["model"], found[2]["task"], found[2]["n"]) == ("all runs", "", 5)
    assert len(found) == 3
    assert len(correlations([run_with([(0.1, 0.2), (0.2, 0.3)])])) == 1


@pytest.mark.parametrize(
    "scores", [[(0.5, 0.1)], [(0.5, 0.1), (0.5, 0.9)], [(0.1, 0.5), (0.9, 0.5)]]
)
def test_a_correlation_that_is_not_defined_is_nan(scores: list[tuple[float, float]]) -> None:
    """One answer, or all of the same score."""
    (found,) = correlations([run_with(scores)])
    assert found["n"] == len(scores)
    assert math.isnan(found["spearman"])


@pytest.mark.parametrize("partial", [False, True])
def test_a_part_of_a_task_is_correlated_where_it_is_wanted(partial: bool) -> None:
    """Else the run is left out."""
    whole = run_with([(0.1, 0.2), (0.2, 0.3)])
    part = run_with([(0.1, 0.2), (0.2, 0.3)], "n", asked=9, partial=partial)
    found = correlations([whole, part])
    assert [each["model"] for each in found] == (["m", "n", "all runs"] if partial else ["m"])


def test_without_any_l3score_there_is_one_sentence() -> None:
    """It says what to do."""
    with pytest.raises(InputError, match=r"found none\. Run with a judge, or judge the answers"):
        correlations([run_of(choices([True]))])


def test_answers_that_two_judges_scored_are_pooled_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each counts once for each judge, and one judge can be named."""
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
    of_judge = [row for row in rows if row["judge"] == "openai:b"]
    assert [{**row, "model": row["model"].partition(" (judge")[0]} for row in of_judge] == alone


@pytest.mark.parametrize("partial", [False, True])
def test_a_part_of_a_task_is_measured_where_it_is_wanted(
    rows_of: RowsOf, tmp_path: Path, partial: bool
) -> None:
    """Values are over the answers that there are, or there is one sentence."""
    tasks = {"plain": ("", 7), "shuffled": ("shuffle=1", 14), "marked": ("mark=correct", 0)}
    write(tmp_path, "m", tasks, rows_of, asked=500)
    runs = load(tmp_path, partial=partial)
    if partial:
        assert spread(runs, None, "shuffle")[0]["accuracies"] == {0: 0.5, 1: 0.0}
        assert bootstrap(runs, None)[0]["n"] == 14
        (change,) = alignment(runs, None)
        assert (change["n"], change["change"], change["questions"]) == (14, 0.5, "14 of 500")
        return
    with pytest.raises(InputError, match="that differ in shuffle alone, found none"):
        spread(runs, None, "shuffle")
    with pytest.raises(InputError, match=r"Expected scored answers to .*, found none"):
        bootstrap(runs, None)
    with pytest.raises(InputError, match="Expected runs of tasks with a mark"):
        alignment(runs, None)


def test_spread_is_over_orders_of_the_options_of_one_model(rows_of: RowsOf, tmp_path: Path) -> None:
    """Range, mean and deviation are those of the accuracies by order, for each model."""
    for model, wrong in (("a", (0, 7, 14)), ("b", (1, 1, 1))):
        tasks = {f"t{k}": (f"shuffle={k}", count) for k, count in enumerate(wrong)}
        write(tmp_path / model, model, tasks, rows_of)
    second, first = spread(load(tmp_path / "b", tmp_path / "a"), None, "shuffle")
    assert first["accuracies"] == {0: 1.0, 1: 0.5, 2: 0.0}
    assert (first["model"], first["split"], first["range"], first["mean"], first["sd"]) == (
        "a",
        "cs_fig2cap",
        1.0,
        0.5,
        0.5,
    )
    assert second["range"] == second["sd"] == 0


def test_spread_is_over_numbers_and_seeds_of_examples(rows_of: RowsOf, tmp_path: Path) -> None:
    """Figure 6: a row over the numbers of examples, and one over the seeds for each number."""
    tasks = {f"one{seed}": (f"shots=1,seed={seed}", seed) for seed in range(3)}
    tasks |= {f"two{seed}": (f"shots=2,seed={seed}", 7) for seed in (1, 4)}
    tasks |= {
        "plain": ("", 3),
        "similar": ("shots=2,shot_kind=similar,seed=1", 0),
        "shuffled": ("shots=2,seed=1,shuffle=3", 14),
    }
    write(tmp_path, "m", tasks, rows_of)
    found = {
        (row["over"], row["settings"]): row for row in spread(load(tmp_path), None, "shots,seed")
    }
    assert {key: row["accuracies"] for key, row in found.items()} == {
        ("shots", ""): {0: 11 / 14, 1: 1.0},
        ("shots", "seed=1"): {1: 13 / 14, 2: 0.5},
        ("seed", "shots=1"): {0: 1.0, 1: 13 / 14, 2: 12 / 14},
        ("seed", "shots=2"): {1: 0.5, 4: 0.5},
    }
    row = found["seed", "shots=1"]
    assert (row["mean"], row["sd"]) == pytest.approx((statistics.fmean([14, 13, 12]) / 14, 1 / 14))


def test_spread_over_resolutions_ends_with_the_whole_pictures(tmp_path: Path) -> None:
    """Figure B.1: SPIQA's metrics by resolution, in the order of the edges."""
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
        right = sum(bool(number % (place + 2)) for number in range(len(rows)))
        values[resolution] = right / len(rows)
    (row,) = spread(load(tmp_path), "rouge_l", "resolution")
    assert (row["over"], row["settings"]) == ("resolution", "ablation=text")
    assert list(row["accuracies"]) == ["224px", "448", "1000", "full"]
    assert row["accuracies"] == pytest.approx(values, abs=0.01)


def test_bootstrap_has_the_mean_and_the_variance_of_a_share(
    rows_of: RowsOf, tmp_path: Path
) -> None:
    """Resamples of 500 have the variance p(1-p)/500 of section 4.4."""
    write(tmp_path, "m", {"t": ("", 6)}, rows_of)
    (row,) = bootstrap(load(tmp_path), None)
    p = 8 / 14
    assert (row["n"], row["size"]) == (14, 500)
    assert row["mean"] == pytest.approx(p)
    assert row["variance"] == pytest.approx(p * (1 - p) / 500)


def test_bootstrap_has_the_mean_and_the_variance_of_drawn_resamples() -> None:
    """Of scores between 0 and 1: as 20,000 resamples of 500 have, to within 5%, five standard
    errors of a variance.
    """
    scores = np.random.default_rng(1).beta(0.3, 0.8, size=60)
    drawn = np.random.default_rng(2).choice(scores, size=(20_000, 500)).mean(axis=1)
    (row,) = bootstrap([run_with([(score, score) for score in scores.tolist()])], "rouge_l")
    assert row["mean"] == pytest.approx(drawn.mean(), abs=5e-4)
    assert row["variance"] == pytest.approx(drawn.var(), rel=0.05)


@pytest.mark.parametrize(
    ("measure", "split"), [("caption_length", "cs_fig2cap"), ("figure_size", "general_cap2fig")]
)
def test_every_question_is_in_one_bin_of_sizes(
    rows_of: RowsOf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, measure: str, split: str
) -> None:
    """Bins are filled evenly, follow each other and hold the hits of the questions within their
    ends.
    """
    monkeypatch.setattr(paper, "BINS", 3)
    rows = rows_of(split, "")
    task = f"scifibench_{split}_grey"
    samples = {task: answered(rows_of(split, "ablation=grey"), 6)}
    write_own(tmp_path, "m", samples, settings={task: "ablation=grey"}, split=split)
    bins = [row for row in by_size(load(tmp_path), "accuracy") if row["by"] == measure]

    def size(row: dict[str, Any]) -> float:
        if measure == "caption_length":
            return len(row["caption"].split())
        return statistics.fmean(math.prod(Image.open(path).size) for path in row["images"])

    assert len(bins) == 3
    assert sum(each["n"] for each in bins) == len(rows)
    for each in bins:
        low, high = map(int, each["group"].split(" to "))
        inside = [index for index, row in enumerate(rows) if low <= round(size(row)) <= high]
        assert each["n"] == len(inside)
        assert each["value"] == pytest.approx(sum(index >= 6 for index in inside) / len(inside))
        assert each["low"] <= each["value"] <= each["high"]
    ends = [int(end) for each in bins for end in each["group"].split(" to ")]
    assert ends == sorted(ends)


def test_alignment_is_the_paired_change_against_the_control(
    rows_of: RowsOf, tmp_path: Path
) -> None:
    """Each marked task has its change, with an interval that holds it, also where nothing
    varies.
    """
    marked = {
        "scifibench_cs_fig2cap": ("", 7),
        "scifibench_cs_fig2cap_marked_correct": ("mark=correct", 0),
        "scifibench_cs_fig2cap_marked_incorrect_ignore": ("mark=incorrect,ignore=yes", 7),
        "scifibench_cs_fig2cap_marked_incorrect": ("mark=incorrect", 14),
    }
    write(tmp_path, "m", marked, rows_of)
    changes = {(row["mark"], row["ignore"]): row for row in alignment(load(tmp_path), None)}
    assert {key: row["change"] for key, row in changes.items()} == pytest.approx(
        {("correct", "no"): 0.5, ("incorrect", "yes"): 0.0, ("incorrect", "no"): -0.5}
    )
    assert all(
        row["low"] <= row["change"] <= row["high"] and row["n"] == 14 for row in changes.values()
    )
    row = changes["correct", "no"]
    assert (row["model"], row["split"], row["control"], row["accuracy"]) == (
        "m",
        "cs_fig2cap",
        0.5,
        1.0,
    )
    expected = paired([0.0] * 7 + [1.0] * 7, [1.0] * 14)
    assert (row["low"], row["high"]) == (expected.low, expected.high)


@pytest.mark.parametrize("settings", ["mark=correct", ""])
def test_alignment_needs_a_marked_task_and_its_control(
    rows_of: RowsOf, tmp_path: Path, settings: str
) -> None:
    """One of both alone has nothing to be compared with."""
    write(tmp_path, "m", {"task": (settings, 0)}, rows_of)
    with pytest.raises(InputError, match="Run `--tasks scifibench_alignment`"):
        alignment(load(tmp_path), None)
