"""SPIQA's pictures: stand-ins for real annotations, small ones, packed ones, and the settings that choose them."""

from __future__ import annotations

import io
import json
import os
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from spiqa_tasks.benchmarks.prompting import Picture
from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.benchmarks.spiqa.prompts import prompt
from spiqa_tasks.errors import DataError
from spiqa_tasks.files.cache_folder import cache_folder
from spiqa_tasks.files.source import LocalSource, demo_source

PAPER_C = {
    "arxiv_id": "1234.5678",
    "question": ["How many?"],
    "question_key": ["0"],
    "answer": [{"free_form_answer": "Three", "yes_no": None}],
    "referred_figures_tables": [["1-Table1-1.png"]],
    "figures_and_tables": [{"file": f"{n}-Table{n}-1.png", "caption": f"Table {n}."} for n in range(1, 12)],
    "full_text": [{"section_name": "Introduction", "paragraphs": ["One."]}],
}


@pytest.fixture
def stand_in(tmp_path: Path) -> Path:
    path = tmp_path / "one.png"
    Image.new("RGB", (400, 300), "red").save(path)
    return path


def place(picture: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    os.link(picture, target)


def shown(row: dict[str, Any]) -> list[Path]:
    return [Path(part.path) for part in prompt(row) if isinstance(part, Picture)]


@pytest.mark.parametrize("settings", ["", "setting=cot,max_figures=0", "resolution=224px", "setting=perfigure"])
def test_real_test_b_shows_its_figures_in_every_setting(
    real_data: Path, tmp_path: Path, stand_in: Path, settings: str
) -> None:
    """Six real papers of test-B: every figure shown has its picture at the annotations' own place."""
    folder = tmp_path / "data" / "spiqa" / "test-B"
    annotations = real_data / "spiqa/test-B/SPIQA_testB.json"
    for paper in json.loads(annotations.read_text()).values():
        for name in paper["all_figures_tables"]:
            if not (folder / "SPIQA_testB_Images" / name).exists():
                place(stand_in, folder / "SPIQA_testB_Images" / name)
    shutil.copy(annotations, folder)
    rows = load_rows("spiqa", "testB", settings, LocalSource(tmp_path / "data"))
    assert len({row["question_id"] for row in rows}) == 19
    size = (224, 224) if "224px" in settings else (400, 300)
    for row in rows[:40]:
        pictures = shown(row)
        assert len(pictures) == len(row["figures"]) >= 1
        assert {Image.open(path).size for path in pictures} == {size}


def test_test_c_in_the_release_schema_shows_figures_below_the_arxiv_id(tmp_path: Path, stand_in: Path) -> None:
    """A paper of test-C with eleven tables shows eight by default, all with max_figures=0."""
    folder = tmp_path / "spiqa" / "test-C"
    for figure in PAPER_C["figures_and_tables"]:
        place(stand_in, folder / "SPIQA_testC_Images" / "1234.5678" / figure["file"])
    (folder / "SPIQA_testC.json").write_text(json.dumps({"key": PAPER_C}))
    source = LocalSource(tmp_path)
    assert len(shown(load_rows("spiqa", "testC", "", source)[0])) == 8
    everything = load_rows("spiqa", "testC", "max_figures=0", source)[0]
    assert {path.parent.name for path in shown(everything)} == {"1234.5678"}
    assert len(everything["figures"]) == 11


def test_small_pictures_come_from_the_releases_archive() -> None:
    """The demo set has a 224px archive: its own pictures are shown, not resized ones."""
    row = load_rows("spiqa", "demo", "resolution=224px")[0]
    with zipfile.ZipFile(demo_source().root / "spiqa/test-A/SPIQA_testA_Images_224px.zip") as archive:
        contents = {archive.read(name) for name in archive.namelist()}
    assert {path.read_bytes() for path in shown(row)} <= contents


def test_small_pictures_are_made_where_the_release_has_none(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Without that archive the pictures become squares of 224 pixels, made once, and one line says so."""
    target = tmp_path / "spiqa" / "test-A"
    shutil.copytree(demo_source().root / "spiqa" / "test-A", target)
    (target / "SPIQA_testA_Images_224px.zip").unlink()
    row = load_rows("spiqa", "testA", "resolution=224px", LocalSource(tmp_path))[0]
    first = shown(row)
    assert {Image.open(path).size for path in first} == {(224, 224)}
    written = [path.stat().st_mtime_ns for path in first]
    assert [path.stat().st_mtime_ns for path in shown(row)] == written
    assert sum("224 pixels" in record.message for record in caplog.records) == 1


def train_folder(tmp_path: Path, *, missing: bool = False) -> LocalSource:
    """The demo papers as the train split, their pictures in the train archive."""
    folder = tmp_path / "spiqa" / "train_val"
    folder.mkdir(parents=True)
    demo = demo_source().root / "spiqa" / "test-A"
    shutil.copy(demo / "SPIQA_testA.json", folder / "SPIQA_train.json")
    with (
        zipfile.ZipFile(demo / "SPIQA_testA_Images.zip") as source,
        zipfile.ZipFile(folder / "SPIQA_train_val_Images.zip", "w") as target,
    ):
        for name in source.namelist()[1 if missing else 0 :]:
            inside = name.replace("SPIQA_testA_Images", "SPIQA_train_val_Images")
            target.writestr(inside, source.read(name))
    return LocalSource(tmp_path)


def test_train_pictures_stay_packed_until_they_are_shown(tmp_path: Path) -> None:
    """Loading extracts nothing; showing a question extracts its figures and no others."""
    rows = load_rows("spiqa", "train", "", train_folder(tmp_path))
    assert not list((cache_folder() / "images").rglob("*.png"))
    pictures = shown(rows[0])
    assert all(Image.open(path).size[0] > 0 for path in pictures)
    assert len(list((cache_folder() / "images").rglob("*.png"))) == len(pictures) == len(rows[0]["figures"])
    grey = load_rows("spiqa", "train", "ablation=grey", LocalSource(tmp_path))[0]
    assert {Image.open(path).getpixel((0, 0)) for path in shown(grey)} == {(128, 128, 128)}


def test_missing_train_picture_is_an_error_before_the_run(tmp_path: Path) -> None:
    """A figure that the annotations name and the archive lacks is found without opening any picture."""
    with pytest.raises(DataError, match="1 file missing"):
        load_rows("spiqa", "train", "", train_folder(tmp_path, missing=True))


def test_broken_member_of_a_packed_archive_is_one_error(tmp_path: Path) -> None:
    """A picture that cannot be read from its archive is an error that names the archive."""
    source = train_folder(tmp_path)
    path = tmp_path / "spiqa/train_val/SPIQA_train_val_Images.zip"
    content = bytearray(path.read_bytes())
    with zipfile.ZipFile(io.BytesIO(bytes(content))) as archive:
        start = archive.infolist()[0].header_offset + 120
    content[start : start + 40] = bytes(40)
    path.write_bytes(bytes(content))
    rows = load_rows("spiqa", "train", "max_figures=0", source)
    with pytest.raises(DataError, match="SPIQA_train_val_Images"):
        _ = [shown(row) for row in rows]
