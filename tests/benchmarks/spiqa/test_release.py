"""SPIQA's rows, from real annotation files where they are there and synthetic ones of the same
schema.
"""

import json
import logging
import os
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from release_rows import rows_in

from spiqa_tasks.benchmarks.prompting import Picture
from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.benchmarks.spiqa.prompts import prompt
from spiqa_tasks.benchmarks.spiqa.release import PARAGRAPHS, SPLITS, SpiqaSettings
from spiqa_tasks.errors import DataError
from spiqa_tasks.files.atomic import cache_folder
from spiqa_tasks.files.source import LocalSource, demo_source, fingerprint


def write(folder: Path, name: str, papers: Any) -> LocalSource:
    path = folder / "spiqa" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(papers if isinstance(papers, str) else json.dumps(papers))
    return LocalSource(folder)


def test_rows_of_test_a_show_at_most_eight_figures_with_the_referred_one(real_data: Path) -> None:
    """Ids are paper and position, the referred figure is among those shown, no picture is needed
    without pictures.
    """
    rows = rows_in("spiqa", "testA", "setting=captiononly", LocalSource(real_data))
    assert len({row["id"] for row in rows}) == len(rows) == 666
    assert "1611.04684v1/0" in {row["id"] for row in rows}
    assert all(1 <= len(row["figures"]) <= 8 for row in rows)
    assert all(len(row["referred"]) == 1 for row in rows)
    assert max(len(row["figures"]) for row in rows) == 8


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ("not json", "JSON"),
        ([], "no paper"),
        ({"p": {"qa": []}}, "all_figures"),
        ({"p": {"all_figures": {}, "qa": [{"question": "Q"}]}}, "answer"),
        (
            {"p": {"all_figures": {}, "qa": [{"question": "", "answer": "a", "reference": "f"}]}},
            "question 0 without",
        ),
        (
            {"p": {"all_figures": {}, "qa": [{"question": "Q", "answer": "a", "reference": "f"}]}},
            "refers to no figure",
        ),
    ],
    ids=["no json", "a list", "no figures", "no answer", "empty question", "unknown figure"],
)
def test_broken_annotations_are_one_error_that_names_file_and_fault(
    tmp_path: Path, content: Any, found: str
) -> None:
    """Bad annotation files are refused before anything is shown to a model."""
    source = write(tmp_path, "test-A/SPIQA_testA.json", content)
    with pytest.raises(DataError, match=found) as error:
        rows_in("spiqa", "testA", "", source)
    assert "SPIQA_testA.json" in str(error.value)


WITH_TEXT = "setting=fullpaper,ablation=text"


def write_split(folder: Path, split: str, papers: Any) -> LocalSource:
    """A data folder with one annotation file."""
    path = folder / "spiqa" / f"test-{split}" / f"SPIQA_test{split}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(papers))
    return LocalSource(folder)


