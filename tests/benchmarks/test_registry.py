"""The benchmarks that there are, and the rows of any of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from spiqa_tasks.benchmarks.registry import (
    BENCHMARKS,
    benchmark_of,
    load_rows,
    load_table,
    rows_for_scoring,
    yaml_folder,
)
from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.catalogue import find_tasks


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


def test_table_and_rows_are_the_same() -> None:
    """The columns that the host gets and the rows that the commands get hold the same values in the same order."""
    assert load_table("spiqa", "demo", "seed=3").to_pylist() == load_rows("spiqa", "demo", "seed=3")


def test_the_three_benchmarks_are_there_and_own_their_rows() -> None:
    """Each is registered under its name; a row says whose it is; the demo split has as many rows as it says."""
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


def test_the_yaml_folder_has_the_packages_own() -> None:
    """One folder per benchmark."""
    assert {path.name for path in yaml_folder().iterdir() if path.is_dir()} >= {"spiqa", "mmstar", "scifibench"}
