"""Answers that mean the same are read the same: in another case, with letters exchanged, and behind
another noun.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from phrasings import BOTH, LETTER, TEXT, phrasings
from real_answers import SHARED, real_choices

from spiqa_tasks.scoring.mcq import extract_choice
from spiqa_tasks.scoring.mcq.cues import KIND_OF

pytestmark = SHARED
COLOURS = {"A": "red", "B": "blue", "C": "green", "D": "yellow"}
FORMS = range(len(LETTER) + len(BOTH) + len(TEXT))
IN_ENGLISH = re.compile(r"[A-Za-z\s.,:;!?()*'\"/%\d-]+")
"""Answers without formulas and other scripts, in whose words a change of case means nothing."""


def stated(letter: str, form: int, options: Mapping[str, str] = COLOURS) -> str:
    """Return one of the answers that state an option."""
    return [answer for _, answer in phrasings(letter, options[letter], [*options])][form]


@given(st.sampled_from("ABCD"), st.sampled_from(FORMS))
def test_an_answer_in_capitals_is_read_as_before(letter: str, form: int) -> None:
    """Tags, fields and commands of LaTeX have their case."""
    answer = stated(letter, form)
    assume(not re.search(r"[<{\\]", answer))
    options = {key: text.upper() for key, text in COLOURS.items()}
    assert extract_choice(answer.upper(), options).letter == letter


@given(st.sampled_from("BCD"), st.sampled_from(FORMS))
def test_an_answer_in_lower_case_is_read_as_before(letter: str, form: int) -> None:
    """All letters but `a`, which is an article, too."""
    assert extract_choice(stated(letter, form).lower(), COLOURS).letter == letter


@given(st.permutations("ABCD"), st.sampled_from("ABCD"), st.sampled_from(FORMS))
def test_exchanged_letters_are_read_exchanged(order: list[str], letter: str, form: int) -> None:
    """In the options and in the answer alike."""
    exchanged = dict(zip("ABCD", order, strict=True))
    options = {exchanged[key]: text for key, text in COLOURS.items()}
    answer = stated(exchanged[letter], form, options)
    assert extract_choice(answer, options).letter == exchanged[letter]


@given(
    st.from_regex(r"\A[A-Z][a-z]{2,11}\Z"),
    st.sampled_from("ABCD"),
    st.sampled_from(("{} {}", "{} {}.", "**{} {}**", "Answer: {} {}", "The answer is {} {}.")),
)
def test_any_noun_before_a_letter_is_a_label(noun: str, letter: str, form: str) -> None:
    """`Sentence B`, `Zebra B`: any capitalised word that is neither a cue nor in an option."""
    assume(noun.lower() not in KIND_OF)
    assert extract_choice(form.format(noun, letter), COLOURS).letter == letter


def _exchanged(text: str, letters: Mapping[str, str]) -> str:
    """Exchange the letters, in their case, that stand alone."""
    both = {**letters, **{key.lower(): other.lower() for key, other in letters.items()}}
    return re.sub(
        r"(?<![a-z\d'\\])[a-z](?![a-z\d'])", lambda one: both.get(one[0], one[0]), text, flags=re.I
    )


def _real(folder: Path) -> Iterator[tuple[str, Mapping[str, str], str]]:
    """Yield real answers in English with the letter that is read in them."""
    for answer, choice in real_choices(folder, "free_form")[::4]:
        if choice.letter and IN_ENGLISH.fullmatch(answer["response"]):
            yield answer["response"], answer["choices"], choice.letter


@pytest.mark.parametrize("change", [str.lower, str.upper])
def test_a_real_answer_in_another_case_is_read_as_before(
    real_data: Path, change: Callable[[str], str]
) -> None:
    """Never as another letter, and at most 2% as none: `point "c"` may be any point."""
    letters = [
        (
            extract_choice(
                change(text), {key: change(option) for key, option in options.items()}
            ).letter,
            letter,
        )
        for text, options, letter in _real(real_data)
    ]
    assert len(letters) > 1_000
    assert {found for found, letter in letters if found != letter} <= {None}
    assert sum(found is None for found, _ in letters) <= 0.02 * len(letters)


def test_exchanged_letters_of_a_real_answer_are_read_exchanged(real_data: Path) -> None:
    """The first and the last letter change places; at most 0.5% are read as none, and no answer
    otherwise. Answers with an `a`, an article, are left out.
    """
    letters = []
    for text, options, letter in _real(real_data):
        if not re.search(r"\b(?:a\b|A (?=[a-z]))", text):
            first, last = min(options), max(options)
            exchanged = {first: last, last: first}
            changed = {
                exchanged.get(key, key): _exchanged(option, exchanged)
                for key, option in options.items()
            }
            found = extract_choice(_exchanged(text, exchanged), changed).letter
            letters.append((found, exchanged.get(letter, letter)))
    assert len(letters) > 500
    assert {found for found, letter in letters if found != letter} <= {None}
    assert sum(found is None for found, _ in letters) <= 0.005 * len(letters)
