"""Tables of questions in every form have the same rows."""

import json
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiqa_tasks import extras
from spiqa_tasks.errors import DataError, MissingPartError
from spiqa_tasks.files.records import KEY, read_cells, read_records, read_rows, whole_id

ROWS: list[dict[str, Any]] = [
    {"q": "1 + 1?", "a": "2"},
    {"q": 'None, "NA"\n007?', "a": "007"},
    {"q": "é", "a": "NA"},
]


def _jsonl(path: Path) -> None:
    path.write_text("\ufeff" + "".join(json.dumps(row) + "\n\n" for row in ROWS), encoding="utf-8")


def _parquet(path: Path) -> None:
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(ROWS * 100), path, row_group_size=7)


WRITERS: dict[str, Callable[[Path], Any]] = {
    "rows.jsonl": _jsonl,
    "rows.json": lambda path: path.write_text(json.dumps(ROWS)),
    "nested.json": lambda path: path.write_text(
        json.dumps({"version": 1, "questions": ROWS, "authors": ["x"]})
    ),
    "columns.json": lambda path: pd.DataFrame(ROWS).to_json(path),
    "rows.csv": lambda path: pd.DataFrame(ROWS).to_csv(path, index=False),
    "rows.tsv": lambda path: pd.DataFrame(ROWS).to_csv(path, sep="\t", index=False),
    "rows.xlsx": lambda path: pd.DataFrame(ROWS).to_excel(path, index=False),
    "rows.parquet": _parquet,
}


@pytest.mark.parametrize("name", WRITERS)
def test_every_form_has_the_same_rows(name: str, tmp_path: Path) -> None:
    """Texts are those that were written, `NA` and `007` too, in the order of the file."""
    WRITERS[name](tmp_path / name)
    expected = ROWS * 100 if name == "rows.parquet" else ROWS
    assert list(read_records(tmp_path / name)) == expected


def test_lines_of_json_are_read_whatever_the_file_is_called(tmp_path: Path) -> None:
    """Some published files of lines end in .json."""
    _jsonl(tmp_path / "rows.json")
    assert list(read_records(tmp_path / "rows.json")) == ROWS


def test_an_object_of_objects_has_its_keys_in_a_column(tmp_path: Path) -> None:
    """The rows of a JSON object are its values."""
    (tmp_path / "rows.json").write_text(
        json.dumps({f"k{place}": row for place, row in enumerate(ROWS)})
    )
    found = list(read_records(tmp_path / "rows.json"))
    assert [row[KEY] for row in found] == ["k0", "k1", "k2"]
    assert [{**row, KEY: None} for row in found] == [{KEY: None, **row} for row in ROWS]


@pytest.mark.parametrize(
    ("name", "content", "found"),
    [
        ("rows.jsonl", b'{"q": 1}\n{"q": ', "line 2 of"),
        ("rows.jsonl", b'{"q": 1}\n[1]\n', r"line 2 .* to be a JSON object, found '\[1\]'"),
        ("rows.json", b'["a"]', "list of objects"),
        ("rows.json", b'{"a": [{}], "b": [{}]}', "list of objects"),
        ("rows.json", b"{", "to be JSON"),
        ("rows.parquet", b"PAR1", "parquet file"),
        ("rows.csv", b'a\n"b', "unexpected end of data in the row that begins in line 2"),
        ("rows.txt", b"", "an empty file"),
        ("rows.pkl", b"\x80\x04]", "a pickle, which may run anything. Save it as tsv"),
        ("rows.tsv", b"\x80\x04]", "a pickle"),
    ],
)
def test_broken_files_are_named_with_the_place_of_the_fault(
    name: str, content: bytes, found: str, tmp_path: Path
) -> None:
    """One sentence, whatever is wrong."""
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=found):
        list(read_records(tmp_path / name))


def test_a_folder_is_refused(tmp_path: Path) -> None:
    """A folder is no table."""
    with pytest.raises(DataError, match="to be a file, found a folder"):
        list(read_records(tmp_path))


