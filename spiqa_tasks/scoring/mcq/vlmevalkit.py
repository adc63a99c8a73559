"""Answer matching as VLMEvalKit does it without a judge (its `exact_matching`), for numbers that were made with it."""

from __future__ import annotations

from collections.abc import Mapping

VLMEVALKIT_TRIED = "0.0.20"
"""The version of ms-vlmeval whose letters these are."""

_REFUSALS = (
    "Sorry, I can't help with images of people yet.",
    "I can't process this file.",
    "I'm sorry, but without the image provided",
    "Cannot determine the answer",
)
_SEPARATORS = str.maketrans(dict.fromkeys(".()[],:;!*#{}", " "))
_LAST = 4
"""Among how many last words the letter must stand for the first time."""


def vlmevalkit_match(response: str, choices: Mapping[str, str]) -> str | None:
    """Return the letter that VLMEvalKit's exact matching reads in an answer; None where it counts the answer as wrong.

    The only letter of an option that stands alone between blanks and some punctuation counts, where it first stands
    among the last four words; else the only option whose text the answer contains, where the answer is at most twice
    as long as all options together. So "A chart" is read as A, and "A: it is red, not C" as nothing.

    Args:
        response: the answer.
        choices: letter in capitals -> text of the option.
    """
    if any(refusal in response for refusal in _REFUSALS):
        return None
    words = response.translate(_SEPARATORS).split()
    letters = [letter for letter in choices if letter in words]
    if len(letters) == 1 and words.index(letters[0]) >= len(words) - _LAST:
        return letters[0]
    if not letters and "Z" in words:  # how the host's judges say that no option is meant
        return None
    if len(response) > 2 * sum(map(len, choices.values())):
        return None
    named = [letter for letter, text in choices.items() if text.lower() in response.lower()]
    return named[0] if len(named) == 1 else None
