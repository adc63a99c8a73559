"""Whatever the cells of a table hold, a row is asked or its fault is said."""

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from own_data import COLUMNS, write_own

from spiqa_tasks.benchmarks.own.definition import parse
from spiqa_tasks.benchmarks.own.pictures import Pictures
from spiqa_tasks.benchmarks.own.prompts import prompt
from spiqa_tasks.benchmarks.own.proposal import propose
from spiqa_tasks.benchmarks.own.rows import read_rows
from spiqa_tasks.errors import InputError
from spiqa_tasks.files.source import LocalSource

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text("AB(<image1>[{'\"\n.:0é", max_size=12)
)
cells = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("Aab", max_size=2), inner, max_size=3)
    ),
    max_leaves=5,
)
rows = st.lists(
    st.fixed_dictionaries({}, optional=dict.fromkeys((*COLUMNS, "topic"), cells)),
    min_size=1,
    max_size=4,
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A place for the tables."""
    return tmp_path_factory.mktemp("hostile")


@settings(max_examples=150)
@given(
    rows,
    st.sampled_from(["open", "choice", "both"]),
    st.sampled_from(["letter", "index", "number", "text"]),
)
def test_every_table_is_read(
    folder: Path, table: list[dict[str, Any]], kind: str, form: str
) -> None:
    """With every column named; what can be asked has a prompt."""
    whole = dict.fromkeys((*COLUMNS.values(), "topic"))
    columns = {**COLUMNS, "groups": "topic", "cluster": "topic"}
    path = write_own(
        folder, [{**whole, **row} for row in table], kind=kind, answer_is=form, columns=columns
    )
    definition = parse(yaml.safe_load(path.read_text()), folder)
    found, faults = read_rows(definition, LocalSource(folder), "test")
    assert len(found) + len(faults) == len(table)
    for row in found.values():
        assert prompt(definition, row, (), "none")
        json.dumps(row)


@settings(max_examples=150)
@given(rows)
def test_every_table_has_a_proposal(folder: Path, table: list[dict[str, Any]]) -> None:
    """It names columns of the table, or says what it cannot tell."""
    with contextlib.suppress(InputError):
        assert {"question", "answer"} <= propose(table, {}, folder / "none")["columns"].keys()


any_text = st.text(max_size=8) | st.sampled_from(
    ["A picture\0", "\ud800", "/", "../..", "x/" * 3000, "Which colour? " * 99]
)


@settings(max_examples=60)
@given(
    st.lists(
        st.fixed_dictionaries({"image": any_text, "id": any_text, "note": any_text}),
        min_size=1,
        max_size=3,
    )
)
def test_any_text_may_be_looked_at_as_a_path(folder: Path, table: list[dict[str, Any]]) -> None:
    """Texts that are longer than a path may be, or that no path can have, are no pictures."""
    (folder / "pictures").mkdir(exist_ok=True)
    (folder / "pictures" / "a.png").touch()
    rows = [
        {"question": "Which?", "answer": "red", **row, "image": f"{row['image']}.png"}
        for row in table
    ]
    assert propose(rows, {}, folder)["columns"]["question"] == "question"
    pictures = Pictures(("image", "{note}/a.png"), folder, "none")
    with pytest.raises(ValueError, match="no picture at"):
        pictures.of({"image": "nowhere.png", **rows[0]}, 0)
