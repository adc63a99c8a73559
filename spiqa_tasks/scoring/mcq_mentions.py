"""Cleaning of responses and marking of the options they mention as ⟦B⟧."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Mapping

_SPECIAL = re.compile(
    r"<\|[^|<>\n]{0,40}\|>|</?(?:s|eos|bos|pad|end_of_turn|b|i|u|strong|em|p|br|code|span|div)\s*/?>"
    r"|[⟦⟧\u200b-\u200f\u2060\ufeff\u00ad]|[*`$]|(?m:^[ \t]*#+)|\\[()\[\]]"
)
_LATEX_TEXT = re.compile(r"\\(?:text|textbf|textit|textrm|mathrm|mathbf|mathsf|mathit)\s*\{([^{}]*)\}")
_QUOTES = str.maketrans({"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u00ab": '"', "\u00bb": '"'})

_SEPARATOR = r"[\s.:,(\[)\]\"'–—-]{1,8}"
_ANNOUNCED = re.compile(
    r"(\b(?:option|choice|letter)\b\s*[:#]?\s*)[(\[\"']?([A-Za-z])[)\]\"']?(?![A-Za-z0-9'⟧])", re.IGNORECASE
)
_ANSWERED = re.compile(
    r"(\b(?:answer|option|choice|letter|choose|pick|select|go with)\b(?:\s+is\b)?\s*[:=]?\s*)([a-z])"
    r"(?=\s*(?:[.,;:!)\n]|$|because\b|since\b))",
    re.IGNORECASE,
)
_ENCLOSED = re.compile(r"(?<![A-Za-z0-9\\⟦])[(\[{\"']\s*([A-Za-z])\s*[)\]}\"'](?![A-Za-z0-9])")
_ITEM = re.compile(r"(?m)^([ \t>•-]*)\(?([A-Za-z])(?=[.):](?:\s|$))")
_CAPITAL = re.compile(r"(?<![A-Za-z0-9⟦'.\\-])([B-HJ-Z])(?![A-Za-z0-9'+#&⟧]|[.-][A-Za-z0-9])")
_ARTICLE = re.compile(
    r"(?<![A-Za-z0-9⟦'.\\-])([AI])(?=\s*(?:$|[.:;!?)\]}\"/&\n。—–⟦]|,(?! ?I\b))"
    r"|\s+(?:and|or|nor|is|was|because|since|as|has|does|shows|are|isn't|doesn't)\b|\s+[(–—=-])(?!\.[A-Za-z0-9])"
)
_PRONOUN = re.compile(r"⟦I⟧(?=\s*,|\s+(?:am|was|have|do|did|and|or|as)\b)")


def clean(text: str) -> str:
    """Return `text` in compatibility form (NFKC), without markdown, LaTeX wrappers, special tokens and reasoning."""
    text = unicodedata.normalize("NFKC", text).translate(_QUOTES).rpartition("</think>")[2]
    text = _LATEX_TEXT.sub(r"\1", text)
    text = re.sub(r"[^\S\n]+", " ", _SPECIAL.sub("", text))
    return re.sub(r"(?: ?\n){2,} ?", "\n\n", text).strip()


def fold(text: str) -> str:
    """Return cleaned `text` as it is compared: one case, single spaces, no enclosing quotes or closing punctuation."""
    return " ".join(text.casefold().split()).rstrip(".,;:!?\"'").lstrip("\"'").rstrip()


def mark_letters(text: str) -> str:
    """Mark the letters in cleaned `text` that stand for options; the article "a" and the pronoun "I" do not."""
    text = _ANNOUNCED.sub(_after_word, text)
    text = _ANSWERED.sub(_after_word, text)
    text = _ENCLOSED.sub(_alone, text)
    text = _ITEM.sub(_after_word, text)
    text = _CAPITAL.sub(_alone, text)
    text = _ARTICLE.sub(_alone, text)
    return _PRONOUN.sub("I", text)


def mark_texts(text: str, folded: Mapping[str, str], alone: Collection[str]) -> str:
    """Mark option texts in cleaned `text`: those with their own letter before them, and those of `alone` anywhere.

    `folded` maps a letter to the `fold` of its text; empty texts and single letters are never looked for. The
    longest text wins where one holds another, and a match is whole words and whole numbers. A text that several
    options share is marked with all their letters.
    """
    owners: dict[str, list[str]] = {}
    for letter, option in folded.items():
        if option and not re.fullmatch(r"[a-z]", option):
            owners.setdefault(option, []).append(letter)
    if not owners:
        return text
    pattern = re.compile(
        rf"(?:(?<![\w⟦'])(?P<letter>[A-Za-z])(?P<separator>{_SEPARATOR}))?(?P<text>{_alternatives(owners)})"
        r"(?P<closing>[\"']?\)?)(?P<line_end>(?=\s*?[.!]?\s*?(?:\n|$)))?",
        re.IGNORECASE,
    )

    def mark(match: re.Match[str]) -> str:
        letters = owners.get(fold(match["text"]), [])
        own = (match["letter"] or "").upper()
        separated = (match["separator"] or "").strip() or match["line_end"] is not None
        if own in letters and separated:
            return f"⟦{own}⟧"
        prefix = (match["letter"] or "") + (match["separator"] or "")
        if not letters or fold(match["text"]) not in alone:
            return match[0]
        return prefix + "".join(f"⟦{letter}⟧" for letter in letters) + match["closing"]

    return pattern.sub(mark, text)


def _alternatives(options: Collection[str]) -> str:
    """Return a pattern of the options, longest first, each whole: "5" is neither in "15" nor in "5.2" nor "5. Next"."""
    parts = []
    for option in sorted(options, key=len, reverse=True):
        words = r"\s+".join(re.escape(word) for word in option.split())
        before = r"(?<![\w⟦.,-])" if option[0].isdigit() else r"(?<![\w⟦-])"
        after = r"(?![\w⟧]|[.,-]\d|[.):]\s+\w)" if option[-1].isdigit() else r"(?![\w⟧-])"
        parts.append(before + words + after)
    return "|".join(parts)


def _alone(match: re.Match[str]) -> str:
    return f"⟦{match[1].upper()}⟧"


def _after_word(match: re.Match[str]) -> str:
    return f"{match[1]}⟦{match[2].upper()}⟧"
