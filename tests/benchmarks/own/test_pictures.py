"""Pictures of rows: paths, pictures within the table, and those that lie beside the data."""

import base64
import re
from pathlib import Path
from typing import Any

import pytest
from own_data import write_pictures

from spiqa_tasks.benchmarks.own.pictures import Pictures


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a red and a blue picture."""
    write_pictures(tmp_path, "red.png", "blue.png")
    return tmp_path


def named(folder: Path, column: str = "image", **cells: Any) -> list[str]:
    """The paths of a row's pictures."""
    return Pictures((column,), folder, "test").of(cells, 0)


@pytest.mark.parametrize(
    ("value", "names"),
    [
        ("red.png", ["red.png"]),
        (" red.png ", ["red.png"]),
        (["red.png", "blue.png"], ["red.png", "blue.png"]),
        ("['red.png', 'blue.png']", ["red.png", "blue.png"]),
        ({"path": "red.png"}, ["red.png"]),
        ([{"bytes": None, "path": "red.png"}, None], ["red.png"]),
        ("", []),
    ],
)
def test_paths_are_looked_up_in_the_folder(folder: Path, value: Any, names: list[str]) -> None:
    """Whatever form they are given in."""
    assert named(folder, image=value) == [str(folder / name) for name in names]


def test_a_path_may_be_whole_and_a_number_may_be_one(folder: Path) -> None:
    """Columns follow each other."""
    (folder / "7").write_bytes((folder / "red.png").read_bytes())
    pictures = Pictures(("one", "two"), folder / "x" / "..", "test")
    assert pictures.of({"one": 7, "two": str(folder / "blue.png")}, 0) == [
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
    with pytest.raises(ValueError, match="base64"):
        named(folder, image="iVBOR" + "x" * 80)


def test_pictures_within_the_table_are_written_to_the_cache(folder: Path) -> None:
    """In the order of the row."""
    red, blue = ((folder / f"{name}.png").read_bytes() for name in ("red", "blue"))
    text = base64.b64encode(blue).decode()
    pictures = Pictures(("image",), folder, "shapes-test-1")
    first = pictures.of(
        {"image": [{"bytes": red, "path": "x"}, text, f"data:image/png;base64,{text}"]}, 0
    )
    assert [Path(path).read_bytes() for path in first] == [red, blue, blue]
    assert len(set(first)) == 3
    assert all("shapes-test-1" in path for path in first)
    assert not set(pictures.of({"image": {"bytes": red}}, 1)) & set(first)
