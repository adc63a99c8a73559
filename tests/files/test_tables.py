"""Tables as rows of texts: every cell as it stands in the file."""

import json
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiqa_tasks import extras
from spiqa_tasks.errors import DataError, MissingPartError
from spiqa_tasks.files.records import read_cells
from spiqa_tasks.files.tables import row_id


@given(
    st.lists(
        st.dictionaries(
            st.text("ab", min_size=1), st.text(st.characters(exclude_categories=["Cs"]))
        ),
        max_size=4,
    )
)
def test_objects_come_back_as_they_are(
    tmp_path_factory: pytest.TempPathFactory, rows: list[dict[str, str]]
) -> None:
    """Any text in a json list, where nothing is decoded."""
    path = tmp_path_factory.mktemp("json") / "t.json"
    path.write_text(json.dumps(rows), encoding="utf-8")
    assert read_cells(path, escaped=False) == rows


@pytest.mark.parametrize("suffix", ["tsv", "csv", "json", "xlsx"])
def test_escapes_of_spreadsheets_are_decoded_on_demand(tmp_path: Path, suffix: str) -> None:
    """`_x000D_` is a carriage return in what a spreadsheet wrote, and stays in what it did not."""
    frame = pd.DataFrame({"index": ["1"], "prediction": ["A_x000D_B _x00e9_ _xyz_"]})
    path = tmp_path / f"t.{suffix}"
    if suffix in ("tsv", "csv"):
        frame.to_csv(path, sep="\t" if suffix == "tsv" else ",", index=False)
    elif suffix == "json":
        frame.to_json(path, orient="records")
    else:
        frame.to_excel(path, index=False)
    assert read_cells(path)[0]["prediction"] == "A\rB é _xyz_"
    if suffix != "xlsx":
        assert read_cells(path, escaped=False)[0]["prediction"] == "A_x000D_B _x00e9_ _xyz_"


def test_the_kind_of_file_is_told_by_its_content(tmp_path: Path) -> None:
    """A spreadsheet with another name is one; its first sheet counts, and rows without any cell
    do not.
    """
    path = tmp_path / "t.tsv"
    with pd.ExcelWriter(tmp_path / "t.xlsx") as writer:
        pd.DataFrame({"id": ["x", None, "y"], "prediction": ["A", None, None]}).to_excel(
            writer, index=False
        )
        pd.DataFrame({"id": ["other"]}).to_excel(writer, sheet_name="second", index=False)
    (tmp_path / "t.xlsx").rename(path)
    assert read_cells(path) == [{"id": "x", "prediction": "A"}, {"id": "y", "prediction": ""}]


@given(
    st.lists(
        st.tuples(
            *[st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\0"))] * 2
        )
    )
)
def test_separated_cells_come_back_as_they_are(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]]
) -> None:
    """Commas, tabs, quotes and line feeds within cells, as pandas writes them, in both kinds of
    files.
    """
    folder = tmp_path_factory.mktemp("separated")
    frame = pd.DataFrame(rows, columns=["id", "prediction"], dtype=str)
    for name, separator in (("t.csv", ","), ("t.tsv", "\t")):
        frame.to_csv(folder / name, sep=separator, index=False)
        assert read_cells(folder / name, escaped=False) == frame.to_dict("records")


def test_a_byte_order_mark_is_no_part_of_a_column(tmp_path: Path) -> None:
    """Spreadsheet programs begin a tsv file with one; `NA` and `007` stay texts."""
    path = tmp_path / "t.tsv"
    path.write_bytes("\ufeffindex\tprediction\n007\tNA\n8\t\n".encode())
    assert read_cells(path) == [
        {"index": "007", "prediction": "NA"},
        {"index": "8", "prediction": ""},
    ]


def test_lines_may_end_as_windows_writes_them(tmp_path: Path) -> None:
    """The carriage return before a line's end is no part of its last cell, and one within a cell
    stays.
    """
    path = tmp_path / "t.csv"
    path.write_bytes(b'id,question,prediction\r\n1,a,"x\ry"\r\n2,b,z\r\n')
    assert read_cells(path) == [
        {"id": "1", "question": "a", "prediction": "x\ry"},
        {"id": "2", "question": "b", "prediction": "z"},
    ]


