"""Pickled tables are read; nothing else in a pickle is made."""

from __future__ import annotations

import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from spiqa_tasks.errors import InputError
from spiqa_tasks.files.pickles import load_pickle
from spiqa_tasks.files.tables import read_cells


class Harmful:
    """What runs a command when it is unpickled."""

    def __reduce__(self) -> Any:
        return os.system, ("touch harmed",)


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_a_table_is_read_as_it_was(tmp_path: Path, protocol: int) -> None:
    """Texts, numbers, empty cells and lists, of every protocol."""
    frame = pd.DataFrame({"index": [1, 2], "prediction": ["None", None], "x": [1.5, np.nan], "images": [["a"], ["b"]]})
    frame.to_pickle(tmp_path / "t.pkl", protocol=protocol)
    pd.testing.assert_frame_equal(load_pickle(tmp_path / "t.pkl"), frame)
    rows = read_cells(tmp_path / "t.pkl")
    assert [(row["index"], row["prediction"], row["x"]) for row in rows] == [("1", "None", "1.5"), ("2", "", "")]
    assert rows[0]["images"] == "['a']"


def test_a_dictionary_of_answers_is_a_table(tmp_path: Path) -> None:
    """As the host keeps the answers of a run that goes on; of anything but texts it is none."""
    (tmp_path / "t.pkl").write_bytes(pickle.dumps({1: "A", "x": "B"}))
    assert read_cells(tmp_path / "t.pkl") == [{"index": "1", "prediction": "A"}, {"index": "x", "prediction": "B"}]
    (tmp_path / "t.pkl").write_bytes(pickle.dumps({1: {"hit": 1}}))
    with pytest.raises(InputError, match="table of answers, found something else"):
        read_cells(tmp_path / "t.pkl")


@pytest.mark.parametrize(
    "content", [pickle.dumps(Harmful()), pickle.dumps({1: Harmful()}), pickle.dumps(print), b"", b"\x80\x04]", b"PK"]
)
def test_anything_else_is_refused_and_never_run(tmp_path: Path, content: bytes) -> None:
    """Functions, objects and broken files."""
    (tmp_path / "t.pkl").write_bytes(content)
    with pytest.raises(InputError, match=r"t\.pkl"):
        load_pickle(tmp_path / "t.pkl")
    assert not Path("harmed").exists()


def test_a_table_with_an_object_in_a_cell_is_refused(tmp_path: Path) -> None:
    """A cell may hold anything, and so may do anything."""
    pd.DataFrame({"index": [1], "prediction": [Harmful()]}).to_pickle(tmp_path / "t.pkl")
    with pytest.raises(InputError, match="no part of a table"):
        load_pickle(tmp_path / "t.pkl")
    assert not Path("harmed").exists()
