"""The tables of cues are such that each cue can be met in a line, and has one kind."""

from collections import Counter

from lines import NAMES, line_of

from spiqa_tasks.scoring.mcq import cues

TABLES = ((cues.WORDS, None), (cues.PHRASES, "|"), (cues.JOINED, None), (cues.MARKS, None))


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


def test_a_cue_has_one_kind() -> None:
    """No cue stands twice in the tables, where the last would win, and all have a kind."""
    found = [
        " ".join(cue.split())
        for table, separator in TABLES
        for line in table.values()
        for cue in line.split(separator)
    ]
    assert [cue for cue, count in Counter(found).items() if count > 1] == []
    assert cues.KIND_OF.keys() == set(found)


def test_a_kind_is_one_character_of_its_own() -> None:
    """No two share one."""
    kinds = [value for name, value in vars(cues).items() if name.isupper() and len(value) == 1]
    assert len(set(kinds)) == len(kinds) == len(NAMES)


def test_a_cue_is_met_in_a_line() -> None:
    """A line that begins with a cue begins with its kind: it is in lower case and survives the cleaning."""
    unmet = {
        cue: line.kinds
        for cue, kind in cues.KIND_OF.items()
        if (line := line_of(f"{cue} §", {"Z": ""})).kinds != kind
    }
    assert unmet == {}
