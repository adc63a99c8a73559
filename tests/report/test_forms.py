"""The forms in which rows are printed."""

from __future__ import annotations

import csv
import io
import json
import math
from functools import partial
from pathlib import Path

import pytest
from host_files import write_demo_run
from hypothesis import given
from hypothesis import strategies as st

from spiqa_tasks.cli import main
from spiqa_tasks.report.forms import FORMS, as_csv, rendered

TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\r\0"), max_size=8)


@given(st.lists(st.fixed_dictionaries({"name": TEXTS, "value": st.floats(allow_nan=True, allow_infinity=False)})))
def test_csv_comes_back_and_holds_no_formula(records: list[dict[str, object]]) -> None:
    """Any text and number; NaN is empty, and a spreadsheet takes no text for a formula."""
    if not records:
        return
    rows = list(csv.DictReader(io.StringIO(as_csv(records))))
    for row, record in zip(rows, records, strict=True):
        name, value = str(record["name"]), record["value"]
        assert row["name"].removeprefix("'") == name.removeprefix("'")
        assert row["name"][:1] not in ("=", "+", "-", "@")
        assert isinstance(value, float)
        assert row["value"] == ("" if math.isnan(value) else str(value))


def test_dicts_are_columns_and_lists_are_joined() -> None:
    """As deep as they are."""
    assert as_csv([{"a": {"b": {"c": 1}}, "d": ["x", "y"]}]) == "a.b.c,d\n1,x;y\n"


@pytest.mark.parametrize("form", FORMS)
def test_every_form_has_every_row(form: str) -> None:
    """Programs get natural units, people the cells."""
    text = rendered(form, [{"value": 0.5}, {"value": math.nan}], [["50.0"], ["-"]], ["x 100"])
    found = {"json": [{"value": 0.5}, {"value": None}], "csv": ["value", "0.5", '""']}.get(form)
    if form == "json":
        assert json.loads(text) == found
    elif form == "csv":
        assert text.splitlines() == found
    else:
        assert ("50.0" in text, "x 100" in text) == (True, True)


@pytest.fixture(scope="module")
def whole_runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two models' whole runs of one task."""
    folder = tmp_path_factory.mktemp("runs")
    for model, every in (("a", 2), ("b", 3)):
        answers = partial(lambda every, place, row: row["answer"] if place % every else "E", every)
        write_demo_run(folder / model, model, answers)
    return folder


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("command", ["breakdown", "bootstrap --repeats 10", "compare", "score"])
def test_every_command_takes_every_form(
    command: str, form: str, whole_runs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same option, the same names."""
    assert main([*command.split(), str(whole_runs), "--format", form]) == 0
    printed = capsys.readouterr().out
    if form == "json":
        assert json.loads(printed)
    elif form == "csv":
        assert len({len(row) for row in csv.reader(io.StringIO(printed))}) == 1
    else:
        assert {"text": "---", "md": "|", "latex": r"\toprule"}[form] in printed
