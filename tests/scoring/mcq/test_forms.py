"""The table of forms: each reads its own examples, and none is there for nothing; and the
commitments in a line.
"""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lines import COLOURS, KINDS, MENTIONS, line_of, line_of_kinds

from spiqa_tasks.scoring.mcq import Choice, cues, extract_choice
from spiqa_tasks.scoring.mcq.forms import FORMS, PATTERNS, Claim, Level, Line, compiled, settle

ROWS = [(level, place) for level, table in FORMS.items() for place in range(len(table))]


def read(level: Level, place: int) -> dict[str, Choice]:
    """Return example -> choice of a form's examples; a sentence is put before forms that may follow
    one.
    """
    before = "It rains. " if level in ("named", "concluded", "stated") else ""
    return {
        example: extract_choice(before + example, COLOURS)
        for example in list(FORMS[level])[place].split("; ")
    }


@pytest.mark.parametrize(("level", "place"), ROWS)
def test_the_examples_of_a_form_pick_b(level: Level, place: int) -> None:
    """Every example phrase of the table is read as the option B."""
    assert {choice.letter for choice in read(level, place).values()} == {"B"}


@pytest.mark.parametrize(("level", "place"), ROWS)
def test_a_form_is_needed_for_its_examples(
    level: Level, place: int, monkeypatch: pytest.MonkeyPatch
) -> None:
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
def test_a_form_is_a_pattern_of_names(
    form: str, kinds: str, option: tuple[int, int] | None
) -> None:
    """Names stand for kinds and pieces, `<...>` encloses the option, everything else is as in a
    regular expression.
    """
    match = compiled(form).search(line_of_kinds(kinds).kinds)
    assert (match and match.span("option")) == option


def test_a_form_of_an_unknown_kind_is_an_error() -> None:
    """A name that is misspelt is no text to look for."""
    with pytest.raises(AttributeError, match="ANSWR"):
        compiled("ANSWR IS <SURE>")


def said(claim: Claim | None) -> str:
    """Return the letters of a claim in order."""
    return "".join(sorted(claim.letters)) if claim else ""


def claims_of(text: str, choices: Mapping[str, str] = COLOURS) -> list[tuple[Level, str]]:
    """Return level and letters of each claim in a line."""
    return [(claim.level, said(claim)) for claim in line_of(text, choices).claims]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "B",
        "B has bars",
        "No B",
        "The answer is not B",
        "The answer cannot be B.",
        "I don't think B is correct",
        "The wrong answer is B",
        "B is wrong",
        "If B is correct, it rises",
        "Is the answer B?",
        "Is B correct? Yes.",
    ],
)
def test_what_commits_to_nothing_is_no_claim(text: str) -> None:
    """A mention, a denial, a condition or a question commits to nothing."""
    assert claims_of(text) == []


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("The answer is not A. The answer is B", [("named", "B")]),
        ("Not A, so B", [("concluded", "B")]),
        ("If A is wrong, B is correct", [("stated", "B")]),
        ("A is wrong. The answer is B", [("named", "B")]),
        ("Which one? The answer is B", [("named", "B")]),
        ("The answer is B. Why?", [("named", "B")]),
        ("The answer is (B) blue?", []),
        ("The answer is (A) red? B is correct.", [("stated", "B")]),
        ("The answer is A or B", [("named", "AB")]),
        ("A, B and C are correct", [("stated", "ABC")]),
        ("The answer is A. Wait, B.", [("named", "A"), ("concluded", "B")]),
        ("So the answer is B", [("named", "B")]),
        ("C is correct. The answer is B", [("stated", "C"), ("named", "B")]),
    ],
)
def test_a_line_may_commit_several_times(text: str, claims: list[tuple[Level, str]]) -> None:
    """Each commitment counts in its order, at one mention only the strongest, and a denial ends
    with its clause.
    """
    assert claims_of(text) == claims


def test_a_claim_knows_where_it_stands() -> None:
    """The place is that of the mention, in kinds."""
    assert line_of("The answer is A or B").claims == [Claim("named", 3, 6, frozenset("AB"), False)]


@pytest.mark.parametrize(
    ("text", "of_text"),
    [
        ("The answer is blue", True),
        ("The answer is B", False),
        ("The answer is (B)", False),
        ("The answer is (B) blue", False),
        ("The answer is b", False),
        ("The answer is F", False),
        ("The answer is red or blue", True),
        ("The answer is blue. A, C and D differ", True),
    ],
)
def test_a_claim_by_text_alone_is_marked(text: str, of_text: bool) -> None:
    """A letter, in whatever form, is stronger evidence than an option's text."""
    assert [claim.of_text for claim in line_of(text).claims] == [of_text]


@pytest.mark.parametrize(
    ("names", "found"),
    [
        ("NOT" + " FILL" * 59 + " ANSWER IS LETTER", True),
        ("NOT" + " FILL" * 60 + " ANSWER IS LETTER", False),
        ("IF" + " FILL" * 30 + " LETTER IS GOOD", True),
        ("FILL NOT ANSWER IS LETTER", True),
        ("NOT ANSWER IS LETTER", True),
        ("NOT COMMA ANSWER IS LETTER", False),
        ("NOT STOP ANSWER IS LETTER", False),
        ("NOT COLON ANSWER IS LETTER", False),
        ("NOT QUESTION ANSWER IS LETTER", False),
        ("NOT BECAUSE ANSWER IS LETTER", False),
        ("WRONG ANSWER IS LETTER", True),
        ("LETTER WRONG ANSWER IS LETTER", False),
        ("LETTER COMMA WRONG ANSWER IS LETTER", True),
    ],
)
def test_a_denial_reaches_to_the_end_of_its_clause(names: str, found: bool) -> None:
    """A negation, a condition or "wrong" denies what follows within 60 words of its clause."""
    assert (line_of_kinds(names).claims == []) is found


