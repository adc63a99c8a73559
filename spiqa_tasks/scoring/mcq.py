"""Which option of a multiple-choice question an answer picks: a letter, or None with the reason; never a guess.

The response is cleaned (Unicode forms, markdown, LaTeX, special tokens). The rules below are tried in order; the
first that applies decides, with its own verdict or with `ambiguous`:

1. `letter`: the whole response is one letter, however decorated. `B`, `(b)`, `B.`
2. `text`: the whole response is one option's text, with or without its own letter. `Blue`, `B: Blue`
3. `tagged`: a field made for the answer. `\\boxed{B}`, `<answer>B</answer>`, `{"answer": "B"}`
4. `stated`: a commitment in prose, a leading or a closing letter. `The answer is B`, `B, because ...`, `so B`
5. `stated_text`: the same with one-word option texts in the place of letters. `It is blue`
6. `text_at_end`: one affirmative sentence that ends in one option's text and names no other. `The car is blue.`

Commitments that disagree: a later one inside an earlier list narrows it ("A or B ... the answer is B"); otherwise
the later one wins only if marked as a conclusion ("so", "therefore", "final") or a correction ("wait", "actually"),
and is `ambiguous` if not. A letter wins over an option text that contradicts it. Without a pick the rule is
`empty`, `refusal`, `ambiguous`, `out_of_range` (a letter that is no option) or `no_match`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from spiqa_tasks.scoring.mcq_claims import Claim, find_claims, mentioned, settle
from spiqa_tasks.scoring.mcq_mentions import clean, fold, mark_letters, mark_texts
from spiqa_tasks.scoring.mcq_released import released_match
from spiqa_tasks.scoring.refusals import is_refusal

__all__ = ["MATCHER_VERSION", "Choice", "extract_choice", "is_refusal", "released_match"]

MATCHER_VERSION = "1"
"""Raised with every change that can change a letter; it is in every signature."""

_TAGS = re.compile(
    r"\\boxed\s*\{([^{}]{0,500})\}|<(?:final_?)?answer>([^<]{0,500})(?:</|$)"
    r"|[\"'](?:final[ _]?)?(?:answer|choice|option|letter)[\"']\s*:\s*[\"']?([^\"',}\n]{1,500})",
    re.IGNORECASE,
)
_BARE = re.compile(r"(?:[^\w+#%&=°^/\\]|_)*([A-Za-z])(?:[^\w+#%&=°^/\\]|_)*")
_NEGATION = re.compile(r"n't\b|\b(?:not|no|never|neither|nor|without|cannot|if|whether|except)\b", re.IGNORECASE)

# A rule gets the cleaned response and the folded option texts by upper-case letter, and returns the letters it
# finds: none (the next rule is asked), one (the pick) or several (ambiguous).
_Rule = Callable[[str, Mapping[str, str]], frozenset[str]]
_NOTHING: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Choice:
    """The option that was picked (`letter`, or None) and the rule that fired, or why none did (`rule`)."""

    letter: str | None
    rule: str


def extract_choice(response: str, choices: Mapping[str, str]) -> Choice:
    """Return the option that `response` picks; the module's text lists the rules and the reasons for None.

    `choices` maps each option's letter to its text ("" where the option is a picture). Raises ValueError unless
    `choices` has at least one option and every key is one of the letters A to Z, in one case, at most once.
    """
    keys = _check(choices)
    text = clean(response)
    if not text:
        return Choice(None, "empty")
    folded = {letter: fold(clean(choices[key])) for letter, key in keys.items()}
    reason = "no_match"
    for name, rule in _RULES:
        letters = rule(text, folded)
        if len(letters) == 1 and letters <= keys.keys():
            (letter,) = letters
            return Choice(keys[letter], name)
        if letters:
            reason = "ambiguous" if len(letters) > 1 else "out_of_range"
            break
    if is_refusal(text):
        return Choice(None, "refusal")
    if reason == "no_match" and len(keys.keys() & set(mentioned(_mark(text, folded, 1)))) > 1:
        reason = "ambiguous"
    return Choice(None, reason)


def _check(choices: Mapping[str, str]) -> dict[str, str]:
    keys = {key.upper(): key for key in choices}
    if not keys or len(keys) < len(choices) or not all(re.fullmatch("[A-Z]", letter) for letter in keys):
        raise ValueError(f"expected choices with different letters A to Z as keys, got {list(choices)!r}")
    return keys


def _letter(text: str, folded: Mapping[str, str]) -> frozenset[str]:
    bare = _BARE.fullmatch(text)
    if bare is None:
        return _NOTHING
    letter = bare[1].upper()
    is_text = fold(text) in folded.values() and (letter not in folded or fold(text) != bare[1].lower())
    return _NOTHING if is_text else frozenset(letter)


def _text(text: str, folded: Mapping[str, str]) -> frozenset[str]:
    response = fold(text)
    same = frozenset(letter for letter, option in folded.items() if option and option == response)
    if same:
        return same
    with_letter = re.fullmatch(r"[^\w⟦]*⟦(.)⟧\W*", mark_texts(text, folded, ()))
    return frozenset(with_letter[1]) if with_letter else _NOTHING


def _tagged(text: str, folded: Mapping[str, str]) -> frozenset[str]:
    claims = []
    for tag in _TAGS.finditer(text):
        content = next(group for group in tag.groups() if group is not None)
        letters = next(filter(None, (rule(content, folded) for rule in (_letter, _text, _stated))), _NOTHING)
        if letters:
            claims.append(Claim(tag.start(), tag.end(), letters))
    return settle(claims, text)


def _stated(text: str, folded: Mapping[str, str]) -> frozenset[str]:
    return _settled(_mark(text, folded, 2), folded)


def _stated_text(text: str, folded: Mapping[str, str]) -> frozenset[str]:
    return _settled(_mark(text, folded, 1), folded)


def _settled(marked: str, folded: Mapping[str, str]) -> frozenset[str]:
    claims = find_claims(marked)
    heading = marked.startswith("⟦") and len(claims) > 1 and claims[0].letters.isdisjoint(folded)  # "Q: ... Answer: B"
    return settle(claims[1:] if heading else claims, marked)


def _text_at_end(text: str, folded: Mapping[str, str]) -> frozenset[str]:
    marked = mark_texts(text, folded, folded.values())
    sentence = re.fullmatch(r"(?:[^⟦\n.!?]|\.\w)*((?:⟦.⟧)+)[\"')\s.!]*", marked)
    if sentence is None or _NEGATION.search(marked):
        return _NOTHING
    return frozenset(mentioned(sentence[1]))


def _mark(text: str, folded: Mapping[str, str], words: int) -> str:
    """Mark the letters in `text` and the option texts of at least so many words."""
    alone = [option for option in folded.values() if len(option.split()) >= words]
    return mark_letters(mark_texts(text, folded, alone))


_RULES: tuple[tuple[str, _Rule], ...] = (
    ("letter", _letter),
    ("text", _text),
    ("tagged", _tagged),
    ("stated", _stated),
    ("stated_text", _stated_text),
    ("text_at_end", _text_at_end),
)
