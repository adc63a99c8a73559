"""docs/papers.md: every table and figure of the three papers, each with a command that exists, or a reason."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from spiqa_tasks.cli import whole_parser
from spiqa_tasks.hosts.catalogue import catalogue
from spiqa_tasks.published import tables

PAGE = (Path(__file__).resolve().parents[1] / "docs" / "papers.md").read_text(encoding="utf-8")
SECTIONS = {
    name.lower(): dict(re.findall(r"^\| ((?:Table|Figure) .*?) \| (.*) \|$", text, re.MULTILINE))
    for name, text in re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
}
"""Paper -> its tables and figures as the page names them -> what the page says of each."""
APPENDIX = {
    "spiqa": [f"Table {number}" for number in ("B.1", "B.2", "E.1", "E.2")]
    + [f"Figure {number}" for number in ("B.1", "D.1", "D.2", "F.1", "G.1", "G.2", "G.3", "G.4", "H.1", "H.2", "H.3")]
    + ["Figure I.1"]
}
NUMBERED = {"spiqa": (8, 4), "mmstar": (7, 8), "scifibench": (5, 12)}
"""Paper -> how many tables and figures it numbers without a letter."""
COMMANDS = [command for rows in SECTIONS.values() for row in rows.values() for command in re.findall("`([^`]+)`", row)]
REASONS = (
    *("not published", "illustration", "in no file of the release", "nothing of it is measured", "prompt"),
    *("as Table", "as Figure"),
)


def named(paper: str) -> list[str]:
    """The tables and figures that the page has of a paper."""
    return [name for row in SECTIONS[paper] for name in row.split(", ")]


@pytest.mark.parametrize("paper", list(NUMBERED))
def test_every_table_and_figure_is_there_once(paper: str) -> None:
    """As the papers number them, and none that they do not have."""
    numbers = [range(1, count + 1) for count in NUMBERED[paper]]
    expected = [f"{kind} {number}" for kind, each in zip(("Table", "Figure"), numbers, strict=True) for number in each]
    assert sorted(named(paper)) == sorted(expected + APPENDIX.get(paper, []))


def test_every_published_table_is_there() -> None:
    """Those that the package has as data, but for results of the running text."""
    keys = {(paper, name.lower().replace(" ", "").replace(".", "")) for paper in NUMBERED for name in named(paper)}
    assert {(paper, table.lower()) for paper, table, _ in tables() if table != "text"} <= keys


def test_every_row_has_a_command_or_a_reason() -> None:
    """A command of ours or of the host's, else one of the reasons."""
    silent = [
        name
        for rows in SECTIONS.values()
        for name, row in rows.items()
        if not re.search("`(spiqa-tasks|lmms-eval) ", row) and not any(reason in row for reason in REASONS)
    ]
    assert silent == []


@pytest.mark.parametrize("command", sorted({each for each in COMMANDS if each.startswith("spiqa-tasks ")}))
def test_every_command_of_ours_is_one(command: str) -> None:
    """Its arguments are known."""
    assert callable(whole_parser().parse_args(shlex.split(command)[1:]).run)


@pytest.mark.parametrize("command", sorted({each for each in COMMANDS if each.startswith("lmms-eval ")}))
def test_every_task_of_the_host_is_one_of_ours(command: str) -> None:
    """Or a group of ours."""
    tasks, groups = catalogue()
    (names,) = re.findall(r"--tasks (\S+)", command)
    assert set(names.split(",")) <= {*tasks, *groups, *groups["multimodal_gain"]}
