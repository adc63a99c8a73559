"""Lines are read as kinds: what each word, letter and mark does."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lines import COLOURS, KINDS, NINE, PICTURES, SHIFTED, line_of, named

from spiqa_tasks.scoring.mcq import cues

SWAPPED = {"A": "B", "B": "A", "C": "C"}


def mentions(text: str, choices: Mapping[str, str] = COLOURS) -> str:
    """Return the letters of the options that `text` mentions, in its order."""
    return "".join(line_of(text, choices).letters)


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        (
            "The correct answer is (B) blue, not A.",
            "FILL GOOD ANSWER IS CONFIRMED COMMA NOT LETTER STOP",
        ),
        ("the answer is B", "FILL ANSWER IS LETTER"),
        ("Is it B?", "IS IT LETTER QUESTION"),
        ("Wait... B!", "BUT STOP LETTER STOP"),
        ("so x y z B", "SO OTHER AND OTHER LETTER"),
        ("red or blue", "TEXT AND TEXT"),
        ("dark red (D)", "TEXT ENCLOSED"),
        ("答案是B", "ANSWER IS LETTER"),
        ("B是正确的。", "LETTER IS GOOD FILL STOP"),
        ("A/B & C", "LETTER AND LETTER AND LETTER"),
        ("B✓ C✗", "LETTER GOOD LETTER WRONG"),
        ("B: blue -> yes", "CONFIRMED COLON OTHER"),
        ("B → C ⇒ D", "LETTER COLON LETTER SO LETTER"),
        ("if A = B; so B", "IF LETTER IS LETTER COMMA SO LETTER"),
        ("three long words and 3.5 numbers", "OTHER AND OTHER"),
        ("B - it fits", "LETTER COLON IT FITS"),
        ("x-ray", "OTHER"),
        ("3.5.", "OTHER STOP"),
        ("dr. B", "OTHER STOP LETTER"),
        ("", ""),
    ],
)
def test_words_and_marks_have_kinds(text: str, kinds: str) -> None:
    """Each has the kind that the cues say; a run of other words is one."""
    assert named(line_of(text)) == kinds


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("isn't", "NOT"),
        ("won't", "NOT"),
        ("that's", "IT IS"),
        ("option's", "FILL"),
        ("dog's", "OTHER IS"),
        ("i'd", "FILL"),
        ("it'll", "IT"),
        ("they've", "OTHER"),
    ],
)
def test_the_ending_of_a_word_counts(text: str, kinds: str) -> None:
    """`'t` is a negation, `'s` a copula, and what stands before another ending has its own kind."""
    assert named(line_of(text)) == kinds


@pytest.mark.parametrize(
    ("text", "kinds", "letters"),
    [
        ("B", "LETTER", "B"),
        ("b", "WEAK", "B"),
        ("b c", "WEAK WEAK", "BC"),
        ("(B)", "ENCLOSED", "B"),
        ("( b )", "ENCLOSED", "B"),
        ("[b]", "ENCLOSED", "B"),
        ('"B"', "LETTER", "B"),
        ("<B>", "ENCLOSED", "B"),
        ("b)", "ENCLOSED", "B"),
        ("B blue", "CONFIRMED", "B"),
        ("B: blue", "CONFIRMED", "B"),
        ("(B) blue", "CONFIRMED", "B"),
        ("( B ) blue", "CONFIRMED", "B"),
        ("b) Blue.", "CONFIRMED STOP", "B"),
        ("A red", "CONFIRMED", "A"),
        ("B green", "LETTER TEXT", "BC"),
        ("(B) green", "ENCLOSED TEXT", "BC"),
        ("B is blue", "LETTER IS TEXT", "BB"),
        ("blue", "TEXT", "B"),
        ("F", "OUT_OF_RANGE", "F"),
        ("X", "OUT_OF_RANGE", "X"),
        ("(F)", "OUT_OF_RANGE", "F"),
        ("f", "OTHER", ""),
        ("B's", "OTHER IS", ""),
        ("B-2", "OTHER", ""),
        ("x_B", "OTHER", ""),
        ("∠B", "OTHER", ""),
        ("B2", "OTHER", ""),
    ],
)
def test_a_letter_has_a_kind_by_what_surrounds_it(text: str, kinds: str, letters: str) -> None:
    """A capital, a letter in brackets, one with its option's text, one in lower case, one that
    is no option.
    """
    assert (named(line_of(text)), mentions(text)) == (kinds, letters)


def test_a_capital_before_a_word_is_the_option() -> None:
    """Only A and I are words, too."""
    assert named(line_of("X shows it", dict.fromkeys("WXYZ", ""))) == "LETTER OTHER IT"


@pytest.mark.parametrize(
    ("text", "kinds", "letters"),
    [
        ("A", "LETTER", "A"),
        ("A.", "LETTER STOP", "A"),
        ("A)", "ENCLOSED", "A"),
        ("A, B", "LETTER COMMA LETTER", "AB"),
        ("A is right", "LETTER IS GOOD", "A"),
        ("A matches", "LETTER FITS", "A"),
        ("A not B", "LETTER NOT LETTER", "AB"),
        ("A wrong", "LETTER WRONG", "A"),
        ("A or B", "LETTER AND LETTER", "AB"),
        ("A 3", "LETTER OTHER", "A"),
        ("a 3", "WEAK OTHER", "A"),
        ("A chart", "FILL OTHER", ""),
        ("A best guess", "FILL GOOD PICK", ""),
        ("A k by k grid", "FILL OTHER", ""),
        ("a wrong turn", "FILL WRONG OTHER", ""),
        ("A B", "LETTER LETTER", "AB"),
        ("a", "WEAK", "A"),
        ("a.", "WEAK STOP", "A"),
        ("a is right", "WEAK IS GOOD", "A"),
        ("a isle", "FILL OTHER", ""),
        ("a chart", "FILL OTHER", ""),
        ("it is a chart", "IT IS FILL OTHER", ""),
        ("option a", "OPTION LETTER", "A"),
        ("option A shows", "OPTION LETTER OTHER", "A"),
        ("option A", "OPTION LETTER", "A"),
        ("option b.", "OPTION LETTER STOP", "B"),
        ("option b?", "OPTION LETTER QUESTION", "B"),
        ("option c", "OPTION LETTER", "C"),
        ("option a contains it", "OPTION LETTER OTHER IT", "A"),
        ("option a B", "OPTION FILL LETTER", "B"),
        ("option a/b", "OPTION LETTER AND WEAK", "AB"),
    ],
)
def test_the_article_is_no_option(text: str, kinds: str, letters: str) -> None:
    """`A` before a word is the article, unless a verb or a mark follows or a word such as
    `option` stands before.
    """
    assert (named(line_of(text)), mentions(text)) == (kinds, letters)


@pytest.mark.parametrize(
    ("text", "kinds", "letters"),
    [
        ("I", "WEAK", "I"),
        ("I.", "WEAK STOP", "I"),
        ("I 3", "WEAK OTHER", "I"),
        ("Option I", "OPTION LETTER", "I"),
        ("Option I fits", "OPTION LETTER FITS", "I"),
        ("(I)", "ENCLOSED", "I"),
        ("I) it fits", "ENCLOSED IT FITS", "I"),
        ("I'd say H", "FILL PICK LETTER", "H"),
        ("I would say H", "FILL PICK LETTER", "H"),
        ("I mean H", "BUT LETTER", "H"),
    ],
)
def test_the_pronoun_is_no_option(text: str, kinds: str, letters: str) -> None:
    """With nine options `I` before a word is the pronoun."""
    assert (named(line_of(text, NINE)), mentions(text, NINE)) == (kinds, letters)


@pytest.mark.parametrize("text", ["I", "I think", "i", "I."])
def test_the_pronoun_is_no_strange_letter(text: str) -> None:
    """With four options `I` is never an option that is missing."""
    assert named(line_of(text, PICTURES)).removesuffix(" STOP") == "OTHER"


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("A y B", "LETTER AND LETTER"),
        ("A e B", "LETTER AND LETTER"),
        ("A o B", "LETTER AND LETTER"),
        ("à A", "OTHER LETTER"),
        ("y = 3", "AND IS OTHER"),
    ],
)
def test_a_letter_that_is_no_option_may_be_a_word(text: str, kinds: str) -> None:
    """`y`, `e` and `o` are words for "and" and "or"."""
    assert named(line_of(text, PICTURES)) == kinds


def test_such_a_word_is_an_option_where_it_is_offered() -> None:
    """With nine options `e` is one."""
    assert mentions("A, e", NINE) == "AE"


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("A: no", "ANSWER COLON WORD"),
        ('A: "no"', "ANSWER COLON WORD"),
        ("A : no", "ANSWER COLON WORD"),
        ("A: yes", "CONFIRMED"),
        ("So A: no", "SO LETTER COLON WORD"),
        ("A no", "FILL WORD"),
    ],
)
def test_a_question_and_answer_script_is_known(text: str, kinds: str) -> None:
    """`A:` before another option's text at the beginning of a line stands for "answer"."""
    assert named(line_of(text, {"A": "yes", "B": "no"})) == kinds


