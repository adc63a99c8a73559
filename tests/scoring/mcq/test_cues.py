"""The tables of cues are such that each cue can be met in a line, and says one thing."""

from __future__ import annotations

from collections import Counter

import pytest
from lines import line_of

from spiqa_tasks.scoring.mcq import cues

TABLES = {"words": (cues.WORDS, None), "phrases": (cues.PHRASES, "|"), "joined": (cues.JOINED, None)}
ALL = {**cues.KIND_OF_WORD, **cues.KIND_OF_PHRASE, **cues.KIND_OF_JOINED}


def test_a_table_is_turned_around() -> None:
    """Cues stand between spaces or another separator, and may go over the end of a line."""
    assert cues.kind_by_cue({"A": "one two\n  three", "B": "four"}, None) == {
        "one": "A",
        "two": "A",
        "three": "A",
        "four": "B",
    }
    assert cues.kind_by_cue({"A": "one two|three\n    |four\n  five"}, "|") == {
        "one two": "A",
        "three": "A",
        "four five": "A",
    }


@pytest.mark.parametrize("name", TABLES)
def test_a_cue_has_one_kind(name: str) -> None:
    """No cue stands twice in a table, where the last would win."""
    table, separator = TABLES[name]
    counts = Counter(" ".join(cue.split()) for line in table.values() for cue in line.split(separator))
    assert [cue for cue, count in counts.items() if count > 1] == []


@pytest.mark.parametrize("cue", ALL)
def test_a_cue_is_met_in_a_line(cue: str) -> None:
    """A line that holds a cue alone is of its kind: it is in lower case and survives the cleaning."""
    assert line_of(cue, {"Z": ""}).kinds == ALL[cue]
