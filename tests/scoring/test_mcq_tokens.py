"""Lines are read as strings of kinds: what each word, letter and mark does."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lines import COLOURS, NINE, PICTURES, line_of

from spiqa_tasks.scoring.mcq_options import masked, options_of
from spiqa_tasks.scoring.mcq_text import lower, plain
from spiqa_tasks.scoring.mcq_tokens import Line, has_candidates

SHIFTED = {"A": "D", "B": "C", "C": "B", "D": "C"}
KINDS = "AOGVW=:PNHSCIJFYUKx,.?LEDTlR"
SWAPPED = {"A": "B", "B": "A", "C": "C"}


def mentions(text: str, choices: Mapping[str, str] = COLOURS) -> str:
    """The letters of the options that `text` mentions, in its order."""
    return "".join(line_of(text, choices).letters)


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("The correct answer is (B) blue, not A.", "FGA=D,NL."),
        ("the answer is B", "FA=L"),
        ("Is it B?", "=IL?"),
        ("Wait... B!", "C.L."),
        ("so x y z B", "SxJxL"),
        ("red or blue", "TJT"),
        ("dark red (D)", "TE"),
        ("答案是B", "A=L"),
        ("B是正确的。", "L=GF."),
        ("A/B & C", "LJLJL"),
        ("B✓ C✗", "LGLW"),
        ("B: blue -> yes", "D:x"),
        ("B → C ⇒ D", "L:LSL"),
        ("if A = B; so B", "HL=L,SL"),
        ("three long words and 3.5 numbers", "xJx"),
        ("B - it fits", "L:IV"),
        ("x-ray", "x"),
        ("3.5.", "x."),
        ("dr. B", "x.L"),
        ("", ""),
    ],
)
def test_words_and_marks_have_kinds(text: str, kinds: str) -> None:
    """Each has the kind that the cues say; a run of other words is one."""
    assert line_of(text).kinds == kinds


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("isn't", "N"),
        ("won't", "N"),
        ("that's", "I="),
        ("option's", "F"),
        ("dog's", "x="),
        ("i'd", "F"),
        ("it'll", "I"),
        ("they've", "x"),
    ],
)
def test_the_ending_of_a_word_counts(text: str, kinds: str) -> None:
    """`'t` is a negation, `'s` a copula, and what stands before another ending has its own kind."""
    assert line_of(text).kinds == kinds


@pytest.mark.parametrize(
    ("text", "kinds", "letters"),
    [
        ("B", "L", "B"),
        ("b", "l", "B"),
        ("b c", "ll", "BC"),
        ("(B)", "E", "B"),
        ("( b )", "E", "B"),
        ("[b]", "E", "B"),
        ('"B"', "E", "B"),
        ("<B>", "E", "B"),
        ("b)", "E", "B"),
        ("B blue", "D", "B"),
        ("B: blue", "D", "B"),
        ("(B) blue", "D", "B"),
        ("( B ) blue", "D", "B"),
        ("b) Blue.", "D.", "B"),
        ("A red", "D", "A"),
        ("B green", "LT", "BC"),
        ("(B) green", "ET", "BC"),
        ("B is blue", "L=T", "BB"),
        ("blue", "T", "B"),
        ("F", "R", "F"),
        ("(F)", "R", "F"),
        ("f", "x", ""),
        ("B's", "x=", ""),
        ("B-2", "x", ""),
        ("x_B", "x", ""),
        ("∠B", "x", ""),
        ("B2", "x", ""),
    ],
)
def test_a_letter_has_a_kind_by_what_surrounds_it(text: str, kinds: str, letters: str) -> None:
    """A capital, a letter in brackets, one with its option's text, one in lower case, one that is no option."""
    assert (line_of(text).kinds, mentions(text)) == (kinds, letters)


