"""Accuracy by length of captions and by size of figures, compared with counts of the answers."""

import math
import statistics
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from choice_runs import answered, write_own
from PIL import Image
from run_command import run_json

from spiqa_tasks.analysis.paper import sizes
from spiqa_tasks.analysis.paper.sizes import by_size
from spiqa_tasks.runs.loading import load_runs
from spiqa_tasks.runs.paths import RunPath

RowsOf = Callable[[str, str], list[dict[str, Any]]]


@pytest.mark.parametrize(
    ("name", "split"), [("caption_length", "cs_fig2cap"), ("figure_size", "general_cap2fig")]
)
def test_every_question_is_in_one_bin(
    rows_of: RowsOf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, split: str
) -> None:
    """Bins are filled evenly, follow each other and hold the hits of the questions within their
    ends.
    """
    monkeypatch.setattr(sizes, "BINS", 3)
    rows = rows_of(split, "")
    task = f"scifibench_{split}_grey"
    samples = {task: answered(rows_of(split, "ablation=grey"), 6)}
    write_own(tmp_path, "m", samples, settings={task: "ablation=grey"}, split=split)
    (run,), _ = load_runs([RunPath(tmp_path)])
    groups = by_size(run, run.metric("accuracy"), name)

    def value(row: dict[str, Any]) -> float:
        if name == "caption_length":
            return len(row["caption"].split())
        return statistics.fmean(math.prod(Image.open(path).size) for path in row["images"])

    assert len(groups) == 3
    assert sum(group.n for group in groups) == len(rows)
    for group in groups:
        low, high = map(int, group.group.split(" to "))
        inside = [index for index, row in enumerate(rows) if low <= round(value(row)) <= high]
        assert group.n == len(inside)
        assert group.value == pytest.approx(sum(index >= 6 for index in inside) / len(inside))
        assert group.low is not None
        assert group.high is not None
        assert group.low <= group.value <= group.high
    ends = [int(end) for group in groups for end in group.group.split(" to ")]
    assert ends == sorted(ends)


def test_the_figure_is_made_again(
    rows_of: RowsOf, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A row per bin of both measures."""
    task = "scifibench_cs_fig2cap"
    samples = {task: answered(rows_of("cs_fig2cap", ""), 6)}
    write_own(tmp_path, "m", samples, settings={task: ""}, split="cs_fig2cap")
    status, found, _ = run_json(capsys, "paper", "scifibench", "figure8", tmp_path)
    assert status == 0
    assert {row["by"] for row in found} == {"caption_length", "figure_size"}
    assert all(row["task"] == task for row in found)
