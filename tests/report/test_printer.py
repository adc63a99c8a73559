"""One printer for all commands."""

import csv
import io
import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiqa_tasks.report.printer import (
    Column,
    Table,
    as_csv,
    as_json,
    number,
    p_value,
    percent,
    render,
)

TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\r\0"), max_size=8)
RUNS = [
    {
        "task": "mmstar_filtered",
        "run": run,
        "n": 1500,
        "value": 0.5,
        "low": None,
        "high": math.nan,
        "more": {"a.b": 7},
    }
    for run in ("one", "other")
]


def table(rows: list[list[str]]) -> Table:
    """A table of texts, the first row of which is the headings."""
    heads, *cells = rows
    columns = [Column(str(place), head) for place, head in enumerate(heads)]
    records = [{str(place): cell for place, cell in enumerate(row)} for row in cells]
    return Table(records, columns)


def test_a_command_names_fields_and_how_they_are_shown() -> None:
    """Within fields, too; what a record lacks is empty, a column that all lack is not shown, NaN
    is a dash.
    """
    values = [
        "n",
        Column("value", "x 100", number, ("low", "high")),
        Column("more.a.b"),
        "high",
        "other",
    ]
    shown = Table([*RUNS, {"run": "third", "n": None}], ["task", "run", *values])
    assert shown.grid.heads == ["task", "run", "n", "x 100", "b", "high"]
    assert shown.grid.rows == [
        ["mmstar_filtered", "one", "1500", "50.0", "7", "-"],
        ["mmstar_filtered", "other", "1500", "50.0", "7", "-"],
        ["", "third", "", "", "", ""],
    ]
    assert shown.grid.aligned == ["left", "left", *["right"] * 4]


def test_programs_get_whole_records_and_people_the_columns() -> None:
    """Of all tables, unless one is for people alone; json may be an object of its own."""
    tables = [
        Table(RUNS[:1], ["run", "n"], "Title", ["A note."]),
        Table(RUNS, ["run"], data=()),
    ]
    assert json.loads(render("json", *tables)) == [{**RUNS[0], "high": None}]
    assert json.loads(render("json", *tables, whole={"n": 1})) == {"n": 1}
    assert render("csv", *tables).splitlines() == [
        "task,run,n,value,low,high,more.a.b",
        "mmstar_filtered,one,1500,0.5,,,7",
    ]
    for form, beginning in (
        ("text", ["Title", "run     n", "---  ----", "one  1500", "", "A note.", "", "run"]),
        (
            "md",
            [
                "### Title",
                "",
                "| run   |    n |",
                "|-------|------|",
                "| one   | 1500 |",
                "",
                "A note.",
            ],
        ),
        (
            "latex",
            ["% Title", "% A note.", r"\begin{tabular}{lr}", r"\toprule", r" run   &    n \\"],
        ),
    ):
        lines = render(form, *tables).splitlines()
        assert lines[: len(beginning)] == beginning
        assert [sum(word in line for line in lines) for word in ("A note.", "other")] == [1, 1]


def test_text_of_users_is_no_markup() -> None:
    """Names of models and tasks can hold anything that Markdown reads; a bar within a cell makes
    no column.
    """
    hostile = "`a` *b* _c_ |d| <e> [f](g) #h \\"
    escaped = "\\`a\\` \\*b\\* \\_c\\_ \\|d\\| \\<e\\> \\[f\\](g) \\#h \\\\"
    text = render("md", Table([{"run": hostile}], ["run"], hostile, [hostile]))
    lines = [line for line in text.splitlines() if "h" in line]
    assert lines == [f"### {escaped}", f"| {escaped} |", escaped]


def test_names_hold_no_markup_and_steer_no_terminal() -> None:
    """Markdown's own letters are escaped, control characters are blanks; each cell is one line."""
    hostile = Table([{"run": "a|b_c\x1b[2J"}], [Column("run", "model\njudge")])
    assert render("md", hostile).splitlines()[::2] == ["| model judge   |", r"| a\|b_c [2J    |"]
    assert "\x1b" not in render("text", hostile)


@given(
    st.lists(
        st.fixed_dictionaries(
            {"name": TEXTS, "value": st.floats(allow_nan=True, allow_infinity=False)}
        )
    )
)
def test_csv_comes_back(records: list[dict[str, object]]) -> None:
    """Any text and number; NaN is empty."""
    if not records:
        return
    rows = list(csv.DictReader(io.StringIO(as_csv(records))))
    for row, record in zip(rows, records, strict=True):
        value = record["value"]
        assert row["name"] in (record["name"], f"'{record['name']}")
        assert isinstance(value, float)
        assert row["value"] == ("" if math.isnan(value) else str(value))


WORDS = st.lists(st.text("abcx_-.,5", min_size=1, max_size=20), min_size=1, max_size=8).map(
    " ".join
)


