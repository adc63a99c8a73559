"""The alignment study."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from choice_runs import RowsOf, load, write, write_own
from host_files import FAILED, sample_of
from report_runs import choices, run_of

from spiqa_tasks.analysis.paper.alignment import alignment, summary
from spiqa_tasks.errors import InputError
from spiqa_tasks.scoring.intervals import paired


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
    changes = {
        (row["mark"], row["ignore"]): row
        for row in alignment([*load(tmp_path), run_of(choices([True]))])
    }
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
    same = changes["incorrect", "yes"]
    assert same["high"] == pytest.approx(-same["low"])
    assert same["high"] < 0.2
    assert (row["low"], row["high"]) == (expected.low, expected.high)


def test_alignment_without_its_control_says_what_to_run(rows_of: RowsOf, tmp_path: Path) -> None:
    """A marked task alone has nothing to be compared with, nor has an unmarked one."""
    write(tmp_path / "a", "m", {"marked": ("mark=correct", 0)}, rows_of)
    write(tmp_path / "b", "m", {"plain": ("", 0)}, rows_of)
    messages = {
        "a": (
            "Expected the control of marked of m, the task without a mark, found none. Name its"
            " run, too."
        ),
        "b": "Expected samples of marked tasks, found none. Run `--tasks scifibench_alignment`.",
    }
    for place, message in messages.items():
        with pytest.raises(InputError) as error:
            alignment(load(tmp_path / place))
        assert str(error.value) == message


def test_parts_of_a_task_are_compared_where_they_are_wanted(
    rows_of: RowsOf, tmp_path: Path
) -> None:
    """The change is over the answers that there are, or there is one sentence."""
    write(tmp_path, "m", {"plain": ("", 7), "marked": ("mark=correct", 0)}, rows_of, asked=500)
    (change,) = alignment(load(tmp_path, partial=True))
    assert (change["n"], change["change"]) == (14, 0.5)
    with pytest.raises(InputError) as error:
        alignment(load(tmp_path))
    assert (
        str(error.value)
        == "Expected marked and plain to share questions, found none. Run both in full."
    )


def write_study(folder: Path, rows_of: RowsOf, following: int, ignoring: int) -> None:
    """A control with 2 of 14 wrong, and runs of wrong marks that are followed so often, alone
    and to be ignored.
    """
    write(folder, "m", {"plain": ("", 2)}, rows_of)
    for stamp, task, ignore, count in (
        ("2", "wrong", "no", following),
        ("3", "wrong_ignore", "yes", ignoring),
    ):
        settings = f"mark=incorrect,ignore={ignore}"
        rows = rows_of("cs_fig2cap", settings)
        samples = [
            sample_of(row, row["marked"] if i < count else row["answer"])
            for i, row in enumerate(rows)
        ]
        write_own(folder, "m", {task: samples}, settings={task: settings}, stamp=stamp)


def measured(folder: Path, **wanted: Any) -> dict[tuple[str, str], dict[str, Any]]:
    return {(row["ignore"], row["measure"]): row for row in summary(load(folder, **wanted))}


def test_the_summary_says_how_much_of_the_change_is_taken_back(
    rows_of: RowsOf, tmp_path: Path
) -> None:
    """A mark that costs 10 answers of 14, of which ignoring it brings 6 back: 60%, within its
    interval.
    """
    write_study(tmp_path, rows_of, 12, 6)
    row = measured(tmp_path)["yes", "returned"]
    assert (row["n"], row["value"]) == (14, pytest.approx(6 / 10))
    control, marked, told = (np.arange(14) >= wrong for wrong in (2, 12, 6))
    drawn = np.random.default_rng(1).integers(14, size=(20_000, 14))
    gained, lost = (np.sum(each[drawn], axis=1) for each in (told ^ marked, control ^ marked))
    assert (row["low"], row["high"]) == pytest.approx(
        np.nanquantile(gained / lost, [0.025, 0.975]), abs=0.03
    )


def test_the_summary_says_how_often_a_wrong_mark_is_followed(
    rows_of: RowsOf, tmp_path: Path
) -> None:
    """With and without the instruction, beside the control's answers with the same letters;
    Wilson's intervals.
    """
    write_study(tmp_path, rows_of, 12, 6)
    found = measured(tmp_path)
    assert list(found) == [
        ("no", "follows"),
        ("no", "follows_unmarked"),
        ("yes", "returned"),
        ("yes", "follows"),
    ]
    assert found["no", "follows"]["value"] == 12 / 14
    assert {(row["model"], row["split"], row["mark"]) for row in found.values()} == {
        ("m", "cs_fig2cap", "incorrect")
    }
    assert {row["n"] for row in found.values()} == {14}
    assert found["yes", "follows"]["value"] == 6 / 14
    marks = [row["marked"] for row in rows_of("cs_fig2cap", "mark=incorrect")]
    wrong = [
        next(letter for letter in "ABCDE" if letter != row["answer"])
        for row in rows_of("cs_fig2cap", "")[:2]
    ]
    same = sum(mark == letter for mark, letter in zip(marks, wrong, strict=False))
    assert found["no", "follows_unmarked"]["value"] == same / 14
    assert (found["yes", "follows"]["low"], found["yes", "follows"]["high"]) == pytest.approx(
        (0.2138, 0.6741), abs=1e-4
    )


def test_what_cannot_be_said_is_withheld(rows_of: RowsOf, tmp_path: Path) -> None:
    """A return from a change that may be none, or without the mark alone; marks that old answers
    do not name.
    """
    write_study(tmp_path / "none", rows_of, 2, 1)
    row = measured(tmp_path / "none")["yes", "returned"]
    assert (math.isnan(row["value"]), row["n"]) == (True, 14)
    assert row["why_not"] == "the mark alone changes nothing that can be told from chance"
    write_study(tmp_path / "alone", rows_of, 12, 6)
    for path in (tmp_path / "alone").glob("2_*"):
        path.unlink()
    row = measured(tmp_path / "alone")["yes", "returned"]
    assert row["why_not"] == "there is no run with the same mark and no instruction to ignore it"
    assert (row["n"], math.isnan(row["value"]), row["low"], row["high"]) == (0, True, None, None)
    write_study(tmp_path / "old", rows_of, 12, 6)
    for path in (tmp_path / "old").glob("*_samples_wrong*.jsonl"):
        path.write_text(path.read_text().replace('"marked"', '"other"'))
    for ignore in ("yes", "no"):
        row = measured(tmp_path / "old")[ignore, "follows"]
        assert row["why_not"] == "the answers do not say which caption was marked: score them again"
        assert math.isnan(row["value"])


def test_a_part_is_withheld_and_failed_requests_follow_nothing(
    rows_of: RowsOf, tmp_path: Path
) -> None:
    """With the task and how much of it was answered; a request that failed is no answer to
    count.
    """
    rows = rows_of("cs_fig2cap", "mark=incorrect")
    for place, asked, failed in (("part", 500, 0), ("whole", None, 3)):
        write(tmp_path / place, "m", {"plain": ("", 2)}, rows_of)
        samples = [
            sample_of(row, FAILED if i < failed else row["marked"]) for i, row in enumerate(rows)
        ]
        options: dict[str, Any] = {} if asked is None else {"asked": asked}
        write_own(
            tmp_path / place,
            "m",
            {"wrong": samples},
            settings={"wrong": "mark=incorrect"},
            stamp="2",
            **options,
        )
    row = measured(tmp_path / "part")["no", "follows"]
    assert row["why_not"] == "wrong: 14 of 500 questions were answered, fewer than 99%"
    row = measured(tmp_path / "whole")["no", "follows"]
    assert (row["n"], row["value"]) == (11, 1.0)
