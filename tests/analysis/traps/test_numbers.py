"""Traps in numbers and units, each on references of its own."""

from __future__ import annotations

import re

import pytest

from spiqa_tasks.analysis.traps.item import Item
from spiqa_tasks.analysis.traps.numbers import TRAPS, replacing

MAKE = {trap.name: trap.make for trap in TRAPS}


@pytest.mark.parametrize(
    ("name", "reference", "expected"),
    [
        ("number in words", "2 of 12, not 13 or 3%.", "two of twelve, not 13 or 3%."),
        ("number in words", "1.5 of v2", None),
        ("percent in words", "24% and 3.5%", "24 percent and 3.5 percent"),
        ("percent in words", "24", None),
        ("percent as share", "24% and 3.5% of 100%", "0.24 and 0.035 of 1"),
        ("equal unit", "76 ms, 1.5 km and 20 to 300 m", "0.076 s, 1500 m and 0.02 to 0.3 km"),
        ("equal unit", "76 s", None),
        ("thousands comma", "8400, 84000.5, 999 and 12345678", "8,400, 84000.5, 999 and 12,345,678"),
        ("thousands comma", "999 of 1000.5", None),
        ("more decimals", "7.2 of 24% and 3", "7.20 of 24.0% and 3"),
        ("other number", "30 of 60", "40 of 60"),
        ("other number", "1.5 of 60", "2.0 of 60"),
        ("other number", "0.02", "0.03"),
        ("other number", "none", None),
        ("one wrong of two", "30 of 60.", "30 of 80."),
        ("one wrong of two", "30 of 60 and 90.", "30 of 60 and 120."),
        ("one wrong of two", "30 of sixty", None),
        ("other sign", "Better by 3 and by 4", "Better by minus 3 and by 4"),
        ("other sign", "by three", None),
        ("wrong unit", "76 ms, 1 km, 20 to 30 m, 5%", "76 s, 1 m, 20 to 30 km, 5 per mille"),
        ("wrong unit", "76 s", None),
        ("other order", "It falls from 3 ms to 1.5 ms, from 4 to 2.", "It falls from 1.5 ms to 3 ms, from 4 to 2."),
        ("other order", "between 3 and 4", None),
    ],
)
def test_a_rule_changes_what_it_says(name: str, reference: str, expected: str | None) -> None:
    """And makes nothing of a reference in which it finds nothing to change."""
    assert MAKE[name](Item("?", reference, [], 0)) == expected


def test_every_rule_says_whether_its_answers_are_right() -> None:
    """Six write the same number otherwise, five write another one."""
    assert [trap.right for trap in TRAPS] == [True] * 6 + [False] * 5


def test_a_rule_replaces_what_its_pattern_finds() -> None:
    """Everywhere, or so often as it says; by a text with groups, or what a function makes of each find."""
    item = Item("?", "a1 b2 c3", [], 0)
    assert replacing(re.compile(r"\w(\d)"), r"\1")(item) == "1 2 3"
    assert replacing(re.compile(r"\d"), lambda found: str(int(found[0]) + 1), 2)(item) == "a2 b3 c3"
    assert replacing(re.compile(r"x"), "y")(item) is None
    assert replacing(re.compile(r"a"), "a")(item) is None