@pytest.mark.parametrize(
    ("text", "kinds", "letters"),
    [
        ("A", "L", "A"),
        ("A.", "L.", "A"),
        ("A)", "E", "A"),
        ("A, B", "L,L", "AB"),
        ("A is right", "L=G", "A"),
        ("A matches", "LV", "A"),
        ("A not B", "LNL", "AB"),
        ("A wrong", "LW", "A"),
        ("A or B", "LJL", "AB"),
        ("A 3", "Lx", "A"),
        ("a 3", "lx", "A"),
        ("A chart", "Fx", ""),
        ("A best guess", "FGP", ""),
        ("A k by k grid", "Fx", ""),
        ("a wrong turn", "FWx", ""),
        ("A B", "FL", "AB"),
        ("a", "l", "A"),
        ("a.", "l.", "A"),
        ("a is right", "L=G", "A"),
        ("a isle", "Fx", ""),
        ("a chart", "Fx", ""),
        ("it is a chart", "I=Fx", ""),
        ("option a", "OL", "A"),
        ("option a shows", "OLx", "A"),
        ("option A shows", "OLx", "A"),
        ("option A", "OL", "A"),
        ("option b.", "OL.", "B"),
        ("option b?", "OL?", "B"),
        ("option c", "OL", "C"),
        ("option a/b", "OLJl", "AB"),
    ],
)
def test_the_article_is_no_option(text: str, kinds: str, letters: str) -> None:
    """`A` before a word is the article, unless a verb or a mark follows or a word such as `option` stands before."""
    assert (line_of(text).kinds, mentions(text)) == (kinds, letters)


@pytest.mark.parametrize(
    ("text", "kinds", "letters"),
    [
        ("I", "l", "I"),
        ("I.", "l.", "I"),
        ("I 3", "lx", "I"),
        ("I think", "x", ""),
        ("Option I", "OL", "I"),
        ("Option I fits", "OLV", "I"),
        ("(I)", "E", "I"),
        ("I) it fits", "EIV", "I"),
        ("I'd say H", "FPL", "H"),
        ("I would say H", "FPL", "H"),
        ("I mean H", "CL", "H"),
    ],
)
def test_the_pronoun_is_no_option(text: str, kinds: str, letters: str) -> None:
    """With nine options `I` before a word is the pronoun."""
    assert (line_of(text, NINE).kinds, mentions(text, NINE)) == (kinds, letters)


@pytest.mark.parametrize("text", ["I", "I think", "i", "I."])
def test_the_pronoun_is_no_strange_letter(text: str) -> None:
    """With four options `I` is never an option that is missing."""
    assert line_of(text, PICTURES).kinds.rstrip(".") == "x"


@pytest.mark.parametrize(
    ("text", "kinds"), [("A y B", "LJL"), ("A e B", "LJL"), ("A o B", "LJL"), ("à A", "xL"), ("y = 3", "J=x")]
)
def test_a_letter_that_is_no_option_may_be_a_word(text: str, kinds: str) -> None:
    """`y`, `e` and `o` are words for "and" and "or"."""
    assert line_of(text, PICTURES).kinds == kinds


def test_such_a_word_is_an_option_where_it_is_offered() -> None:
    """With nine options `e` is one."""
    assert mentions("A, e", NINE) == "AE"


@pytest.mark.parametrize(
    ("text", "kinds"),
    [("A: no", "A:T"), ('A: "no"', "A:T"), ("A : no", "A:T"), ("A: yes", "D"), ("So A: no", "SL:T"), ("A no", "LT")],
)
def test_a_question_and_answer_script_is_known(text: str, kinds: str) -> None:
    """`A:` before another option's text at the beginning of a line stands for "answer"."""
    assert line_of(text, {"A": "yes", "B": "no"}).kinds == kinds


