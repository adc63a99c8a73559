"""The list of every table and figure of the three papers."""

import re
import shlex

import pytest

from spiqa_tasks.cli import command_of
from spiqa_tasks.commands.paper_tables import MAKERS
from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.catalogue import catalogue
from spiqa_tasks.published import PAPERS, Item, item_named, items, tables

APPENDIX = {
    "spiqa": (
        [f"Table {number}" for number in ("B.1", "B.2", "E.1", "E.2")]
        + [
            f"Figure {number}"
            for number in (
                "B.1",
                "D.1",
                "D.2",
                "F.1",
                "G.1",
                "G.2",
                "G.3",
                "G.4",
                "H.1",
                "H.2",
                "H.3",
            )
        ]
        + ["Figure I.1"]
    ),
    "scifibench": ["Section 4.2", "Section 4.4"],
}
NUMBERED = {"spiqa": (8, 4), "mmstar": (7, 8), "scifibench": (5, 12)}
"""Paper -> how many tables and figures it numbers without a letter."""


@pytest.mark.parametrize("paper", PAPERS)
def test_every_table_and_figure_is_there_once(paper: str) -> None:
    """As the papers number them, and sections with results that no table has."""
    numbers = [range(1, count + 1) for count in NUMBERED[paper]]
    expected = [
        f"{kind} {number}"
        for kind, each in zip(("Table", "Figure"), numbers, strict=True)
        for number in each
    ]
    assert sorted(item.name for item in items() if item.paper == paper) == sorted(
        expected + APPENDIX.get(paper, [])
    )


def test_every_published_table_is_there() -> None:
    """Under the same key, but for results of the running text."""
    assert {(paper, table) for paper, table in tables() if table != "text"} <= {
        (i.paper, i.key) for i in items()
    }


@pytest.mark.parametrize("item", items(), ids=lambda item: f"{item.paper}-{item.key}")
def test_every_item_has_a_maker_or_a_reason_and_real_tasks(item: Item) -> None:
    """Tasks and groups of the package."""
    assert item.maker in MAKERS or (not item.maker and item.note)
    known, groups = catalogue()
    assert set(item.tasks) <= {*known, *groups}


@pytest.mark.parametrize(
    "command",
    sorted({text for item in items() for text in re.findall("`spiqa-tasks (.+?)`", item.note)}),
)
def test_every_command_of_a_note_can_be_typed(command: str) -> None:
    """Its options exist, and it has the arguments that it needs."""
    name, *words = shlex.split(command)
    assert command_of(name)[1].parse_intermixed_args(words)


def test_an_item_is_found_in_any_spelling() -> None:
    """As on the command line, as in the paper; another one is refused with those that there are."""
    assert {item_named("spiqa", name).name for name in ("tableB1", "Table B.1", "table_b1")} == {
        "Table B.1"
    }
    with pytest.raises(
        InputError,
        match=r"Expected a table or figure of mmstar, found table9\. `spiqa-tasks paper mmstar`",
    ):
        item_named("mmstar", "table9")
