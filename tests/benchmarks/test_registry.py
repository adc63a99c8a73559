"""The benchmarks that there are, and the rows of any of them."""

from pathlib import Path

import pytest

from spiqa_tasks.benchmarks.registry import (
    BENCHMARKS,
    benchmark_of,
    known_figures,
    load_rows,
    load_table,
    rows_for_scoring,
)
from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.catalogue import find_tasks


@pytest.mark.parametrize("name", ["spiqa_demo", "mmstar_demo", "scifibench_demo"])
def test_rows_for_scoring_differ_from_the_whole_ones_in_pictures_only(name: str) -> None:
    """Ids, answers, groups, figure order and settings are the same; no picture is there."""
    (task,) = find_tasks([name])
    whole = load_rows(task.benchmark_name, task.split, task.settings_text)
    lean = rows_for_scoring(task.benchmark_name, task.split, task.settings_text)
    for row in whole:
        for figure in row.get("figures", []):
            figure["path"] = ""
        if "images" in row:
            row["images"] = []
    assert lean == whole


def test_rows_for_scoring_need_no_archive_and_no_text(
    real_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The annotation file alone is enough for each setting, that of the full paper among them."""
    monkeypatch.setenv("SPIQA_TASKS_DATA", str(real_data))
    for setting in ("direct", "fullpaper", "cot"):
        rows = rows_for_scoring("spiqa", "testA", f"setting={setting}")
        assert len(rows) == 666
        assert rows[0]["settings"].startswith(f"setting={setting},")


def test_the_three_benchmarks_are_there_and_own_their_rows() -> None:
    """Each is registered under its name; a row says whose it is; the demo split has as many rows
    as it says.
    """
    assert set(BENCHMARKS) >= {"spiqa", "mmstar", "scifibench"}
    for name in ("spiqa", "mmstar", "scifibench"):
        rows = load_rows(name, "demo", "ablation=text")
        assert len(rows) == BENCHMARKS[name].splits["demo"]
        assert {benchmark_of(row).name for row in rows} == {name}
        assert load_table(name, "demo", "ablation=text").num_rows == len(rows)


def test_a_split_that_the_benchmark_lacks_is_refused() -> None:
    """The message names the benchmark and its splits."""
    with pytest.raises(InputError, match="a split of mmstar among val, demo; found 'test'"):
        load_rows("mmstar", "test", "")


def test_the_figures_of_papers_are_known_without_their_pictures() -> None:
    """Those of the demo; a benchmark without papers has none."""
    figures = known_figures("spiqa", "demo")
    for row in load_rows("spiqa", "demo", "ablation=text"):
        assert {figure["file"] for figure in row["figures"]} <= set(figures[row["paper_id"]])
    assert known_figures("mmstar", "demo") == {}
