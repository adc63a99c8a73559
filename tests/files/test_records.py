"""Tables of questions in every form have the same rows."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow
import pyarrow.parquet
import pytest

from spiqa_tasks.errors import DataError
from spiqa_tasks.files.records import KEY, read_cells, read_records, read_rows

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
    assert list(read_records([tmp_path / name])) == expected


def test_lines_of_json_are_read_whatever_the_file_is_called(tmp_path: Path) -> None:
    """Some published files of lines end in .json."""
    _jsonl(tmp_path / "rows.json")
    assert list(read_records([tmp_path / "rows.json"])) == ROWS


def test_an_object_of_objects_has_its_keys_in_a_column(tmp_path: Path) -> None:
    """The rows of a JSON object are its values."""
    (tmp_path / "rows.json").write_text(
        json.dumps({f"k{place}": row for place, row in enumerate(ROWS)})
    )
    found = list(read_records([tmp_path / "rows.json"]))
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
        ("rows.csv", b'a\n"b', "EOF inside string"),
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
        list(read_records([tmp_path / name]))


def test_a_folder_is_refused(tmp_path: Path) -> None:
    """A folder is no table."""
    with pytest.raises(DataError, match="to be a file, found a folder"):
        list(read_records([tmp_path]))


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
    """Whatever their types are there; the escapes of spreadsheets are decoded in an xlsx alone,
    of questions.
    """
    rows = [{"id": 7, "a": None, "b": 0.5, "c": "_x0041_"}]
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "t.parquet")
    (tmp_path / "t.jsonl").write_text(json.dumps(rows[0]))
    (tmp_path / "t.json").write_text(json.dumps(rows))
    for name in ("t.parquet", "t.jsonl", "t.json"):
        assert read_cells(tmp_path / name) == [{"id": "7", "a": "", "b": "0.5", "c": "A"}]
        assert read_cells(tmp_path / name, escaped=False)[0]["c"] == "_x0041_"
    frame = pd.DataFrame({"c": ["_x0042_"]})
    frame.to_csv(tmp_path / "t.csv", index=False)
    assert list(read_records([tmp_path / "t.csv"])) == [{"c": "_x0042_"}]
    frame.to_excel(tmp_path / "t.xlsx", index=False)
    assert list(read_records([tmp_path / "t.xlsx"])) == [{"c": "B"}]