@pytest.mark.parametrize(
    ("text", "choices", "kinds", "letters"),
    [
        ("D. C", SHIFTED, "D", "D"),
        ("D. C.", SHIFTED, "D.", "D"),
        ("(D) C", SHIFTED, "D", "D"),
        ("D: (C)", SHIFTED, "D", "D"),
        ("D. B", SHIFTED, "L.L", "DB"),
        ("D C", SHIFTED, "LL", "DC"),
        ("D. Cat", SHIFTED, "L.x", "D"),
        ("C (D)", SHIFTED, "FE", "D"),
        ("B (D)", SHIFTED, "LE", "BD"),
        ("B (F)", SHIFTED, "LR", "BF"),
        ("B (F)", PICTURES, "LR", "BF"),
        ("A (D)", SHIFTED, "D", "A"),
        ("C (B)", SHIFTED, "D", "CB"),
        ("is (D)", SHIFTED, "=E", "D"),
        ("A (B)", SWAPPED, "D", "AB"),
        ("A: B", SWAPPED, "D", "A"),
        ("C (C)", SWAPPED, "D", "C"),
        ("B (blue)", COLOURS, "D", "B"),
    ],
)
def test_texts_that_are_letters_are_told_from_letters(
    text: str, choices: Mapping[str, str], kinds: str, letters: str
) -> None:
    """After a letter and a mark its option's text confirms it, even if it is another letter; two may swap theirs."""
    assert (line_of(text, choices).kinds, mentions(text, choices)) == (kinds, letters)


def test_a_text_of_several_options_mentions_all() -> None:
    """One text that two options share stands for both, and with a letter for that option."""
    choices = {"A": "yes", "B": "nan", "C": "nan"}
    assert mentions("nan", choices) == "BC"
    assert (line_of("C: nan", choices).kinds, mentions("C: nan", choices)) == ("D", "C")


def test_each_kind_has_the_letters_it_stands_for() -> None:
    """Letters are as many as kinds, and empty for what mentions no option."""
    line = line_of("That's A or blue")
    assert (line.kinds, line.letters) == ("I=LJT", ["", "", "A", "", "B"])


def test_a_letter_outweighs_a_text() -> None:
    """Of mentions side by side the letters are named, and the texts only where there is no letter."""
    line = Line("LTxT", ["A", "B", "", "CD"])
    assert line.named(0, 2) == {"A"}
    assert line.named(1, 2) == {"B"}
    assert line.named(1, 4) == {"B", "C", "D"}
    assert line.named(0, 4) == {"A"}
    assert line.named(2, 3) == frozenset()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It is B", True),
        ("it is blue", True),
        ("it is 15", True),
        ("A", True),
        ("A chart", True),
        ("a is right", True),
        ("a isle", False),
        ("a", True),
        ("option a shows", True),
        ("it is a chart", False),
        ("Nothing of this", False),
        ("", False),
    ],
)
def test_lines_without_a_candidate_need_no_reading(text: str, expected: bool) -> None:
    """A line without an option's text or a letter on its own mentions no option."""
    low = masked(text.lower(), options_of(COLOURS))
    assert has_candidates(text, low) is expected


pieces = st.sampled_from(
    ["A", "a", "(B)", "blue", "red", "is", "option", "x", "I", "'s", ".", ",", ":", "not", "5", " "]
)


@given(st.lists(pieces, max_size=10).map(" ".join))
def test_a_line_that_needs_no_reading_mentions_nothing(text: str) -> None:
    """Whatever a line is made of, no option is mentioned in it unless it has a candidate."""
    low = masked(lower(plain(text)), options_of(COLOURS))
    assert has_candidates(plain(text), low) or not mentions(text)


@given(st.text(), st.dictionaries(st.sampled_from("ABCDE"), st.text(), min_size=1))
def test_any_line_has_a_letter_for_each_kind(text: str, choices: dict[str, str]) -> None:
    """Whatever a line is, kinds and letters go together, and only options and capitals that are none are letters."""
    line = line_of(text, choices)
    assert len(line.kinds) == len(line.letters)
    assert set(line.kinds) <= set(KINDS)
    assert all(
        set(letters) <= choices.keys() or kind == "R" for kind, letters in zip(line.kinds, line.letters, strict=True)
    )
