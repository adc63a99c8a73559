"""The tables of cues are such that each cue can be met in a line, and has one kind."""

import unicodedata
from collections import Counter

import pytest
from lines import NAMES, line_of

from spiqa_tasks.scoring.mcq import cues
from spiqa_tasks.scoring.mcq.words import LANGUAGES

SEVERAL = {"o", "este"}
"""Cues of two kinds: the language that stands first in the table has it."""


def test_a_table_is_turned_around() -> None:
    """A line is a kind and its cues; a kind may have several lines."""
    assert list(cues.cues_of("\n    so: so, as a result\n    so: thus\n    and: and\n")) == [
        ("so", cues.SO),
        ("as a result", cues.SO),
        ("thus", cues.SO),
        ("and", cues.AND),
    ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_table_has_each_cue_once(language: str) -> None:
    """And in the form that cleaned answers have."""
    found = [cue for cue, _ in cues.cues_of(LANGUAGES[language])]
    assert [cue for cue, count in Counter(found).items() if count > 1] == []
    assert [cue for cue in found if cue != unicodedata.normalize("NFKC", cue).lower()] == []


def test_a_cue_has_one_kind_in_all_languages() -> None:
    """But for a few, which the first language has."""
    kinds: dict[str, set[str]] = {}
    for table in LANGUAGES.values():
        for cue, kind in cues.cues_of(table):
            kinds.setdefault(cue, set()).add(kind)
    assert {cue for cue, found in kinds.items() if len(found) > 1} == SEVERAL


def test_every_language_has_what_an_answer_needs() -> None:
    """The names of an answer, words for right and for not, and a conclusion; Urdu shares the
    first with Persian.
    """
    needed = {cues.ANSWER, cues.GOOD, cues.NOT, cues.SO}
    lacking = {
        language: needed - {kind for _, kind in cues.cues_of(table)}
        for language, table in LANGUAGES.items()
        if language not in ("marks", "ur", "sv")
    }
    assert {language: kinds for language, kinds in lacking.items() if kinds} == {}


def test_a_kind_is_one_character_of_its_own() -> None:
    """No two share one."""
    kinds = [value for name, value in vars(cues).items() if name.isupper() and len(value) == 1]
    assert len(set(kinds)) == len(kinds) == len(NAMES)


def test_a_cue_is_met_in_a_line() -> None:
    """A line that begins with a cue begins with its kind: it is in lower case and survives the
    cleaning.
    """
    unmet = {
        cue: line.kinds
        for cue, kind in cues.KIND_OF.items()
        if cue != "("  # behind a letter alone
        and (line := line_of(f"{cue} §", {"Z": ""})).kinds != kind
    }
    assert unmet == {}
