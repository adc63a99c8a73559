"""What a sentence says for an option is told from what it only mentions, denies, or sets against
another.
"""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lines import COLOURS, KINDS, MENTIONS, PICTURES, line_of

from spiqa_tasks.scoring.mcq.forms import Line
from spiqa_tasks.scoring.mcq.stance import is_unable, is_undecided, stances


def said(text: str, by: str, choices: Mapping[str, str] = COLOURS) -> str:
    """Return the options that `text` is for, each with its strength: "A0 B2"."""
    found = [stance for stance in stances(line_of(text, choices)) if stance.by == by]
    return " ".join(f"{''.join(sorted(stance.letters))}{stance.strength}" for stance in found)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The colour is blue, not red.", "B1"),
        ("The colour is not blue.", ""),
        ("It has red. The colour is blue.", "A0 B1"),
        ("It has red and blue.", "AB0"),
        ("Is it blue?", ""),
        ("Is it (B) blue?", ""),
        ("The answer is 15", "E1"),
        ("Blue fits, whereas red is dark.", "B1"),
        ("While red is near, blue matches.", "B1"),
        ("Blue is brighter than red.", "B0"),
        ("Compared to red, blue matches.", "B1"),
        ("However, blue matches better.", "B1"),
        ("Red does not match. Blue does.", "B0"),
        ("Red is shown, which does not fit.", ""),
        ("Blue may fit.", "B1"),
        ("It might be blue.", ""),
        ("If it were blue, it would fit.", ""),
        ("Blue is less likely.", ""),
        ("Therefore, the colour of the sky is blue.", "B2"),
        ("Therefore, blue is shown.", "B0"),
        ("Based on this, blue is more likely.", "B2"),
        ("", ""),
    ],
)
def test_a_text_is_spoken_for_or_only_mentioned(text: str, found: str) -> None:
    """A conclusion counts most, then words that speak for the option; denial, contrast and doubt
    take it out.
    """
    assert said(text, "text") == found


def test_the_first_line_may_begin_with_a_text() -> None:
    """That speaks for the option, as no other line does."""
    line = line_of("Blue, as it is shown")
    assert [stance.strength for stance in stances(line, is_first=True)][:1] == [1]
    assert [stance.strength for stance in stances(line)] == [0]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The third image (B) is most similar", "B1"),
        ("The third image (B) is wide", "B0"),
        ("So it has 0.91c (Option D)", "D2"),
        ("The second image (A) is quite different", ""),
        ("(A) is the least likely, so (B)", "B0"),
        ("(A) looks off, but (C) fits well", "C1"),
        ("neither (A) nor (B) fits", ""),
        ("(B) No", "B0"),
        ("(C) Not sure", "C0"),
        ("(C) is not shown", ""),
        ("Panel (B) shows it", ""),
        ("f(B) is 3", ""),
        ("(A) and (B) are wide", "AB0"),
        ("Is it (B)?", ""),
    ],
)
def test_a_letter_in_brackets_counts_whatever_stands_around_it(text: str, found: str) -> None:
    """Nothing needs to be known of the words before it, but those that reject it."""
    assert said(text, "mark", PICTURES) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Point B is closer than A", "B0"),
        ("Step B is next", ""),
        ("b is closer", ""),
        ("B or C is closer", "BC0"),
    ],
)
def test_a_bare_capital_is_told_apart(text: str, found: str) -> None:
    """It is weaker evidence than one in brackets."""
    assert said(text, "letter", PICTURES) == found


@pytest.mark.parametrize(
    ("text", "unable", "undecided"),
    [
        ("I cannot determine which one", True, True),
        ("It is difficult to identify it", True, True),
        ("It is not difficult to identify it", False, False),
        ("I cannot choose", True, True),
        ("There is not enough information", True, True),
        ("It is not possible to answer", True, True),
        ("判断できません", True, True),
        ("无法确定", True, True),
        ("none of the options", False, True),
        ("There is no correct answer", False, True),
        ("无正确答案", False, True),
        ("none of these", False, True),
        ("Red is not the answer", False, False),
        ("The sky is blue", False, False),
    ],
)
def test_a_sentence_may_choose_nothing(text: str, unable: bool, undecided: bool) -> None:
    """Who cannot tell, and who says that no option is right, has chosen none; the first
    declines.
    """
    line = line_of(text)
    assert (is_unable(line), is_undecided(line)) == (unable, undecided)


def test_what_stands_before_takes_nothing_back() -> None:
    """Only what follows a mention is asked for."""
    line = line_of("I cannot tell, but it is blue")
    assert is_undecided(line)
    assert not is_undecided(line, line.kinds.index("T"))


@given(st.text(KINDS, max_size=30))
def test_any_line_is_read(found: str) -> None:
    """Whatever kinds a line has, what is said stands in order and is of options that it
    mentions.
    """
    line = Line(found, ["B" if kind in MENTIONS else "" for kind in found])
    starts = [stance.start for stance in stances(line)]
    assert starts == sorted(starts)
    assert all(stance.letters <= {"B"} for stance in stances(line))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Blue, as it is shown", [("B", 1, "text", 0), ("B", 0, "text", 0)]),
        ("The sky is blue", [("B", 1, "text", 3)]),
        ("The answer is blue. (A) fits", [("B", 1, "text", 3), ("A", 1, "mark", 5)]),
        ("Blue is correct", [("B", 1, "text", 0)]),
        ("So blue is correct, and C is shown", [("B", 2, "text", 1), ("C", 0, "letter", 6)]),
        ("Thus the best is (B)", [("B", 2, "mark", 4)]),
        ("Because it fits, (B) is it", [("B", 2, "mark", 4)]),
        ("It is wide, so (B) fits", [("B", 1, "mark", 5)]),
    ],
)
def test_all_that_is_said_in_a_first_line(
    text: str, found: list[tuple[str, int, str, int]]
) -> None:
    """The letters, how strongly, by what and where."""
    stances_of = [
        ("".join(sorted(each.letters)), each.strength, each.by, each.start)
        for each in stances(line_of(text), is_first=True)
    ]
    assert stances_of == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("However, (A) fits. (B) is wide", "A1 B0"),
        ("(A) fits and something else", "A1"),
    ],
)
def test_words_speak_for_the_options_of_their_clause(text: str, found: str) -> None:
    """Not for those of the next sentence."""
    assert said(text, "mark", PICTURES) == found