@given(
    st.integers(1, 9).flatmap(
        lambda n: st.lists(st.lists(WORDS, min_size=n, max_size=n), min_size=2, max_size=4)
    ),
    st.sampled_from([60, 80, 100]),
)
def test_a_table_fits_its_terminal_and_loses_nothing(rows: list[list[str]], width: int) -> None:
    """Cells are wrapped at blanks, then columns of numbers stand in several parts. Words stay
    whole, so a table of many columns of text is wider.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", str(width))
        printed = render("text", table(rows))

    narrowest = len(rows[0]) * (21 + 2) - 2
    assert max(map(len, printed.splitlines())) <= max(width, narrowest)
    assert all(line == line.rstrip() for line in printed.splitlines())
    for row in rows:
        for cell in row:
            assert all(word in printed for word in cell.split())


def test_labels_stand_in_every_part_of_a_split_table() -> None:
    """Those that are the same in every row, too; numbers are not wrapped."""
    names = [f"accuracy/{group} x 100" for group in ("math", "logic", "science", "coarse", "fine")]
    rows = [["mmstar_filtered", run, *["50.0 [41.2, 58.8]"] * 5] for run in ("one", "other")]
    parts = render("text", table([["task", "run", *names], *rows])).split("\n\n")
    assert len(parts) == 2
    for part in parts:
        head, *_, one, other = part.splitlines()
        assert [line.split()[:2] for line in (head, one, other)] == [
            *(["task", "run"], ["mmstar_filtered", "one"], ["mmstar_filtered", "other"])
        ]
        assert all("50.0 [41.2, 58.8]" in line for line in (one, other))
    assert all(sum(name.split()[0] in part for part in parts) == 1 for name in names)


def test_a_part_of_a_split_table_has_labels_and_values() -> None:
    """Published rows of one benchmark are not repeated, blank, below the values of another; a
    column that is wider than what labels leave stands beside them.
    """
    heads = ["mmstar".ljust(60, "_"), "spiqa".ljust(60, "_")]
    for model in ("model", "model".ljust(70, "_")):
        rows = [["run", "50.0", "60.0"], ["paper", "57.1", ""], ["other", "", "-"]]
        first, second = render("text", table([[model, *heads], *rows])).split("\n\n")
        assert [line.split()[0] for line in first.splitlines()[2:]] == ["run", "paper"]
        assert [line.split()[0] for line in second.splitlines()[2:]] == ["run", "other"]


def test_long_names_stay_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two models called by the paths of their checkpoints can be copied, with their numbers."""
    monkeypatch.setenv("COLUMNS", "100")
    models = [f"/checkpoints/{'long-name-of-a-model-' * 3}{seed}" for seed in (1, 2)]
    rows = [["run", "against", "difference", "n"], [*models, "54.2 [23.7, 76.3]", "24"]]
    last = render("text", table(rows)).splitlines()[-1]
    assert last.split() == [*models, "54.2", "[23.7,", "76.3]", "24"]


def test_an_interval_stays_on_one_line() -> None:
    """Where its cell is wrapped for what stands behind it."""
    cells = ["100.0 [-100.0, 100.0] (1499 of 1500)"] * 4
    assert (
        render("text", table([["task", *"abcd"], ["mmstar", *cells]])).count("[-100.0, 100.0]") == 4
    )


def test_programs_get_the_records_as_they_are() -> None:
    """Columns in the order in which they come first; letters stay letters."""
    records = [{"a": "x=1", "b": math.nan, "c": {"d": (1, 2)}}, {"e": -1, "a": "x"}]
    assert as_csv(records) == "a,b,c.d,e\nx=1,,1;2,\nx,,,-1"
    assert as_json([{"ä": math.nan}]) == '[\n {\n  "ä": null\n }\n]'


@pytest.mark.parametrize("text", ["=1+1", "+1|cmd", "-x", "@SUM(A1)", "\t=1"])
def test_no_cell_of_a_csv_is_a_formula(text: str) -> None:
    """A spreadsheet runs what begins like a formula; numbers, also negative ones, stay numbers."""
    lines = as_csv([{"answer": text, "change": -0.5, "lows": (-1, 2)}]).splitlines()
    assert lines[1].startswith(f"'{text}")
    assert lines[1].endswith(",-0.5,-1;2")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        *(
            (percent(0.0), "0.0"),
            (percent(0.5214), "52.1"),
            (percent(-0.0206), "-2.1"),
            (percent(-0.0003), "0.0"),
            (percent(None), "-"),
        ),
        *(
            (number(0.5), "50.0"),
            (number(0.5, 0.25, 0.75), "50.0 [25.0, 75.0]"),
            (number(0.5, 0.25), "50.0"),
        ),
        *(
            (number(-0.0625, -0.1, 0.0), "-6.2 [-10.0, 0.0]"),
            (number(None), "-"),
            (number(math.nan, 0.1, 0.2), "-"),
        ),
        *(
            (p_value(0.0), "< 0.001"),
            (p_value(0.00099), "< 0.001"),
            (p_value(0.001), "0.001"),
            (p_value(1.0), "1.000"),
        ),
        *((p_value(math.nan), "-"), (p_value(None), "-"), (p_value(0.0167), "0.017")),
    ],
)
def test_numbers_are_shown(text: str, shown: str) -> None:
    """Shares times 100 with their interval, a dash where there is none, and no p-value of 0."""
    assert text == shown