def test_a_csv_file_with_tabs_in_its_first_line_has_tabs_between_its_cells(tmp_path: Path) -> None:
    """Some programs name a tsv file so; commas are then part of the cells."""
    path = tmp_path / "t.csv"
    path.write_text("id\tprediction\n1\ta, b\n")
    assert read_cells(path) == [{"id": "1", "prediction": "a, b"}]


@pytest.mark.parametrize("separator", [",", ";", "|", "\t"])
@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("utf-8", "é, naïve"),
        ("utf-8-sig", "Fläche"),
        ("utf-16", "é"),
        ("cp1252", "Größe in m\u00b2; naïve"),
        ("gb18030", "请直接回答选项字母"),
    ],
)
def test_a_table_is_read_as_excel_writes_it(
    tmp_path: Path, separator: str, encoding: str, text: str
) -> None:
    """In much of Europe with semicolons, on many machines in a legacy encoding."""
    path = tmp_path / "t.csv"
    lines = [["id", "prediction"], ["1", f'"{text}"']]
    path.write_bytes("\r\n".join(map(separator.join, lines)).encode(encoding))
    assert read_cells(path) == [{"id": "1", "prediction": text}]


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("t.json", b'{"id": 1}', "to be a list of objects, or an object of them, found"),
        ("t.json", b"[1]", "to be a list of objects"),
        ("t.json", b"[{]", "to be JSON, found"),
        ("t.tsv", b'id\tprediction\n1\tA\n2\t"B\n3\tC\n', "EOF inside string starting at row 2"),
        ("t.tsv", b"id\tprediction\n1\tA\n2\tA\tB\n", "Expected 2 fields in line 3, saw 3."),
        ("t.tsv", b"id\x81\tprediction\n", "to be UTF-8, found another encoding"),
        ("t.tsv", b"", "found an empty file"),
        ("t.csv", b"id,prediction\n1,A,B\n", "Expected 2 fields in line 2, saw 3."),
        (
            "t.csv",
            b"id,prediction,prediction\n1,A,B\n",
            "to have each column once, found prediction twice",
        ),
        ("t.json", b'[{"id": 1, "id": 2}]', "found the key 'id' more than once in one object."),
        ("t.json", b"[" * 100_000, "to be JSON, found"),
        ("t.xlsx", b"PK\x03\x04 no zip", "to be an xlsx spreadsheet, found"),
    ],
)
def test_a_broken_file_is_one_sentence(
    tmp_path: Path, name: str, content: bytes, told: str
) -> None:
    """It names the file, what is wrong, and what to do."""
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(DataError) as error:
        read_cells(path)
    assert str(error.value).startswith(f"Expected {path} to ")
    assert told in str(error.value)
    assert "\n" not in str(error.value)


def test_without_openpyxl_the_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only spreadsheets need it."""
    monkeypatch.setattr(extras, "_missing", lambda _: ["openpyxl"])
    (tmp_path / "t.xlsx").write_bytes(b"PK\x03\x04")
    with pytest.raises(
        MissingPartError, match=r"Reading .*t\.xlsx needs openpyxl.*pip install '\.\[excel\]'"
    ):
        read_cells(tmp_path / "t.xlsx")
    (tmp_path / "t.tsv").write_text("id\tprediction\n1\tA\n")
    assert len(read_cells(tmp_path / "t.tsv")) == 1


@pytest.mark.parametrize(
    ("cells", "found"),
    [
        ({"index": "3", "id": "a"}, "a"),
        ({"index": "3", "ID": "b"}, "b"),
        ({"index": " 30.0 "}, "30"),
        ({"index": "30.00"}, "30"),
        ({"index": "3.5"}, "3.5"),
        ({"index": "1501.00001v1"}, "1501.00001v1"),
        ({"index": "3."}, "3."),
        ({"index": "p.0"}, "p.0"),
        ({"prediction": "A"}, ""),
    ],
)
def test_ids_are_as_they_were_before_a_spreadsheet(cells: dict[str, str], found: str) -> None:
    """An id's own column counts before the running index; whole numbers lose what a spreadsheet
    gave them.
    """
    assert row_id(cells) == found
