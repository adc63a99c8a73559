"""Breakdowns, alignment, spread and bootstrap of multiple-choice runs, through the command."""

from __future__ import annotations

import itertools
import json
import math
import statistics
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from host_files import choice_sample, write_run
from PIL import Image

from spiqa_tasks.benchmarks.choice.records import choice_records
from spiqa_tasks.benchmarks.loading import load_rows
from spiqa_tasks.cli import main
from spiqa_tasks.files.source import LocalSource

Rows = list[dict[str, Any]]


@pytest.fixture
def data(scifibench_release: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], Rows]:
    """The rows of a split; the command finds the same data."""
    monkeypatch.setenv("SPIQA_TASKS_DATA", str(scifibench_release))
    return lambda split, settings: load_rows("scifibench", split, settings, LocalSource(scifibench_release))


def answered(rows: Rows, wrong: int) -> list[dict[str, Any]]:
    """All right but the first `wrong` ones."""
    return [
        choice_sample(row, next(letter for letter in "ABCDE" if (letter == row["answer"]) != (index < wrong)))
        for index, row in enumerate(rows)
    ]


def output(capsys: pytest.CaptureFixture[str], *arguments: Any) -> Any:
    assert main([*map(str, arguments), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def wilson(hits: int, n: int) -> tuple[float, float]:
    """The interval as the two shares whose normal test just accepts the observed one, by bisection."""
    z, share = 1.959963984540054, hits / n

    def edge(inside: float, outside: float) -> float:
        for _ in range(80):
            middle = (inside + outside) / 2
            deviation = abs(share - middle) / math.sqrt(middle * (1 - middle) / n) if 0 < middle < 1 else math.inf
            inside, outside = (middle, outside) if deviation <= z else (inside, middle)
        return inside

    return edge(share, 0.0), edge(share, 1.0)


def test_breakdown_by_category_has_every_category_and_all(
    data: Callable[[str, str], Rows], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Counts, accuracies and Wilson intervals are those of the answers of each category."""
    rows = data("cs_fig2cap", "")
    write_run(tmp_path, "m", {"scifibench_cs_fig2cap": answered(rows, 5)})
    groups = {group["group"]: group for group in output(capsys, "breakdown", tmp_path)}
    assert set(groups) == {"cs.CV", "cs.LG", "other cs", "cross-list", "all"}
    for name, group in groups.items():
        mine = [index for index, row in enumerate(rows) if name in (row["category"], "all")]
        hits = sum(index >= 5 for index in mine)
        assert (group["n"], group["accuracy"]) == (len(mine), pytest.approx(hits / len(mine)))
        assert (group["low"], group["high"]) == pytest.approx(wilson(hits, len(mine)), abs=1e-6)
    assert groups["all"]["model"] == "openai m"


@pytest.mark.parametrize(("by", "split"), [("caption_length", "cs_fig2cap"), ("figure_size", "general_cap2fig")])
def test_breakdown_by_property_puts_every_question_into_one_bin(
    data: Callable[[str, str], Rows], tmp_path: Path, capsys: pytest.CaptureFixture[str], by: str, split: str
) -> None:
    """Bins are filled evenly, follow each other and hold the hits of the questions within their ends."""
    rows = data(split, "")
    write_run(tmp_path, "m", {f"scifibench_{split}_grey": answered(data(split, "ablation=grey"), 6)})
    groups = output(capsys, "breakdown", tmp_path, "--by", by, "--bins", 3)

    def value(row: dict[str, Any]) -> float:
        if by == "caption_length":
            return len(row["caption"].split())
        return statistics.fmean(math.prod(Image.open(path).size) for path in row["images"])

    assert len(groups) == 3
    assert sum(group["n"] for group in groups) == len(rows)
    for group in groups:
        inside = [index for index, row in enumerate(rows) if group["low_value"] <= value(row) <= group["high_value"]]
        assert group["n"] == len(inside)
        assert group["accuracy"] == pytest.approx(sum(index >= 6 for index in inside) / len(inside))
    assert all(one["high_value"] < two["low_value"] for one, two in itertools.pairwise(groups))


def test_alignment_is_the_paired_change_against_the_control(
    data: Callable[[str, str], Rows], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each marked task has its change, with an interval that holds it and is 0 wide where nothing varies."""
    write_run(
        tmp_path,
        "m",
        {
            "scifibench_cs_fig2cap": answered(data("cs_fig2cap", ""), 7),
            "scifibench_cs_fig2cap_marked_correct": answered(data("cs_fig2cap", "mark=correct"), 0),
            "scifibench_cs_fig2cap_marked_incorrect_ignore": answered(
                data("cs_fig2cap", "mark=incorrect,ignore=yes"), 7
            ),
            "scifibench_cs_fig2cap_marked_incorrect": answered(data("cs_fig2cap", "mark=incorrect"), 14),
        },
    )
    changes = {(row["mark"], row["ignore"]): row for row in output(capsys, "alignment", tmp_path)}
    assert {key: row["change"] for key, row in changes.items()} == pytest.approx(
        {("correct", "no"): 0.5, ("incorrect", "yes"): 0.0, ("incorrect", "no"): -0.5}
    )
    assert all(row["low"] <= row["change"] <= row["high"] and row["n"] == 14 for row in changes.values())
    same = changes["incorrect", "yes"]
    assert (same["low"], same["high"]) == (0, 0)
    # 7 of 14 differences are 1: the interval is that of a binomial share
    assert changes["correct", "no"]["low"] == pytest.approx(0.5 - 1.96 * math.sqrt(0.25 / 14), abs=0.05)


def test_alignment_without_its_control_says_what_to_run(
    data: Callable[[str, str], Rows], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A marked task alone has nothing to be compared with."""
    write_run(tmp_path, "m", {"marked": answered(data("cs_fig2cap", "mark=correct"), 0)})
    assert main(["alignment", str(tmp_path)]) == 2
    assert "scifibench_alignment" in capsys.readouterr().err


def test_spread_is_over_orders_of_the_options_of_one_model(
    data: Callable[[str, str], Rows], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Range, mean and deviation are those of the accuracies by order; models and splits are kept apart."""
    for model, wrong in (("a", (0, 7, 14)), ("b", (1, 1, 1))):
        tasks = {f"t{k}": answered(data("cs_fig2cap", f"shuffle={k}"), count) for k, count in enumerate(wrong)}
        write_run(tmp_path / model, model, tasks)
    first, second = output(capsys, "spread", tmp_path / "a", tmp_path / "b")
    assert first["accuracies"] == {"0": 1.0, "1": 0.5, "2": 0.0}
    assert (first["range"], first["mean"], first["sd"]) == (1.0, 0.5, 0.5)
    assert second["range"] == second["sd"] == 0
    assert main(["spread", str(tmp_path / "a"), "--task", "t0"]) == 2
    assert "scifibench_shuffle" in capsys.readouterr().err


def test_bootstrap_has_the_mean_and_the_variance_of_a_share(
    data: Callable[[str, str], Rows], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """100,000 resamples of 500 have the variance p(1-p)/500 of section 4.4, which the table shows times 100."""
    write_run(tmp_path, "m", {"t": answered(data("cs_fig2cap", ""), 6)})
    (row,) = output(capsys, "bootstrap", tmp_path)
    p = 8 / 14
    assert row["mean"] == pytest.approx(p, abs=3e-4)
    assert row["variance"] == pytest.approx(p * (1 - p) / 500, rel=0.03)
    assert main(["bootstrap", str(tmp_path)]) == 0
    assert capsys.readouterr().out.split()[-2:] == [f"{100 * p:.1f}", "0.049"]


def test_newest_run_counts_and_failed_requests_do_not(
    data: Callable[[str, str], Rows], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A task run again replaces the older answers; an answer without a score is left out of n."""
    rows = data("cs_fig2cap", "")
    write_run(tmp_path, "m", {"t": answered(rows, 14)}, "20250101")
    newer = answered(rows, 0)
    newer[0] = choice_sample(rows[0], "[LMMS_EVAL_REQUEST_FAILED after 5 retries] boom")
    write_run(tmp_path, "m", {"t": newer}, "20250102")
    everything = output(capsys, "breakdown", tmp_path)[-1]
    assert (everything["group"], everything["n"], everything["accuracy"]) == ("all", 13, 1.0)


@pytest.mark.parametrize("command", ["breakdown", "bootstrap", "alignment", "spread"])
def test_nothing_to_read_is_one_sentence(command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An empty folder, a run without samples and a metric that is not there end with status 2."""
    assert main([command, str(tmp_path)]) == 2
    write_run(tmp_path, "m", {"t": []})
    assert main([command, str(tmp_path), "--metric", "accuracy_llm"]) == 2
    (tmp_path / "20250101_samples_t.jsonl").write_text("{broken")
    assert main([command, str(tmp_path)]) == 2
    assert capsys.readouterr().err.count("Expected") == 3


def test_breakdown_reads_other_metrics_and_mmstar(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """MMStar's released accuracy by category comes from its own records."""
    rows = load_rows("mmstar", "demo", "ablation=text")
    samples = [choice_records(row, f"The answer is {row['answer']}") for row in rows]
    samples[0] = choice_records(rows[0], "It must be so: **" + rows[0]["answer"] + "**")
    write_run(tmp_path, "m", {"mmstar_demo": samples})
    released = output(capsys, "breakdown", tmp_path, "--metric", "accuracy_released")
    assert released[-1]["accuracy"] == pytest.approx((len(rows) - 1) / len(rows))
    assert {group["group"] for group in released} == {row["category"] for row in rows} | {"all"}
    assert main(["breakdown", str(tmp_path), "--by", "caption_length"]) == 2
