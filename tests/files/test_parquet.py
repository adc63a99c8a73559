"""Parquet release files: whole sets of shards with the columns that are expected."""

from __future__ import annotations

from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

from spiqa_tasks.errors import DataError
from spiqa_tasks.files.parquet import read_rows


def write(path: Path, rows: list[dict[str, int]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    return path


def test_rows_of_all_shards_come_in_order_with_the_columns_asked_for(tmp_path: Path) -> None:
    """Two shards are one list; a column that nobody asked for is left out."""
    paths = [write(tmp_path / f"x-0000{part}-of-00002.parquet", [{"ID": part, "other": 1}]) for part in (0, 1)]
    assert read_rows(paths, ["ID"]) == [{"ID": 0}, {"ID": 1}]


def test_missing_shard_and_missing_column_and_no_parquet_are_errors(tmp_path: Path) -> None:
    """Incomplete or foreign files are refused, each with its own sentence."""
    first = write(tmp_path / "x-00000-of-00002.parquet", [{"ID": 1}])
    with pytest.raises(DataError, match="whole set of parquet shards"):
        read_rows([first], ["ID"])
    with pytest.raises(DataError, match=r"sets of \[2, 3\]"):
        read_rows([first, write(tmp_path / "x-00000-of-00003.parquet", [{"ID": 1}])], ["ID"])
    only = write(tmp_path / "x-00000-of-00001.parquet", [{"ID": 1}])
    with pytest.raises(DataError, match="no Question, Options among ID"):
        read_rows([only], ["ID", "Question", "Options"])
    only.write_text("no parquet")
    with pytest.raises(DataError, match="to be a parquet file"):
        read_rows([only], ["ID"])
