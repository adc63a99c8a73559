"""A response is read line by line from its end, with the listings and headings around a line in mind."""

from collections.abc import Mapping

import pytest
from lines import COLOURS, named

from spiqa_tasks.scoring.mcq.options import Options
from spiqa_tasks.scoring.mcq.reading import Reading

LISTING = "A. red\nB) blue\n(C) green\nOption D: dark red\nE"


def reading_of(text: str, choices: Mapping[str, str] = COLOURS) -> Reading:
    """A reading of `text` with these options."""
    return Reading(text, Options(choices))


def test_a_reading_keeps_its_text() -> None:
    """Fields are looked for in the whole text."""
    assert reading_of("<answer>\nB").text == "<answer>\nB"


def test_lines_that_mention_an_option_come_last_first() -> None:
    """Blank lines do not count, and lines without a mention are passed over."""
    lines = reading_of("B\n\n \nIt rains.\nI hope so.\nIt is blue").backwards()
    assert [(index, named(line)) for index, line in lines] == [(3, "IT IS TEXT"), (0, "LETTER")]


@pytest.mark.parametrize("text", ["The answer is unknown", "A dog is shown"])
def test_a_line_without_a_mention_is_passed_over(text: str) -> None:
    """Words that name no option, an article among them, mention nothing."""
    assert list(reading_of(text).backwards()) == []


def test_a_line_is_read_once() -> None:
    """However often a line stands, and however often the lines are gone through."""
    reading = reading_of("It is B\nA or C\nIt is B")
    (_, last), (_, _), (_, first) = reading.backwards()
    assert last is first
    assert next(reading.backwards())[1] is last


def test_case_and_markup_do_not_count() -> None:
    """Lines are cleaned before they are read."""
    assert [named(line) for _, line in reading_of("**The Answer** is `B`").backwards()] == ["FILL ANSWER IS LETTER"]
    assert [named(line) for _, line in reading_of("It is DARK RED").backwards()] == ["IT IS TEXT"]


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("Answer:\nB", "ANSWER COLON LETTER"),
        ("**Answer:**\n\nB. blue", "ANSWER COLON CONFIRMED"),
        ("# Answer\n(B)", "ANSWER COLON ENCLOSED"),
        ("The final answer:\nB", "FILL SO ANSWER COLON LETTER"),
        ("my answer\nB", "FILL ANSWER COLON LETTER"),
        ("The picture shows this:\nB", "FILL OTHER IT COLON LETTER"),
        ("So:\n- B", "SO COLON COLON LETTER"),
        ("Option X:\nB", "OPTION OUT_OF_RANGE COLON LETTER"),
        ("It rains.\nB", "LETTER"),
        ("Answer\nIt is B", "IT IS LETTER"),
        ("Answer:\nBoth fit, B", "FILL FITS COMMA LETTER"),
        ("B", "LETTER"),
        ("B\nAnswer:", "LETTER"),
        ("Answer:\nIt rains.\nB", "LETTER"),
        ("Answer:\nA. red\nB. blue", "CONFIRMED"),
    ],
)
def test_a_heading_belongs_to_the_line_below(text: str, kinds: str) -> None:
    """A line that ends with a colon, or says "answer", announces the option that the next line begins with."""
    reading = reading_of(text)
    assert next(named(line) for _, line in reading.backwards()) == kinds


@pytest.mark.parametrize("text", ["A\nIt is so:\nB", "C:\nB"])
def test_the_first_line_has_no_heading(text: str) -> None:
    """What stands last is no heading of what stands first."""
    *_, (index, line) = reading_of(text).backwards()
    assert index == 0
    assert named(line).split()[0] in ("LETTER", "ENCLOSED")


def test_items_with_neighbours_in_the_alphabet_are_a_listing() -> None:
    """Each item of a listing is known, even the last one where it is cut off."""
    reading = reading_of(LISTING)
    assert [reading.in_listing(index) for index in range(5)] == [True] * 5


