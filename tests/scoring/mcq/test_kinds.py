"""Kinds are told apart by one character each."""

from lines import NAMES

from spiqa_tasks.scoring.mcq import kinds


def test_a_kind_is_one_character_of_its_own() -> None:
    """A line of kinds has one character for each, and no two share one."""
    assert all(len(kind) == 1 for kind in NAMES)
    assert len(NAMES) == len([name for name in vars(kinds) if name.isupper()])
