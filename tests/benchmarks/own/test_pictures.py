"""Pictures of rows: paths, pictures within the table, and those that lie beside the data."""

from __future__ import annotations

import base64
import re
from pathlib import Path
from typing import Any

import pytest
from own_data import write_pictures

from spiqa_tasks.benchmarks.own.pictures import PictureFiles, Pictures, is_encoded


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a red and a blue picture."""
    write_pictures(tmp_path, "red.png", "blue.png")
    return tmp_path


def named(folder: Path, column: str = "image", **cells: Any) -> list[str]:
    """The paths of a row's pictures."""
    return Pictures((column,), folder, "test").of(cells, "a", 0)


@pytest.mark.parametrize(
    ("value", "names"),
    [
        ("red.png", ["red.png"]),
        (" red.png ", ["red.png"]),
        (["red.png", "blue.png"], ["red.png", "blue.png"]),
        ("['red.png', 'blue.png']", ["red.png", "blue.png"]),
        ({"path": "red.png"}, ["red.png"]),
        ([{"bytes": None, "path": "red.png"}, None], ["red.png"]),
        (None, []),
        ("", []),
        ([], []),
    ],
)
def test_paths_are_looked_up_in_the_folder(folder: Path, value: Any, names: list[str]) -> None:
    """Whatever form they are given in."""
    assert named(folder, image=value) == [str(folder / name) for name in names]


def test_a_path_may_be_whole_and_a_number_may_be_one(folder: Path) -> None:
    """Columns follow each other."""
    (folder / "7").write_bytes((folder / "red.png").read_bytes())
    pictures = Pictures(("one", "two"), folder / "x" / "..", "test")
    assert pictures.of({"one": 7, "two": str(folder / "blue.png")}, "a", 0) == [
        str(folder / "7"),
        str(folder / "blue.png"),
    ]


def test_columns_in_braces_make_a_path(folder: Path) -> None:
    """Where one of them is empty the row has no picture; a number may have zeros before it."""
    (folder / "p").mkdir()
    (folder / "red.png").rename(folder / "p" / "003.png")
    path = "{paper}/{figure:03d}.png"
    assert named(folder, path, paper="p", figure=3) == [str(folder / "p" / "003.png")]
    assert named(folder, path, paper="p", figure=None) == []
    assert named(folder, "{a.b}.png", a={"b": "blue"}) == [str(folder / "blue.png")]


def test_what_is_no_picture_is_said(folder: Path) -> None:
    """A path without a file, a value of another type, and broken base64."""
    with pytest.raises(ValueError, match=rf"^no picture at {re.escape(str(folder))}/green.png$"):
        named(folder, image="green.png")
    for value, kind in ((1.5, "float"), (True, "bool"), ({"x": 1}, "dict")):
        with pytest.raises(ValueError, match=rf"^image has a {kind}, not a picture$"):
            named(folder, image=value)
    with pytest.raises(ValueError, match=r"^image has base64 that is cut off or broken$"):
        named(folder, image="iVBOR" + "x" * 80)


def test_pictures_within_the_table_are_written_to_the_cache(folder: Path) -> None:
    """In the order of the row; an earlier row's id stands for its pictures."""
    red, blue = ((folder / f"{name}.png").read_bytes() for name in ("red", "blue"))
    text = base64.b64encode(blue).decode()
    pictures = Pictures(("image",), folder, "shapes-test-1")
    first = pictures.of({"image": [{"bytes": red, "path": "x"}, text, f"data:image/png;base64,{text}"]}, "a", 0)
    assert [Path(path).read_bytes() for path in first] == [red, blue, blue]
    assert len(set(first)) == 3
    assert all("shapes-test-1" in path for path in first)
    second = pictures.of({"image": {"bytes": red}}, "b", 1)
    assert not set(second) & set(first)
    assert pictures.of({"image": "a"}, "c", 2) == first
    assert pictures.of({"image": ["b", "red.png"]}, "d", 3) == [*second, str(folder / "red.png")]