def test_a_paper_that_a_file_has_twice_is_named(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The last one counts."""
    figures = {"f": {"caption": "c", "figure_type": "plot", "content_type": "figure"}}
    texts = [
        json.dumps(
            {"all_figures": figures, "qa": [{"question": text, "answer": "a", "reference": "f"}]}
        )
        for text in ("first", "last")
    ]
    path = tmp_path / "spiqa" / "test-A" / "SPIQA_testA.json"
    path.parent.mkdir(parents=True)
    path.write_text("{" + ", ".join(f'"p": {text}' for text in texts) + "}")
    with caplog.at_level(logging.WARNING):
        rows = rows_in("spiqa", "testA", "setting=captiononly", LocalSource(tmp_path))
    assert [row["question"] for row in rows] == ["last"]
    assert caplog.messages == [f"{path} has the paper p twice; the last one counts."]


def test_papers_of_b_without_a_text_are_asked_without(
    real_data: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """An empty `passages` stops nothing, needs no archive, and a line says how many questions
    have no text.
    """
    papers = json.loads((real_data / "spiqa/test-B/SPIQA_testB.json").read_text())
    first = next(iter(papers))
    papers[first]["passages"] = []
    source = write_split(tmp_path, "B", papers)
    with caplog.at_level(logging.WARNING):
        rows = rows_in("spiqa", "testB", WITH_TEXT, source)
    count = len(papers[first]["question"])
    assert len(rows) == 19
    assert [row["paper_id"] for row in rows if not row["full_text"]] == [first] * count
    assert (
        f"{count} questions are asked without a text, which these papers lack: {first}"
        in caplog.text
    )


PAPER_C = {
    "arxiv_id": "1234.5678",
    "question": ["How many?"],
    "question_key": ["0"],
    "answer": [{"free_form_answer": "Three", "yes_no": None}],
    "referred_figures_tables": [["1-Table1-1.png"]],
    "figures_and_tables": [
        {"file": f"{n}-Table{n}-1.png", "caption": f"Table {n}."} for n in range(1, 12)
    ],
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


@pytest.mark.parametrize(
    "settings", ["", "setting=cot,max_figures=0", "resolution=224", "setting=perfigure"]
)
def test_real_test_b_shows_its_figures_in_every_setting(
    real_data: Path, tmp_path: Path, stand_in: Path, settings: str
) -> None:
    """Six real papers of test-B: every figure shown has its picture at the annotations' own
    place.
    """
    folder = tmp_path / "data" / "spiqa" / "test-B"
    annotations = real_data / "spiqa/test-B/SPIQA_testB.json"
    for paper in json.loads(annotations.read_text()).values():
        for name in paper["all_figures_tables"]:
            if not (folder / "SPIQA_testB_Images" / name).exists():
                place(stand_in, folder / "SPIQA_testB_Images" / name)
    shutil.copy(annotations, folder)
    rows = rows_in("spiqa", "testB", settings, LocalSource(tmp_path / "data"))
    assert len({row["question_id"] for row in rows}) == 19
    size = (224, 224) if "224" in settings else (400, 300)
    for row in rows[:40]:
        pictures = shown(row)
        assert len(pictures) == len(row["figures"]) >= 1
        assert {Image.open(path).size for path in pictures} == {size}


def test_test_c_in_the_release_schema_shows_figures_below_the_arxiv_id(
    tmp_path: Path, stand_in: Path
) -> None:
    """A paper of test-C with eleven tables shows eight by default, all with max_figures=0."""
    folder = tmp_path / "spiqa" / "test-C"
    for figure in PAPER_C["figures_and_tables"]:
        place(stand_in, folder / "SPIQA_testC_Images" / "1234.5678" / figure["file"])
    (folder / "SPIQA_testC.json").write_text(json.dumps({"key": PAPER_C}))
    source = LocalSource(tmp_path)
    assert len(shown(rows_in("spiqa", "testC", "", source)[0])) == 8
    everything = rows_in("spiqa", "testC", "max_figures=0", source)[0]
    assert {path.parent.name for path in shown(everything)} == {"1234.5678"}
    assert len(everything["figures"]) == 11


def test_small_pictures_come_from_the_releases_archive() -> None:
    """The demo set has a 224px archive: its own pictures are shown, not resized ones."""
    row = load_rows("spiqa", "demo", "resolution=224px")[0]
    with zipfile.ZipFile(
        demo_source().root / "spiqa/test-A/SPIQA_testA_Images_224px.zip"
    ) as archive:
        contents = {archive.read(name) for name in archive.namelist()}
    assert {path.read_bytes() for path in shown(row)} <= contents


def test_a_test_split_without_its_archive_of_small_pictures_is_refused(tmp_path: Path) -> None:
    """Squares made here have other pixels; those of val and train, which have no such archive,
    are made once.
    """
    target = tmp_path / "spiqa" / "test-A"
    shutil.copytree(demo_source().root / "spiqa" / "test-A", target)
    (target / "SPIQA_testA_Images_224px.zip").unlink()
    with pytest.raises(DataError, match=r"SPIQA_testA_Images_224px.zip"):
        rows_in("spiqa", "testA", "resolution=224px", LocalSource(tmp_path))
    row = rows_in("spiqa", "train", "resolution=224px", train_folder(tmp_path))[0]
    first = shown(row)
    assert {Image.open(path).size for path in first} == {(224, 224)}
    written = [path.stat().st_mtime_ns for path in first]
    assert [path.stat().st_mtime_ns for path in shown(row)] == written


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
    rows = rows_in("spiqa", "train", "", train_folder(tmp_path))
    assert not list((cache_folder() / "images").rglob("*.png"))
    pictures = shown(rows[0])
    assert all(Image.open(path).size[0] > 0 for path in pictures)
    assert (
        len(list((cache_folder() / "images").rglob("*.png")))
        == len(pictures)
        == len(rows[0]["figures"])
    )
    grey = rows_in("spiqa", "train", "ablation=grey", LocalSource(tmp_path))[0]
    assert {Image.open(path).getpixel((0, 0)) for path in shown(grey)} == {(128, 128, 128)}


@pytest.mark.parametrize(
    ("split", "resolution", "archive"),
    [
        ("testA", "full", "test-A/SPIQA_testA_Images.zip"),
        ("testA", "448", "test-A/SPIQA_testA_Images.zip"),
        ("testC", "224px", "test-C/SPIQA_testC_Images_224px.zip"),
        ("val", "224px", "train_val/SPIQA_train_val_Images.zip"),
        ("demo", "full", "test-A/SPIQA_testA_Images.zip"),
    ],
)
def test_small_pictures_are_an_archive_of_their_own(
    split: str, resolution: str, archive: str
) -> None:
    """Where the release has them."""
    assert SPLITS[split].archive(SpiqaSettings(resolution=resolution)) == archive


def paper_a(*answers: str) -> dict[str, Any]:
    """A paper of test-A with a question for each answer."""
    qa = [
        {"question": f"Why {place}?", "answer": text, "reference": "f.png"}
        for place, text in enumerate(answers)
    ]
    figure = {"caption": "A plot.", "figure_type": "plot", "content_type": "figure"}
    return {"all_figures": {"f.png": figure}, "qa": qa}


def test_questions_without_an_answer_are_left_out_and_named(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Their places keep the ids of the others; a file without any question is an error."""
    source = write_split(tmp_path, "A", {"p": paper_a("", "So."), "q": paper_a("", "")})
    file = tmp_path / "spiqa" / "test-A" / "SPIQA_testA.json"
    with caplog.at_level(logging.WARNING):
        rows = rows_in("spiqa", "testA", "ablation=text", source)
    assert [row["id"] for row in rows] == ["p/1"]
    assert rows[0]["data"] == fingerprint([file])
    assert caplog.messages == [f"3 questions have no answer in {file}, left out: p/0, q/0, q/1"]
    with pytest.raises(DataError) as error:
        rows_in(
            "spiqa",
            "testA",
            "ablation=text",
            write_split(tmp_path, "A", {"q": paper_a(""), "p": paper_a()}),
        )
    assert caplog.messages[1:] == [f"1 question has no answer in {file}, left out: q/0"]
    assert (
        str(error.value)
        == f"Expected questions in {file}, found none in its 2 papers. Fetch the file again."
    )


def test_papers_have_their_texts_from_the_archive(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Stripped, whatever bytes they have; a line names the papers without one, and their
    questions.
    """
    source = write_split(
        tmp_path, "A", {"p": paper_a("So."), "q": paper_a("a", "b"), "r": paper_a()}
    )
    with zipfile.ZipFile(tmp_path / "spiqa" / PARAGRAPHS, "w") as archive:
        archive.writestr("p.txt", b" One \xff.\n")
    with caplog.at_level(logging.WARNING):
        rows = rows_in("spiqa", "testA", WITH_TEXT, source)
    assert [(row["id"], row["full_text"]) for row in rows] == [
        ("p/0", "One \ufffd."),
        ("q/0", ""),
        ("q/1", ""),
    ]
    assert caplog.messages == ["2 questions are asked without a text, which these papers lack: q"]
    without = rows_in("spiqa", "testA", "ablation=text", source)
    assert {row["full_text"] for row in without} == {""}


def test_figures_outside_of_the_archive_are_refused(tmp_path: Path) -> None:
    """Before any is looked up."""
    paper = paper_a("So.")
    paper["all_figures"] = {"../f.png": paper["all_figures"]["f.png"]}
    paper["qa"][0]["reference"] = "../f.png"
    source = write_split(tmp_path, "A", {"..": paper})
    with pytest.raises(
        DataError, match=r"Expected figure names inside the archive, found '../../f.png'. Fetch"
    ):
        rows_in("spiqa", "testA", "", source)
