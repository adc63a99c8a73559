"""The forms in which rows are printed."""

from __future__ import annotations

import argparse
import csv
import io
import json
import math
import os
import shutil
from collections import Counter
from functools import partial
from pathlib import Path

import pytest
from host_files import write_demo_run
from hypothesis import given
from hypothesis import strategies as st

from spiqa_tasks.cli import main
from spiqa_tasks.report.forms import FORMS, add_format, as_csv, as_jsonl, as_table, rendered, width

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


WORDS = st.lists(st.text("abcx_-.,5", min_size=1, max_size=40), min_size=1, max_size=8).map(" ".join)


@given(
    st.integers(1, 9).flatmap(lambda n: st.lists(st.lists(WORDS, min_size=n, max_size=n), min_size=2, max_size=4)),
    st.sampled_from([40, 100]),
)
def test_a_table_fits_its_terminal_and_loses_nothing(rows: list[list[str]], room: int) -> None:
    """Whatever the cells hold; where columns stand in groups the first one is repeated."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", str(room))
        printed = as_table(rows[1:], rows[0])
    assert max(map(len, printed.splitlines())) <= room
    shown = Counter(letter for letter in printed if not letter.isspace() and letter != "-")
    for letter, count in Counter("".join(letter for row in rows for cell in row for letter in cell)).items():
        assert letter in " -" or shown[letter] >= count


def test_groups_of_columns_stand_behind_what_tells_the_rows_apart() -> None:
    """The task is the same in every row, the run is not; numbers are never wrapped."""
    names = [f"accuracy/{group} x 100" for group in ("math", "logic", "science", "coarse", "fine")]
    rows = [["mmstar_filtered", run, *["50.0 [41.2, 58.8]"] * 5] for run in ("one", "other")]
    blocks = as_table(rows, ["task", "run", *names]).split("\n\n")
    assert [block.splitlines()[0].split()[0] for block in blocks] == ["task", "run"]
    assert [[line.split()[0] for line in block.splitlines()[2:]] for block in blocks[1:]] == [["one", "other"]]
    assert all("50.0 [41.2, 58.8]" in line for block in blocks for line in block.splitlines()[2:])
    assert all(sum(name in block for block in blocks) == 1 for name in names)


def test_prose_is_wrapped_before_a_table_is_split() -> None:
    """The other columns stay as they are."""
    printed = as_table([["one", "a long sentence " * 9, "7"]], ["name", "told", "n"])
    assert len(printed.splitlines()) == 4
    assert printed.splitlines()[2].startswith("one ")
    assert printed.splitlines()[2].endswith(" 7")


@pytest.mark.parametrize(
    ("rows", "shown"),
    [
        (
            [["name", "told"], ["one", "a long sentence that is wrapped at its blanks"], ["two", "short\nlines"]],
            [
                *("name  told", "----  ----------------------------------"),
                *("one   a long sentence that is wrapped at", "      its blanks", "two   short", "      lines"),
            ],
        ),
        (
            [
                ["task", "run", *(f"m{place} x 100" for place in range(4))],
                *(["t", run, *["50.0 [41.2]"] * 4] for run in ("one", "other")),
            ],
            [
                *("task  run    m0 x 100     m1 x 100", "----  -----  -----------  -----------"),
                *("t     one    50.0 [41.2]  50.0 [41.2]", "t     other  50.0 [41.2]  50.0 [41.2]", ""),
                *("run    m2 x 100     m3 x 100", "-----  -----------  -----------"),
                *("one    50.0 [41.2]  50.0 [41.2]", "other  50.0 [41.2]  50.0 [41.2]"),
            ],
        ),
        (
            [["a" * 30, "b" * 30], ["x" * 60, "1"]],
            [
                *("aaaaaaaaaaaaaaaaaaaa  bbbbbbbbbbbbbbbbbb", "aaaaaaaaaa            bbbbbbbbbbbb"),
                *("--------------------  ------------------", "xxxxxxxxxxxxxxxxxxxx  1"),
                *("xxxxxxxxxxxxxxxxxxxx", "xxxxxxxxxxxxxxxxxxxx"),
            ],
        ),
        ([["a", "b"]], ["a  b", "-  -"]),
    ],
)
def test_a_table_of_forty_columns_is_laid_out(
    rows: list[list[str]], shown: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wrapped at blanks, then in groups of columns, then within words; without a row it is its head."""
    monkeypatch.setenv("COLUMNS", "40")
    assert as_table(rows[1:], rows[0]).splitlines() == shown


