"""The matchers of MMStar's released scorer, lmms-eval and VLMEvalKit, and the metric of each,
beside ours.
"""

import re
from collections.abc import Callable, Mapping, Sequence

from spiqa_tasks.scoring.mcq import extract_choice

_PREFIXES = ("", "(", "option ", "the answer is ")


def released_match(response: str, answer: str) -> bool:
    """Return whether the released MMStar rules count `response` as a hit for the letter `answer`.

    Source: `eval/vlmeval/evaluate/mmstar.py` of the authors' repository. It is a hit when the
    response, in lower case, begins with one of `_PREFIXES` and the answer. Nothing checks that
    the letter stands alone, so "A chart" hits "A".
    """
    expected, text = (each.lower().strip().replace("\n", " ") for each in (answer, response))
    return len(expected) == 1 and text.startswith(tuple(prefix + expected for prefix in _PREFIXES))


# Marks stripped from both ends of an answer, one after the other, each once.
_MARKS = ",.!?;:'\""

# Phrases after whose first occurrence capitals are searched anywhere.
_STATEMENTS = (
    "answer is, the answer is, correct answer is, the correct answer is, best answer is,"
    " the best answer is, my answer is, correct option is, the correct option is, best option is,"
    " the best option is, choice is, the choice is, correct choice is, the correct choice is,"
    " my choice is, i choose, i select, i pick, 옵션, 정답은, 답은, 답:, 答案是, 答案为, 选, 答えは"
)
_PHRASES = _STATEMENTS.split(", ")

# Forms of a letter, from the strongest to the weakest; words that end so count, too.
_FORMS = ("({})", "{}.", "{}:", "{})", "{} ", "{}")


def lmms_eval_match(response: str, letters: Sequence[str] = "ABCD") -> str | None:
    """Return the letter that `mcq_extract` of lmms-eval 0.7.3 extracts from an answer to MMStar, or
    None.

    The letter that the answer (without its reasoning) begins with, else the one it ends with,
    where no letter of a word is beside it; else, of the first of each capital behind phrases
    such as "the answer is", the last one; else the last one of the most telling form. So "A
    chart shows C, I think" is read as A, and "The answer is not a Dog" as D.
    """
    text = response.strip()
    for mark in _MARKS:
        text = text.strip(mark)
    return _at_an_end(text.strip(), letters) or _behind_phrases(f" {text} ", letters)


def _at_an_end(text: str, letters: Sequence[str]) -> str | None:
    """Return the letter that stands alone at the start, else at the end, of a text, or None."""
    for alone in (text[:2], text[-2:][::-1]):
        if alone[:1] in tuple(letters) and not alone[1:].isalpha():
            return alone[0]
    return None


def _behind_phrases(text: str, letters: Sequence[str]) -> str | None:
    """Return the letter behind a phrase of `_PHRASES`, else in the strongest form, or None."""
    lowered = text.lower()
    begins = [lowered.find(phrase) + len(phrase) for phrase in _PHRASES if phrase in lowered]
    behind = [(text.find(letter, begin), letter) for begin in begins for letter in letters]
    formed = ([(text.rfind(form.format(letter)), letter) for letter in letters] for form in _FORMS)

    for occurrences in (behind, *formed):
        place, letter = max(occurrences, default=(-1, ""))
        if place >= 0:
            return letter
    return None


_REFUSALS = (
    "Sorry, I can't help with images of people yet.",
    "I can't process this file.",
    "I'm sorry, but without the image provided",
    "Cannot determine the answer",
)
_SEPARATORS = str.maketrans(dict.fromkeys(".()[],:;!*#{}", " "))

# Number of last words among which the first occurrence of the letter must be.
_LAST = 4

# Searched by VLMEvalKit since June 2026 (its pull request 1552); `The answer is a dog` gives A.
_STATED = re.compile(r"answer\s+is\s+\**([ABCD])", re.IGNORECASE)


def vlmevalkit_match(
    response: str, choices: Mapping[str, str], *, is_2026_06: bool = False
) -> str | None:
    """Return the letter that VLMEvalKit's `exact_matching` extracts, or None if it counts the
    answer as wrong.

    The only letter of an option that stands alone between blanks and some punctuation counts,
    where it first stands among the last four words; else the only option whose text the answer
    contains, where the answer is at most twice as long as all options together. So "A chart" is
    read as A, and "A: it is red, not C" as nothing. With `is_2026_06` it reads as builds since
    June 2026 do, which look for `answer is B` before the texts.
    """
    if _refuses(response):
        return None
    words = response.translate(_SEPARATORS).split()
    letters = [letter for letter in choices if letter in words]
    if len(letters) == 1 and words.index(letters[0]) >= len(words) - _LAST:
        return letters[0]
    if not letters and "Z" in words:  # how the host's judges say that no option is meant
        return None
    stated = _stated(response, choices) if is_2026_06 else None
    return stated or _only_text(response, choices)


def _refuses(response: str) -> bool:
    return any(refusal in response for refusal in _REFUSALS)


def _stated(response: str, choices: Mapping[str, str]) -> str | None:
    stated = _STATED.search(response)
    return stated[1].upper() if stated and stated[1].upper() in choices else None


def _only_text(response: str, choices: Mapping[str, str]) -> str | None:
    """Return the letter of the only option whose text a short response contains, or None."""
    if len(response) > 2 * sum(map(len, choices.values())):
        return None
    named = [letter for letter, text in choices.items() if text.lower() in response.lower()]
    return named[0] if len(named) == 1 else None


# (response, letter -> text of the options, true letter) -> whether it is right.
Rule = Callable[[str, Mapping[str, str], str], bool]


# Name of MMStar's metric -> its rule; those of hosts first, as which the scores of a host's log are
# recognised.
CIRCULATING: Mapping[str, Rule] = {
    "accuracy_lmms_eval": lambda text, options, answer: (
        lmms_eval_match(text, tuple(options)) == answer
    ),
    "accuracy_vlmevalkit_2026_06": lambda text, options, answer: (
        vlmevalkit_match(text, options, is_2026_06=True) == answer
    ),
    "accuracy_vlmevalkit": lambda text, options, answer: vlmevalkit_match(text, options) == answer,
    "accuracy_released": lambda text, _options, answer: released_match(text, answer),
    "accuracy": lambda text, options, answer: extract_choice(text, options).letter == answer,
}
