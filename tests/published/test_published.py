"""Every published table is there, whole and once."""

from importlib import resources

import pytest

from spiqa_tasks.errors import InputError
from spiqa_tasks.published import load, reported, tables


def test_every_table_loads() -> None:
    """Each file of a paper's table has rows."""
    assert len(tables()) == 31
    assert all(load(paper, table) for paper, table in tables())


def test_what_others_report_has_its_source_and_is_of_known_tasks() -> None:
    """A row for each task, model and way of asking, in percent, with an address; no file of a
    paper's table.
    """
    rows = reported()
    assert len({(row["tasks"], row["model"], row["how"]) for row in rows}) == len(rows) == 14
    for row in rows:
        assert str(row["url"]).startswith("https://")
        assert row["source"]
        assert isinstance(row["value"], float)
        assert 1 < row["value"] < 100
        for task in str(row["tasks"]).split():
            assert any(resources.files("spiqa_tasks.yaml_configs").glob(f"*/{task}.yaml")), task
    by_maker = {row["model"]: row["value"] for row in rows if row["how"] == "by its makers"}
    assert by_maker == {
        "Qwen3-VL-2B-Instruct": 58.3,
        "Qwen3-VL-4B-Instruct": 69.8,
        "InternVL3.5-241B-A28B": 77.9,
    }


def test_values_are_numbers_and_keys_are_strings() -> None:
    """Values are floats or None, and every other cell is a string or None."""
    for paper, table in tables():
        for row in load(paper, table):
            assert row["value"] is None or isinstance(row["value"], float)
            numbers = ("value", "sd", "variance")
            assert all(
                cell is None or isinstance(cell, str)
                for name, cell in row.items()
                if name not in numbers
            )


@pytest.mark.parametrize(
    ("paper", "table", "found"), [("spica", "table3", "scifibench"), ("spiqa", "9", "tableB1")]
)
def test_an_unknown_table_is_an_error_that_names_the_known_ones(
    paper: str, table: str, found: str
) -> None:
    """A wrong paper lists the papers and a wrong table lists that paper's tables."""
    with pytest.raises(InputError, match=found):
        load(paper, table)


@pytest.mark.parametrize(
    ("paper", "table", "rows"),
    [
        ("spiqa", "table2", 1 + 2 + 4 + 5),
        ("spiqa", "table3", (6 + 6 + 2 + 2) * 3 * 5),
        ("spiqa", "table4", 5 * 7),
        ("spiqa", "table5", 4 * 3 * 3 * 6),
        ("spiqa", "table6", (5 + 5) * 6 * 3),
        ("spiqa", "table7", 5 * 6),
        ("spiqa", "table8", 4),
        ("spiqa", "tableB1", 10 * 3),
        ("spiqa", "tableB2", 4 * 5),
        ("spiqa", "tableE1", (6 + 5 + 2 + 2) * 3 * 4),
        ("spiqa", "tableE2", 4 * 3 * 3 * 5),
        ("mmstar", "table1", (1 + 2 + 20) * 7),
        ("mmstar", "table2", (1 + 2 + 20) * 7),
        ("mmstar", "table3", (1 + 10 * 3) * 7),
        ("mmstar", "table4", (1 + 2 + 20) * 7),
        ("mmstar", "table5", (1 + 3 + 14) * (7 + 2)),
        ("mmstar", "table6", (16 + 1) * 8 * 2),
        ("mmstar", "table7", (1 + 16 * 3) * 7),
        ("scifibench", "table1", 2 * 4),
        ("scifibench", "table2", (9 + 19 + 1 + 3) * 10 + 5 * 6),
        ("scifibench", "table3", 10 * 4),
        ("scifibench", "table4", (5 + 1 + 2) * 2),
        ("scifibench", "table5", (29 + 1) * 13),
        ("scifibench", "figure6", 6 * 2),
    ],
)
def test_every_row_of_a_table_is_there_once(paper: str, table: str, rows: int) -> None:
    """A table has methods times columns rows, and no two rows have the same keys."""
    loaded = load(paper, table)
    keys = {
        tuple(cell for name, cell in row.items() if name not in ("value", "sd")) for row in loaded
    }
    assert len(loaded) == len(keys) == rows