@pytest.mark.parametrize(
    ("names", "found"),
    [
        ("ANSWER IS LETTER" + " FILL" * 199 + " QUESTION", True),
        ("ANSWER IS LETTER" + " FILL" * 200 + " QUESTION", False),
        ("ANSWER IS LETTER QUESTION", True),
        ("ANSWER IS LETTER OTHER STOP QUESTION", False),
        ("ANSWER IS LETTER COMMA OTHER QUESTION", True),
        ("ANSWER IS CONFIRMED QUESTION", True),
        ("ANSWER IS LETTER OTHER", False),
    ],
)
def test_a_question_commits_to_nothing(names: str, found: bool) -> None:
    """A question mark within 200 words ends a question."""
    assert (line_of_kinds(names).claims == []) is found


@pytest.mark.parametrize(
    ("text", "letters"),
    [
        ("B", "B"),
        ("(B).", "B"),
        ("b", "B"),
        ("B, C", "BC"),
        ("F", "F"),
        ("blue", "B"),
        ("Option B", "B"),
        ("It is B", "B"),
        ("The best is: (B) blue.", "B"),
        ("B fits", ""),
        ("The sky is B", ""),
        ("B?", ""),
        ("", ""),
    ],
)
def test_a_mention_may_be_all_of_a_line(text: str, letters: str) -> None:
    """Nothing else stands there but words that say nothing; such a line names an answer."""
    claim = line_of(text).opening("alone")
    assert said(claim) == letters
    assert claim is None or claim.level == "alone"


@pytest.mark.parametrize(
    ("text", "letters"),
    [
        ("B", "B"),
        ("B, because it fits", "B"),
        ("B. It fits", "B"),
        ("B: it fits", "B"),
        ("B because it fits", "B"),
        ("(B) blue, as shown", "B"),
        ("(B) blue is shown", ""),
        ("(B) it shows this", "B"),
        ("A or B. Both fit", "AB"),
        ("blue, as shown", "B"),
        ("B fits", ""),
        ("B, not shown", "B"),
        ("B, is not correct", ""),
        ("B, not correct", ""),
        ("B. Wrong are A and C", "B"),
        ("B: wrong", ""),
        ("B: is wrong", ""),
        ("(B) is wrong", ""),
        ("(B) and (C)", "BC"),
        ("It shows B", ""),
        ("", ""),
    ],
)
def test_a_line_may_begin_with_a_mention(text: str, letters: str) -> None:
    """A mention with a mark or a reason behind it states an option, unless it is rejected there."""
    assert said(line_of(text).opening("lead")) == letters


@pytest.mark.parametrize(
    ("text", "letters"),
    [
        ("The answer is A. Wait, the answer is B.", "B"),
        ("The answer is A. So the answer is B.", "B"),
        ("The answer is A, therefore B.", "B"),
        ("The answer is A. No, B.", "B"),
        ("The answer is A or B. I say B.", "B"),
        ("The answer is A. The answer is B.", "AB"),
        ("The answer is A. The answer is B. So be it.", "AB"),
        ("The answer is A. The answer is A.", "A"),
        ("The answer is A or B. I say C.", "ABC"),
        ("The answer is A. I say A or B.", "AB"),
        ("Wait, the answer is A. The answer is B.", "AB"),
        ("The sky has stars", ""),
    ],
)
def test_what_a_line_leaves_standing(text: str, letters: str) -> None:
    """A correction replaces, a choice from a list narrows, and other disagreements leave both."""
    read = line_of(text)
    assert settle(read.claims, read) == set(letters)


def test_a_correction_counts_once() -> None:
    """A word of correction replaces what stood before it, not what follows the next claim."""
    claims = [
        Claim("named", at, at + 1, frozenset(letter), False)
        for at, letter in ((0, "A"), (2, "B"), (4, "C"))
    ]
    assert settle(claims, line_of_kinds("LETTER BUT LETTER STOP LETTER")) == {"B", "C"}
    assert settle(claims, line_of_kinds("LETTER STOP LETTER BUT LETTER")) == {"C"}
    assert settle(claims, line_of_kinds("LETTER SO LETTER OTHER LETTER")) == {"B", "C"}


def test_a_letter_outweighs_a_text() -> None:
    """Of mentions side by side the letters are named, and the texts only where there is no
    letter.
    """
    line = Line(line_of_kinds("LETTER TEXT OTHER TEXT").kinds, ["A", "B", "", "CD"])
    assert line.named(0, 2) == {"A"}
    assert line.named(1, 2) == {"B"}
    assert line.named(1, 4) == {"B", "C", "D"}
    assert line.named(0, 4) == {"A"}
    assert line.named(2, 3) == frozenset()


@given(st.text(KINDS, max_size=30))
def test_any_line_gives_claims_in_order(found: str) -> None:
    """Claims of any line are at different mentions, in order, and what they leave standing was
    claimed.
    """
    line = Line(found, ["B" if kind in MENTIONS else "" for kind in found])
    ends = [claim.end for claim in line.claims]
    assert ends == sorted(set(ends))
    assert all(
        {*MENTIONS, cues.OUT_OF_RANGE} & set(found[claim.start : claim.end])
        for claim in line.claims
    )
    assert settle(line.claims, line) <= frozenset().union(*(claim.letters for claim in line.claims))