def write(path: Path, rows: list[dict[str, int]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    return path


def test_rows_of_all_shards_come_in_order_with_the_columns_asked_for(tmp_path: Path) -> None:
    """Two shards are one list; a column that nobody asked for is left out."""
    paths = [
        write(tmp_path / f"x-0000{part}-of-00002.parquet", [{"ID": part, "other": 1}])
        for part in (0, 1)
    ]
    assert read_rows(paths, ["ID"]) == [{"ID": 0}, {"ID": 1}]


def test_missing_column_and_no_parquet_are_errors(tmp_path: Path) -> None:
    """Foreign files are refused, each with its own sentence."""
    only = write(tmp_path / "x-00000-of-00001.parquet", [{"ID": 1}])
    with pytest.raises(DataError, match="no Question, Options among ID"):
        read_rows([only], ["ID", "Question", "Options"])
    only.write_text("no parquet")
    with pytest.raises(DataError, match="to be a parquet file"):
        read_rows([only], ["ID"])


def test_cells_of_parquet_and_of_json_are_texts_too(tmp_path: Path) -> None:
    """Whatever their types are there."""
    rows = [{"id": 7, "a": None, "b": 0.5, "c": "_x0041_"}]
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "t.parquet")
    (tmp_path / "t.jsonl").write_text(json.dumps(rows[0]))
    (tmp_path / "t.json").write_text(json.dumps(rows))
    for name in ("t.parquet", "t.jsonl", "t.json"):
        assert read_cells(tmp_path / name) == [{"id": "7", "a": "", "b": "0.5", "c": "_x0041_"}]


def test_escapes_of_a_spreadsheet_are_decoded(tmp_path: Path) -> None:
    """`_x000D_` is a carriage return in what a spreadsheet wrote, and stays in what it did not."""
    frame = pd.DataFrame({"c": ["A_x000D_B _x00e9_ _xyz_"]})
    frame.to_csv(tmp_path / "t.csv", index=False)
    assert list(read_records(tmp_path / "t.csv")) == [{"c": "A_x000D_B _x00e9_ _xyz_"}]
    frame.to_excel(tmp_path / "t.xlsx", index=False)
    assert list(read_records(tmp_path / "t.xlsx")) == [{"c": "A\rB é _xyz_"}]


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
    assert read_cells(path) == rows


def test_the_kind_of_file_is_told_by_its_content(tmp_path: Path) -> None:
    """A spreadsheet with another name is one; sheets and rows without any cell do not count."""
    path = tmp_path / "t.tsv"
    with pd.ExcelWriter(tmp_path / "t.xlsx") as writer:
        pd.DataFrame({"id": ["x", None, "y"], "prediction": ["A", None, None]}).to_excel(
            writer, index=False
        )
        pd.DataFrame().to_excel(writer, sheet_name="second", index=False)
    (tmp_path / "t.xlsx").rename(path)
    assert read_cells(path) == [{"id": "x", "prediction": "A"}, {"id": "y", "prediction": ""}]


def test_several_sheets_are_refused_by_name(tmp_path: Path) -> None:
    """Nobody knows which of them has the answers."""
    with pd.ExcelWriter(tmp_path / "t.xlsx") as writer:
        for name in ("Notes", "Answers"):
            pd.DataFrame({"id": ["x"]}).to_excel(writer, sheet_name=name, index=False)
    with pytest.raises(DataError, match="to have one sheet with cells, found Notes, Answers"):
        read_cells(tmp_path / "t.xlsx")


@given(
    st.lists(
        st.tuples(
            *[st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\0"))] * 2
        ).filter(lambda cells: "".join(cells).strip())
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
        assert read_cells(folder / name) == frame.to_dict("records")


def test_nul_and_characters_that_are_none_come_back_from_a_table(tmp_path: Path) -> None:
    """Models write both, if seldom; neither ends a cell or becomes the other. Python 3.10 cannot
    read NUL in a table, and says so.
    """
    path = tmp_path / "t.csv"
    text = "a\0b\uffff\ufdd0c"
    path.write_text(f'id,prediction\n1,"{text}"\n', encoding="utf-8")
    if sys.version_info < (3, 11):
        with pytest.raises(DataError, match=r"found line contains NUL in the row .* line 2"):
            read_cells(path)
        return
    assert read_cells(path) == [{"id": "1", "prediction": text}]


def test_a_cell_may_hold_a_picture(tmp_path: Path) -> None:
    """In base64 it is longer than what the csv module takes at first."""
    path = tmp_path / "t.tsv"
    picture = "A" * 200_000
    path.write_text(f"id\timage\n1\t{picture}\n")
    assert read_cells(path) == [{"id": "1", "image": picture}]


def test_empty_lines_of_a_table_are_no_rows(tmp_path: Path) -> None:
    """Editors leave them at either end, with blanks or without."""
    path = tmp_path / "t.csv"
    path.write_text("\nid,prediction\n\n1,A\n  \n\n")
    assert read_cells(path) == [{"id": "1", "prediction": "A"}]


def test_what_excel_adds_to_a_table_is_no_row(tmp_path: Path) -> None:
    """The separator in a line before the heading, and separators alone in deleted rows."""
    path = tmp_path / "t.csv"
    path.write_text("sep=;\nid;prediction\n1;A\n;\n2;\n ; \n")
    rows = [{"id": "1", "prediction": "A"}, {"id": "2", "prediction": ""}]
    assert read_cells(path) == rows

    spreadsheet = tmp_path / "t.xlsx"
    blank = {"id": " ", "prediction": ""}
    pd.DataFrame([*rows, blank]).to_excel(spreadsheet, index=False)
    assert read_cells(spreadsheet) == rows

    path.write_text("sep=;\nid;prediction\n1;A;B\n")
    with pytest.raises(DataError, match=r"begins in line 3\."):
        read_cells(path)


def test_an_answer_that_begins_like_a_formula_is_read_from_a_spreadsheet(tmp_path: Path) -> None:
    """Pandas writes `=5` as a formula that nothing has calculated."""
    path = tmp_path / "t.xlsx"
    pd.DataFrame({"id": [1], "prediction": ["=5"]}).to_excel(path, index=False)
    assert read_cells(path) == [{"id": "1", "prediction": "=5"}]


def test_a_spreadsheets_errors_and_distant_cells_change_no_answer(tmp_path: Path) -> None:
    """Pandas writes the text `#N/A` as an error; a cell beyond the heading is of no column."""
    path = tmp_path / "t.xlsx"
    book = openpyxl.Workbook()
    for cells in (["id", "prediction"], [1, "#N/A"], [2, "B", "", "a note"]):
        book.active.append(cells)
    book.active.cell(200_000, 50, " ")
    book.save(path)
    assert read_cells(path)[:2] == [
        {"id": "1", "prediction": "#N/A"},
        {"id": "2", "prediction": "B"},
    ]


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


def test_a_tab_in_a_quoted_name_of_a_column_separates_nothing(tmp_path: Path) -> None:
    """VLMEvalKit's accuracies have a column per category, and categories are as they were typed."""
    path = tmp_path / "t.csv"
    path.write_text('"split","Oceans\t"\n"test","0.5"\n')
    assert read_cells(path) == [{"split": "test", "Oceans\t": "0.5"}]


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
        (
            "t.tsv",
            b'id\tprediction\n1\tA\n2\t"B\n3\tC\n',
            "end of data in the row that begins in line 3.",
        ),
        (
            "t.tsv",
            b'id\tprediction\n1\t"A\nB"\n2\t"B" or C\n',
            "expected after '\"' in the row that begins in line 4.",
        ),
        (
            "t.tsv",
            b"id\tprediction\n1\tA\n2\tA\tB\n",
            "3 cells below 2 columns in the row that begins in line 3.",
        ),
        ("t.tsv", b"id\x81\tprediction\n", "Windows-1252, found another encoding"),
        ("t.csv", "id,prediction\n1,図の色は赤です".encode("euc_jp"), "found another encoding"),
        ("t.csv", "id,prediction\n1,图中的颜色是红色".encode("big5", "ignore"), "found another"),
        ("t.csv", "id,prediction\n1,그림의 색은 빨간색입니다".encode("cp949"), "found another"),
        ("t.csv", "id,prediction\n1,Das Diagramm ist grün".encode("mac_roman"), "found another"),
        ("t.tsv", b"", "found an empty file"),
        (
            "t.csv",
            b"id,prediction\n1,A,B\n",
            "3 cells below 2 columns in the row that begins in line 2.",
        ),
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


def test_a_zip_archive_is_no_spreadsheet(tmp_path: Path) -> None:
    """It is called what it is, with what to do."""
    path = tmp_path / "answers.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("answers.jsonl", "{}")
    with pytest.raises(DataError, match=r"found a zip archive\. Unpack it\.$"):
        read_cells(path)
    log = path.rename(tmp_path / "answers.eval")
    with pytest.raises(DataError, match=r"JSON: inspect log dump LOG\.eval > log\.json\.$"):
        read_cells(log)


def test_samples_are_read_from_a_log_of_inspect_ai_which_repeats_their_scores(
    tmp_path: Path,
) -> None:
    """Of other objects with several lists nobody knows which has the answers."""
    samples = [{"id": 1, "input": "Q", "target": "A"}]
    lists = {"samples": samples, "reductions": [{"scorer": "match", "samples": []}]}
    path = tmp_path / "log.json"
    path.write_text(json.dumps({"version": 2, "plan": {"steps": []}, **lists}))
    assert list(read_records(path)) == samples
    path.write_text(json.dumps({"questions": samples, "answers": samples}))
    with pytest.raises(DataError, match="Write one object for each question"):
        read_records(path)


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
    ("written", "found"),
    [
        ("30.0", "30"),
        ("30.00", "30"),
        ("3.5", "3.5"),
        ("1501.00001v1", "1501.00001v1"),
        ("3.", "3."),
        ("p.0", "p.0"),
        ("", ""),
    ],
)
def test_ids_are_as_they_were_before_a_spreadsheet(written: str, found: str) -> None:
    """Whole numbers lose what a spreadsheet gave them."""
    assert whole_id(written) == found