def test_the_width_is_the_terminals_or_a_hundred(monkeypatch: pytest.MonkeyPatch) -> None:
    """Never less than twenty columns."""
    monkeypatch.setenv("COLUMNS", "7")
    assert width() == 20
    monkeypatch.delenv("COLUMNS")
    monkeypatch.setattr(shutil, "get_terminal_size", lambda fallback: os.terminal_size(fallback))
    assert width() == 100


def test_other_forms_for_people_are_tabulates() -> None:
    """What is not there is an empty cell, and texts stay texts."""
    assert as_table([[None, 1.50]], ["a", "b"], "md").splitlines() == [
        *("| a   | b   |", "|-----|-----|", "|     | 1.5 |")
    ]
    assert as_table([["a_1", "2.50"]], ["x", "y"], "latex").splitlines() == [
        *(r"\begin{tabular}{ll}", r"\toprule", r" x   & y    \\", r"\midrule", r" a\_1 & 2.50 \\"),
        *(r"\bottomrule", r"\end{tabular}"),
    ]


def test_programs_get_the_records_as_they_are() -> None:
    """Columns in the order in which they come first; only texts can be formulas; letters stay letters."""
    records = [{"a": "=1", "b": math.nan, "c": {"d": (1, 2)}}, {"e": -1, "a": "-x"}]
    assert as_csv(records) == "a,b,c.d,e\n'=1,,1;2,\n'-x,,,-1\n"
    assert [as_csv([{"a": f"{first}x"}]) for first in "+@\t"] == [f"a\n'{first}x\n" for first in "+@\t"]
    assert rendered("json", [{"ä": math.nan}]) == '[\n {\n  "ä": null\n }\n]'
    assert as_jsonl([{"ä": 1}, {}]) == '{"ä": 1}\n{}\n'


def test_the_form_is_an_option() -> None:
    """Text unless it is said, with a short form for JSON, and refused where a command has no such form."""
    parser = argparse.ArgumentParser()
    add_format(parser, ("text", "json"))
    given = ([], ["--json"], ["--format", "json"])
    assert [parser.parse_args(words).format for words in given] == ["text", "json", "json"]
    with pytest.raises(SystemExit):
        parser.parse_args(["--format", "csv"])
    (option, short) = parser._actions[1:]
    assert option.help == "of what is printed: tables have values x 100; csv and json natural units (default: text)"
    assert short.help == "short for --format json"


@pytest.fixture(scope="module")
def whole_runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two models' whole runs of one task."""
    folder = tmp_path_factory.mktemp("runs")
    for model, every in (("a", 2), ("b", 3)):
        answers = partial(lambda every, place, row: row["answer"] if place % every else "E", every)
        write_demo_run(folder / model, model, answers)
    (folder / "answers.jsonl").write_text(
        '{"id": "x", "response": "B", "choices": ["red", "blue"]}\n', encoding="utf-8"
    )
    return folder


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "command",
    [
        *("breakdown {}", "bootstrap --repeats 10 {}", "compare {}", "score {}"),
        *("list --search mmstar", "calibrate --traps --list", "doctor", "choices {}/answers.jsonl"),
    ],
)
def test_every_command_takes_every_form(
    command: str, form: str, whole_runs: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same option, the same names."""
    monkeypatch.setenv("SPIQA_JUDGE", "none")
    assert main([*command.format(whole_runs).split(), "--format", form]) == 0
    printed = capsys.readouterr().out
    if form == "json":
        assert json.loads(printed)
    elif form == "csv":
        assert len({len(row) for row in csv.reader(io.StringIO(printed))}) == 1
    elif (command, form) == ("doctor", "text"):
        assert printed.startswith("ok  ")
    else:
        assert {"text": "---", "md": "|", "latex": r"\toprule"}[form] in printed