@pytest.mark.parametrize(
    ("text", "listed"),
    [
        ("B. blue", [False]),
        ("B", [False]),
        ("A. red\nC. green", [True, True]),
        ("B. blue\nA. red", [False, False]),
        ("A. red\nB. blue\nD. dark red", [True, True, True]),
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
    """An item is in a listing by its neighbour in the alphabet, or by a later letter on the next line."""
    reading = reading_of(text)
    assert [reading.in_listing(index) for index in range(len(listed))] == listed


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


@pytest.mark.parametrize(
    ("text", "index", "start", "found"),
    [
        ("It is blue.\nI cannot tell.", 0, 0, True),
        ("It is blue.\nIt rains.\nI CANNOT tell.", 0, 99, True),
        ("It is blue.\nnone of these", 0, 99, True),
        ("It is blue.\n无法确定", 0, 99, True),
        ("I cannot tell.\nIt is blue.", 1, 0, False),
        ("I cannot tell.\nIt is blue.", 0, 0, True),
        ("I cannot tell.\nIt is blue.", 0, 99, False),
        ("It is difficult to identify it.\nIt rains.\nIt is blue.", 1, 0, False),
        ("It is blue.\nIt rains.", 0, 0, False),
        ("Answer:\nB. I don't know", 1, 0, True),
    ],
)
def test_what_is_said_later_may_choose_nothing(text: str, index: int, start: int, found: bool) -> None:
    """In the line itself from a place on, or in a later one; what stands before takes nothing back."""
    assert reading_of(text).is_undecided(index, start) is found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It rains.\nI cannot determine which one it is.\nB", True),
        ("I'm sorry, but I cannot see the image.", True),
        ("判断できません", True),
        ("I don't know", True),
        ("none of these", False),
        ("It is not blue.", False),
        ("It rains.", False),
        ("", False),
    ],
)
def test_an_answer_may_say_that_it_cannot_be_given(text: str, found: bool) -> None:
    """In any line; one that says that no option is right has given an answer."""
    assert reading_of(text).declines() is found


@pytest.mark.parametrize(
    ("field", "found"),
    [("none of these", True), ("the none", True), ("not B", True), ("none, blue", False), ("B", False), ("", False)],
)
def test_a_field_may_say_that_no_option_is_right(field: str, found: bool) -> None:
    """Where it names none, by letter or text."""
    assert reading_of("").denies(field) is found


@pytest.mark.parametrize(
    ("text", "of_text", "found"),
    [
        ("B", False, [True]),
        ("It rains.\nB\nIt rains.", False, [True, True, True]),
        ("blue\nIt rains.\nblue\ngreen", True, [True, False, False, True]),
        ("A. red\nB. blue\nIt rains.", False, [False, False, True]),
        ("A. red\nB. blue\nIt rains.", True, [False, False, True]),
    ],
)
def test_a_line_of_an_option_alone_stands_out(text: str, of_text: bool, found: list[bool]) -> None:
    """As no item of a listing; a text only as the first or the last line."""
    reading = reading_of(text)
    assert [reading.stands_out(index, of_text) for index in range(len(found))] == found


@pytest.mark.parametrize(
    ("text", "index"),
    [
        ("It is blue.", -1),
        ("Answer: 108", 0),
        ("It is blue.\nThe answer is 108\nIt rains.", 1),
        ("The answer is 7\nAnswer: 108\nB", 1),
        ("Answer: blue", -1),
        ("Answer: the 15", -1),
        ("It rains.\n\n = \\boxed{108}\nIt is blue.", 1),
        ("It rains.\n\\boxed{B}", -1),
        ("It rains.\n\\boxed{blue}", -1),
        ("It rains.\n\\boxed{7}\nThe answer is 7 m", 2),
        ("Answer:", 0),
    ],
)
def test_the_last_answer_that_names_no_option_is_known(text: str, index: int) -> None:
    """A field or a line with an answer; blank lines do not count."""
    assert reading_of(text).unread == index


@pytest.mark.parametrize(("after", "expected"), [(-1, [3, 1, 0]), (0, [3, 1]), (1, [3]), (2, [3]), (3, [])])
def test_lines_behind_another_are_read_alone(after: int, expected: list[int]) -> None:
    """Those that mention an option, the last one first."""
    reading = reading_of("It is red\nIt is B\nIt rains\nIt is green")
    assert [index for index, _ in reading.backwards(after)] == expected
