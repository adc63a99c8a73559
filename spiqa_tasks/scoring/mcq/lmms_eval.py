"""Answer matching as lmms-eval does it for MMStar (its `mcq_extract`), for numbers that were made with it."""

from __future__ import annotations

from collections.abc import Sequence

LMMS_EVAL_TRIED = "0.7.3"
"""The version of lmms-eval whose letters these are."""

_MARKS = ",.!?;:'\""
"""What is taken off both ends of an answer, one mark after the other, each once."""
_LEADS = {
    "answer": ("", "the ", "correct ", "the correct ", "best ", "the best ", "my "),
    "option": ("correct ", "the correct ", "best ", "the best "),
    "choice": ("", "the ", "correct ", "the correct ", "my "),
}
_PHRASES = (
    *(f"{lead}{noun} is" for noun, leads in _LEADS.items() for lead in leads),
    *("i choose", "i select", "i pick", "옵션", "정답은", "답은", "답:", "答案是", "答案为", "选", "答えは"),
)
"""Behind the first occurrence of each, capitals are looked for wherever they stand."""
_FORMS = ("({})", "{}.", "{}:", "{})", "{} ", "{}")
"""How a letter may stand, from the most to the least telling; words that end so count, too."""


def lmms_eval_match(response: str, letters: Sequence[str] = "ABCD") -> str | None:
    """Return the letter that lmms-eval's extraction reads in an answer; None where it reads none.

    The letter that the answer begins with, else the one it ends with, where no letter of a word is beside it; else, of
    the first of each capital behind phrases such as "the answer is", the last one; else the last one of the most
    telling form. So "A chart shows C, I think" is read as A, and "The answer is not a Dog" as D.

    Args:
        response: the answer, without its reasoning block.
        letters: capitals of the options; MMStar has four.
    """
    text = response.strip()
    for mark in _MARKS:
        text = text.strip(mark)
    bare, text = text.strip(), f" {text} "
    for alone in (bare[:2], bare[-2:][::-1]):
        if alone[:1] in tuple(letters) and not alone[1:].isalpha():
            return alone[0]
    lowered = text.lower()
    begins = [lowered.find(phrase) + len(phrase) for phrase in _PHRASES if phrase in lowered]
    behind = [(text.find(letter, begin), letter) for begin in begins for letter in letters]
    formed = ([(text.rfind(form.format(letter)), letter) for letter in letters] for form in _FORMS)
    last = (max(found, default=(-1, "")) for found in (behind, *formed))
    return next((letter for place, letter in last if place >= 0), None)
