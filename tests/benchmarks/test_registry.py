"""The benchmarks that there are, and the rows of any of them."""

from pathlib import Path

import pytest

from spiqa_tasks.benchmarks.registry import (
    BENCHMARKS,
    Task,
    benchmark_of,
    has_files,
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


def place(root: Path, *names: str) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()


def has_data(benchmark: str, split: str, settings: str) -> bool:
    return has_files(Task("task", benchmark, split, settings))


def test_every_file_that_a_task_reads_must_be_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Annotations alone are enough where no picture is shown; the full paper's texts are another
    file.
    """
    monkeypatch.setenv("SPIQA_TASKS_DATA", str(tmp_path))
    place(tmp_path, "spiqa/test-A/SPIQA_testA.json")
    assert has_data("spiqa", "testA", "ablation=text")
    assert not has_data("spiqa", "testA", "")
    place(tmp_path, "spiqa/test-A/SPIQA_testA_Images.zip")
    assert has_data("spiqa", "testA", "")
    assert not has_data("spiqa", "testA", "setting=fullpaper")
    place(tmp_path, "spiqa/SPIQA_train_val_test-A_extracted_paragraphs.zip")
    assert has_data("spiqa", "testA", "setting=fullpaper")


@pytest.mark.parametrize("archive", ["SPIQA_testA_Images", "SPIQA_testA_Images_224px"])
def test_small_pictures_are_an_archive_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, archive: str
) -> None:
    """As full ones are."""
    monkeypatch.setenv("SPIQA_TASKS_DATA", str(tmp_path))
    place(tmp_path, "spiqa/test-A/SPIQA_testA.json", f"spiqa/test-A/{archive}.zip")
    assert has_data("spiqa", "testA", "resolution=224px") == archive.endswith("_224px")
    assert has_data("spiqa", "testA", "") == (archive == "SPIQA_testA_Images")


def test_the_hubs_cache_is_looked_at_and_no_server_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A snapshot at the pinned revision counts by the files that it holds."""
    from spiqa_tasks.files.source import MMSTAR

    monkeypatch.delenv("SPIQA_TASKS_DATA", raising=False)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr("huggingface_hub._snapshot_download.constants.HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr("socket.socket.connect", lambda *_: pytest.fail("a server was asked"))
    assert not has_data("mmstar", "val", "")
    snapshot = tmp_path / "datasets--Lin-Chen--MMStar" / "snapshots" / MMSTAR.revision
    snapshot.mkdir(parents=True)
    assert not has_data("mmstar", "val", "")
    (snapshot / "mmstar.parquet").touch()
    assert has_data("mmstar", "val", "")


def test_the_figures_of_papers_are_known_without_their_pictures() -> None:
    """Those of the demo; a benchmark without papers has none."""
    figures = known_figures("spiqa", "demo")
    for row in load_rows("spiqa", "demo", "ablation=text"):
        assert {figure["file"] for figure in row["figures"]} <= set(figures[row["paper_id"]])
    assert known_figures("mmstar", "demo") == {}
