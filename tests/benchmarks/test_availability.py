"""Whether a task's files are there."""

from __future__ import annotations

from pathlib import Path

import pytest

from spiqa_tasks.benchmarks.availability import is_there
from spiqa_tasks.files.source import HubSource, LocalSource


def place(root: Path, *names: str) -> LocalSource:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    return LocalSource(root)


def test_the_demo_set_is_always_there(tmp_path: Path) -> None:
    """It is shipped, whatever the data folder has."""
    assert is_there(LocalSource(tmp_path), "spiqa", "demo", "")
    assert is_there(LocalSource(tmp_path), "scifibench", "demo_fig2cap", "")
    assert not is_there(LocalSource(tmp_path), "spiqa", "testA", "")


def test_every_file_that_a_task_reads_must_be_there(tmp_path: Path) -> None:
    """Annotations alone are enough where no picture is shown; the full paper's texts are another file."""
    source = place(tmp_path, "spiqa/test-A/SPIQA_testA.json")
    assert is_there(source, "spiqa", "testA", "ablation=text")
    assert not is_there(source, "spiqa", "testA", "")
    place(tmp_path, "spiqa/test-A/SPIQA_testA_Images.zip")
    assert is_there(source, "spiqa", "testA", "")
    assert not is_there(source, "spiqa", "testA", "setting=fullpaper")
    place(tmp_path, "spiqa/SPIQA_train_val_test-A_extracted_paragraphs.zip")
    assert is_there(source, "spiqa", "testA", "setting=fullpaper")


def test_an_extracted_folder_stands_for_its_archive(tmp_path: Path) -> None:
    """The folder beside it has the archive's name."""
    source = place(tmp_path, "spiqa/test-A/SPIQA_testA.json", "spiqa/test-A/SPIQA_testA_Images/p/a.png")
    assert is_there(source, "spiqa", "testA", "")


@pytest.mark.parametrize("archive", ["SPIQA_testA_Images", "SPIQA_testA_Images_224px"])
def test_small_pictures_may_be_the_releases_or_made_here(tmp_path: Path, archive: str) -> None:
    """Either archive is enough for 224px; full pictures need the full one."""
    source = place(tmp_path, "spiqa/test-A/SPIQA_testA.json", f"spiqa/test-A/{archive}.zip")
    assert is_there(source, "spiqa", "testA", "resolution=224px")
    assert is_there(source, "spiqa", "testA", "") == (archive == "SPIQA_testA_Images")


def test_a_split_of_two_files_needs_both(tmp_path: Path) -> None:
    """Captioning draws from both subsets."""
    source = place(tmp_path, "scifibench/data/CS_Figure2Caption-00000-of-00001.parquet")
    assert is_there(source, "scifibench", "cs_fig2cap", "")
    assert not is_there(source, "scifibench", "captioning", "prompt=caption")
    place(tmp_path, "scifibench/data/General_Figure2Caption-00000-of-00001.parquet")
    assert is_there(source, "scifibench", "captioning", "prompt=caption")


def test_the_hubs_cache_is_looked_at_and_no_server_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A snapshot at the pinned revision counts by the files that it holds."""
    from spiqa_tasks.files.source import MMSTAR

    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr("huggingface_hub._snapshot_download.constants.HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr("socket.socket.connect", lambda *_: pytest.fail("a server was asked"))
    assert not is_there(HubSource(), "mmstar", "val", "")
    snapshot = tmp_path / "datasets--Lin-Chen--MMStar" / "snapshots" / MMSTAR.revision
    snapshot.mkdir(parents=True)
    assert not is_there(HubSource(), "mmstar", "val", "")
    (snapshot / "mmstar.parquet").touch()
    assert is_there(HubSource(), "mmstar", "val", "")