@pytest.mark.parametrize(
    ("text", "choices", "kinds", "letters"),
    [
        ("D. B", SHIFTED, "LETTER STOP LETTER", "DB"),
        ("D C", SHIFTED, "LETTER LETTER", "DC"),
        ("D. Cat", SHIFTED, "LETTER STOP OTHER", "D"),
        ("B (D)", SHIFTED, "LETTER ENCLOSED", "BD"),
        ("B (F)", SHIFTED, "LETTER OUT_OF_RANGE", "BF"),
        ("B (F)", PICTURES, "LETTER OUT_OF_RANGE", "BF"),
        ("is (D)", SHIFTED, "IS ENCLOSED", "D"),
        ("B (blue)", COLOURS, "CONFIRMED", "B"),
    ],
)
def test_texts_that_are_letters_are_told_from_letters(
    text: str, choices: Mapping[str, str], kinds: str, letters: str
) -> None:
    """A letter is a letter, even if it is another option's text; after a letter a longer text
    confirms it.
    """
    assert (named(line_of(text, choices)), mentions(text, choices)) == (kinds, letters)


def test_a_text_of_several_options_mentions_all() -> None:
    """One text that two options share stands for both, and with a letter for that option."""
    choices = {"A": "yes", "B": "nan", "C": "nan"}
    assert mentions("nan", choices) == "BC"
    assert (named(line_of("C: nan", choices)), mentions("C: nan", choices)) == ("CONFIRMED", "C")


def test_each_kind_has_the_letters_it_stands_for() -> None:
    """Letters are as many as kinds, and empty for what mentions no option."""
    line = line_of("That's A or blue")
    assert (named(line), line.letters) == ("IT IS LETTER AND TEXT", ["", "", "A", "", "B"])


@given(st.text(), st.dictionaries(st.sampled_from("ABCDE"), st.text(), min_size=1))
def test_any_line_has_a_letter_for_each_kind(text: str, choices: dict[str, str]) -> None:
    """Whatever a line is, kinds and letters go together, and only options and capitals that are
    none are letters.
    """
    line = line_of(text, choices)
    assert len(line.kinds) == len(line.letters)
    assert set(line.kinds) <= set(KINDS)
    assert all(
        set(letters) <= choices.keys() or kind == cues.OUT_OF_RANGE
        for kind, letters in zip(line.kinds, line.letters, strict=True)
    )
