"""Rows as scoring needs them."""

from __future__ import annotations

from pathlib import Path

import pytest

from spiqa_tasks.benchmarks.for_scoring import rows_for_scoring
from spiqa_tasks.benchmarks.loading import load_rows
from spiqa_tasks.hosts.lmms_eval.catalogue import find_tasks


@pytest.mark.parametrize("name", ["spiqa_demo", "mmstar_demo", "scifibench_demo"])
def test_rows_for_scoring_differ_from_the_whole_ones_in_pictures_only(name: str) -> None:
    """Ids, answers, groups, figure order and settings are the same; no picture is there."""
    (task,) = find_tasks([name])
    whole = load_rows(task.benchmark, task.split, task.settings)
    lean = rows_for_scoring(task.benchmark, task.split, task.settings)
    for row in whole:
        for figure in row.get("figures", []):
            figure["path"] = ""
        if "images" in row:
            row["images"] = []
    assert lean == whole


def test_rows_for_scoring_need_no_archive_and_no_text(real_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The annotation file alone is enough for each setting, that of the full paper among them."""
    monkeypatch.setenv("SPIQA_TASKS_DATA", str(real_data))
    for setting in ("direct", "fullpaper", "cot"):
        rows = rows_for_scoring("spiqa", "testA", f"setting={setting}")
        assert len(rows) == 666
        assert rows[0]["settings"].startswith(f"setting={setting},")
