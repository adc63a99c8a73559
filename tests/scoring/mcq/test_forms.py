"""The table of forms: each reads its own examples, and none is there for nothing."""

import pytest
from lines import COLOURS, line_of_kinds

from spiqa_tasks.scoring.mcq import Choice, extract_choice
from spiqa_tasks.scoring.mcq.forms import FORMS, PATTERNS, Level, compiled

ROWS = [(level, place) for level, table in FORMS.items() for place in range(len(table))]


def read(level: Level, place: int) -> dict[str, Choice]:
    """What each example of a form is read as; forms that stand anywhere in a line have a sentence before them."""
    before = "It rains. " if level in ("named", "concluded", "stated") else ""
    return {example: extract_choice(before + example, COLOURS) for example in list(FORMS[level])[place].split("; ")}


@pytest.mark.parametrize(("level", "place"), ROWS)
def test_the_examples_of_a_form_pick_b(level: Level, place: int) -> None:
    """Every example phrase of the table is read as the option B."""
    assert {choice.letter for choice in read(level, place).values()} == {"B"}


@pytest.mark.parametrize(("level", "place"), ROWS)
def test_a_form_is_needed_for_its_examples(level: Level, place: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without it none of its examples is read as it is."""
    found = read(level, place)
    monkeypatch.setitem(PATTERNS, level, PATTERNS[level][:place] + PATTERNS[level][place + 1 :])
    without = read(level, place)
    assert [example for example in found if without[example] == found[example]] == []


@pytest.mark.parametrize(
    ("form", "kinds", "option"),
    [
        ("ANSWER IS <LETTER>", "ANSWER IS LETTER", (2, 3)),
        ("ANSWER IS? <LETTER | TEXT>", "ANSWER TEXT", (1, 2)),
        ("[STOP COMMA]{2} <SURE>", "COMMA STOP ENCLOSED", (2, 3)),
        ("(?<=NOT) FILL <SURE>", "NOT FILL TEXT", (2, 3)),
        ("STOP <SURE>", "COMMA LETTER", None),
        ("QUESTION <SURE>", "LETTER", None),
        ("(FILL | SO){2} <(LETTER AND)? LETTER>", "SO FILL LETTER AND LETTER", (2, 5)),
    ],
)
def test_a_form_is_a_pattern_of_names(form: str, kinds: str, option: tuple[int, int] | None) -> None:
    """Names stand for kinds and pieces, `<...>` encloses the option, everything else is as in a regular expression."""
    match = compiled(form).search(line_of_kinds(kinds).kinds)
    assert (match and match.span("option")) == option


def test_a_form_of_an_unknown_kind_is_an_error() -> None:
    """A name that is misspelt is no text to look for."""
    with pytest.raises(AttributeError, match="ANSWR"):
        compiled("ANSWR IS <SURE>")