def test_base64_is_known_by_the_beginning_of_a_picture() -> None:
    """Short texts and other words are none."""
    assert is_encoded("/9j/" + "A" * 60)
    assert is_encoded("data:image/jpeg;base64,/9j/" + "A" * 60 + "==\n")
    assert not any(map(is_encoded, ["/9j/" + "A" * 59, "A" * 90, "/9j/" + "A" * 60 + "!", ""]))


def test_most_of_the_paths_must_be_those_of_files(folder: Path) -> None:
    """More than half of the first fifty."""
    files = PictureFiles(folder)
    assert files.are_there(["red.png", "blue.png", "x.png"])
    assert not files.are_there(["red.png", "x.png"])
    assert not files.are_there([])
    assert files.are_there(["red.png"] * 26 + ["x.png"] * 99)
    assert not files.are_there(["red.png"] * 25 + ["x.png"] * 25 + ["red.png"] * 9)


def test_the_folder_of_paths_is_that_in_which_most_of_them_lie(tmp_path: Path) -> None:
    """Whatever way they are written; folders more than four deep and other files are not looked at."""
    write_pictures(tmp_path, "x/y/one.png", "x/y/two.JPG", "z/one.png", "a/b/c/d/four.png", "a/b/c/d/e/five.png")
    (tmp_path / "x" / "notes.txt").touch()
    files = PictureFiles(tmp_path)
    assert files.folder_of(["one.png", "two.JPG"]) == "x/y"
    assert files.folder_of(["y/one.png", "y\\two.JPG", "./y/two.JPG"]) == "x"
    write_pictures(tmp_path, "manyX/y/six.png")
    assert PictureFiles(tmp_path).folder_of(["y/six.png"]) == "manyX"
    assert files.folder_of(["one.png", "three.png"]) == ""
    assert files.folder_of(["one.png", "two.JPG", "three.png"]) == "x/y"
    assert files.folder_of(["notes.txt"]) == files.folder_of([]) == files.folder_of(["w/one.png"]) == ""
    assert (files.folder_of(["four.png"]), files.folder_of(["five.png"])) == ("a/b/c/d", "")
    assert files.folder_of(["two.JPG"] * 26 + ["gone.png"] * 99) == "x/y"


def test_a_columns_values_may_name_the_files(tmp_path: Path) -> None:
    """With a suffix behind them, numbers also with zeros before them; empty cells do not count."""
    write_pictures(tmp_path, "images/fig1.gif", "pads/0007.webp", "top.jpeg")
    files = PictureFiles(tmp_path)
    assert files.path_of("figure", ["fig1", None, ""]) == "images/{figure}.gif"
    assert files.path_of("number", [7]) == files.path_of("number", ["7"]) == "pads/{number:04d}.webp"
    assert files.path_of("name", ["top"]) == "{name}.jpeg"
    assert files.path_of("name", ["nothing"]) == files.path_of("name", [None]) == ""


def test_another_column_may_name_the_folders(tmp_path: Path) -> None:
    """Below a folder of all of them, or at the data's own place; rows without a picture do not count."""
    write_pictures(tmp_path, "pages/p1/a.png", "pages/p2/a.png", "own/b.png")
    files = PictureFiles(tmp_path)
    values = ["a.png", "a.png", None]
    others = {"id": ["0", "1", "2"], "paper": ["p1", "p2", "p3"]}
    assert files.path_below("image", values, others) == "pages/{paper}/{image}"
    assert files.path_below("image", ["b.png"], {"id": ["own"]}) == "{id}/{image}"
    assert files.path_below("image", ["b.png"], {"id": ["gone"], "x": [None]}) == ""
    (tmp_path / "own" / "b.txt").touch()
    assert files.path_below("image", ["b.txt"], {"id": ["own"]}) == "{id}/{image}"
