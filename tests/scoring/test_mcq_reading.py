"""A response is read line by line from its end, with the listings and headings around a line in mind."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lines import COLOURS, NINE

from spiqa_tasks.scoring.mcq_claims import Claim
from spiqa_tasks.scoring.mcq_options import options_of
from spiqa_tasks.scoring.mcq_reading import Reading

LISTING = "A. red\nB) blue\n(C) green\nOption D: dark red\nE"


def reading_of(text: str, choices: Mapping[str, str] = COLOURS) -> Reading:
    """A reading of `text` with these options."""
    return Reading(text, options_of(choices))


def said(claim: Claim | None) -> str:
    """The letters of a claim in order."""
    return "".join(sorted(claim.letters)) if claim else ""


def test_a_reading_keeps_its_text() -> None:
    """Fields are looked for in the whole text."""
    assert reading_of("<answer>\nB").text == "<answer>\nB"


def test_lines_that_mention_an_option_come_last_first() -> None:
    """Blank lines do not count, and lines without a mention are passed over."""
    found = [(index, line.kinds) for index, line in reading_of("B\n\n \nIt rains.\nI hope so.\nIt is blue").backwards()]
    assert found == [(3, "I=T"), (0, "L")]


def test_a_line_without_a_mention_is_none() -> None:
    """It has no kinds and claims nothing."""
    reading = reading_of("The answer is unknown\nThe answer is (b)")
    assert (reading.line(0), reading.claims(0)) == (None, [])
    line = reading.line(1)
    assert line is not None
    assert (line.kinds, [said(claim) for claim in reading.claims(1)]) == ("FA=E", ["B"])


def test_an_article_is_no_mention() -> None:
    """A line whose only candidate is an article mentions nothing."""
    assert reading_of("A dog is shown").line(0) is None


def test_case_and_markup_do_not_count() -> None:
    """Lines are cleaned before they are read."""
    assert [line.kinds for _, line in reading_of("**The Answer** is `B`").backwards()] == ["FA=L"]
    assert [line.kinds for _, line in reading_of("It is DARK RED").backwards()] == ["I=T"]


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("Answer:\nB", "A:L"),
        ("**Answer:**\n\nB. blue", "A:D"),
        ("# Answer\n(B)", "A:E"),
        ("The final answer:\nB", "FSA:L"),
        ("my answer\nB", "FA:L"),
        ("The picture shows this:\nB", "FxI:L"),
        ("So:\n- B", "S::L"),
        ("Option X:\nB", "OR:L"),
        ("It rains.\nB", "L"),
        ("Answer\nIt is B", "I=L"),
        ("Answer:\nBoth fit, B", "FV,L"),
        ("B", "L"),
        ("B\nAnswer:", "L"),
        ("Answer:\nIt rains.\nB", "L"),
        ("Answer:\nA. red\nB. blue", "D"),
    ],
)
def test_a_heading_belongs_to_the_line_below(text: str, kinds: str) -> None:
    """A line that ends with a colon, or says "answer", announces the option that the next line begins with."""
    reading = reading_of(text)
    assert next(line.kinds for _, line in reading.backwards()) == kinds


@pytest.mark.parametrize("text", ["A\nIt is so:\nB", "C:\nB"])
def test_the_first_line_has_no_heading(text: str) -> None:
    """What stands last is no heading of what stands first."""
    line = reading_of(text).line(0)
    assert line is not None
    assert line.kinds[0] in "LE"


def test_items_with_neighbours_in_the_alphabet_are_a_listing() -> None:
    """Each item of a listing is known, even the last one where it is cut off."""
    reading = reading_of(LISTING)
    assert [reading.in_listing(index) for index in range(5)] == [True] * 5


@pytest.mark.parametrize(
    ("text", "listed"),
    [
        ("B. blue", [False]),
        ("B", [False]),
        ("A. red\nC. green", [False, False]),
        ("B. blue\nA. red", [False, False]),
        ("A. red\nB. blue\nD. dark red", [True, True, False]),
        ("A. red\nas it is\nB. blue", [True, False, True]),
        ("A. red\nC", [False, False]),
        ("A. red\nB.", [True, True]),
        ("A. red\nB", [False, True]),
        ("A. red\nb", [False, True]),
        ("A. red\nso\nB", [False, False, False]),
        ("A. red\nBlue", [False, False]),
        ("a) red\nb) blue", [True, True]),
        ("- A: red\n- B: blue", [True, True]),
        ("A is red.\nB is blue.", [False, False]),
        ("A. red\nA. red\nB. blue", [False, True, True]),
    ],
)
def test_a_listing_is_told_from_single_items(text: str, listed: list[bool]) -> None:
    """An item is in a listing if the item before or after it is its neighbour in the alphabet."""
    reading = reading_of(text)
    assert [reading.in_listing(index) for index in range(len(listed))] == listed


def test_a_mention_alone_or_first_in_a_listing_is_no_claim() -> None:
    """The items of a listing state nothing; the same line elsewhere does."""
    for text, expected in (("B. blue", "B"), ("A. red\nB. blue", "")):
        reading = reading_of(text)
        index, line = next(reading.backwards())
        assert said(reading.alone(index, line)) == expected
        assert said(reading.lead(index, line)) == expected


def test_alone_and_lead_are_told_apart() -> None:
    """What begins a line need not be all of it."""
    reading = reading_of("It rains.\nB, because it is blue\nIt is B")
    (last, is_b), (first, because) = reading.backwards()
    assert (said(reading.alone(last, is_b)), said(reading.lead(last, is_b))) == ("B", "")
    assert (said(reading.alone(first, because)), said(reading.lead(first, because))) == ("", "B")


@pytest.mark.parametrize(
    ("field", "of_text", "letters"),
    [
        ("B", False, "B"),
        ("(b) blue", False, "B"),
        ("A or B", False, "AB"),
        ("The answer is B", False, "B"),
        ("B, because A is correct only at night", False, "B"),
        ("A is shown, but B is correct", False, "B"),
        ("The answer is A. Wait, the answer is B", False, "B"),
        ("blue", False, ""),
        ("blue", True, "B"),
        ("The answer is blue", False, ""),
        ("The answer is blue", True, "B"),
        ("not B", False, ""),
        ("null", True, ""),
        ("", True, ""),
    ],
)
def test_a_field_names_options(field: str, of_text: bool, letters: str) -> None:
    """What a field made for the answer is, begins with or claims; texts count where they are asked for."""
    assert reading_of("").content(field, of_text) == set(letters)


@pytest.mark.parametrize(
    ("text", "letters"),
    [
        ("Option A shows a dog.\nOption B shows a cat, and so does C.", "ABC"),
        ("red or blue", "AB"),
        ("A dog and F", ""),
        ("It rains.", ""),
    ],
)
def test_all_mentioned_options_are_known(text: str, letters: str) -> None:
    """Every option that a line mentions counts, and nothing that is no option."""
    assert reading_of(text).mentioned() == set(letters)


def test_a_text_of_two_options_mentions_both() -> None:
    """Options that share their text are mentioned together."""
    assert reading_of("nan", {"A": "nan", "B": "nan", "C": "x"}).mentioned() == {"A", "B"}


def test_an_option_x_is_mentioned_only_where_it_stands() -> None:
    """Options may have any letters."""
    assert reading_of("W\nor Y and Z", dict.fromkeys("WXYZ", "")).mentioned() == {"W", "Y", "Z"}


parts = st.sampled_from(["A. red", "B) blue", "(C)", "C", "Answer:", "The answer is B", "It rains.", "I see", "", " "])


@given(st.lists(parts, max_size=8).map("\n".join), st.sampled_from([COLOURS, NINE]))
def test_the_same_line_is_read_the_same(text: str, choices: dict[str, str]) -> None:
    """The order in which lines are asked for changes nothing."""
    forwards, backwards = reading_of(text, choices), reading_of(text, choices)
    last_first = [(index, line, backwards.claims(index)) for index, line in backwards.backwards()]
    count = len([line for line in text.split("\n") if line.strip()])
    first_first = [(index, forwards.line(index), forwards.claims(index)) for index in range(count)]
    assert [found for found in first_first if found[1] is not None] == last_first[::-1]
