"""Read a judge's ranking of captions (SciFIBench, Table 3)."""

import re
from collections.abc import Sequence

# Quotes and stars, and brackets around one letter, of which the letter stays.
_DECORATION = re.compile(r"[\"'`*]|\(([A-Z])\)", re.IGNORECASE)

# A numbered line's caption behind its letter ("1. B) a plot"). Without a number, letters with
# captions are the question, repeated.
_CAPTION = re.compile(
    r"^([ -]*\d{1,2} *[.):] *(?:caption +)?[A-Z]) *[^\w\s,;>].*", re.IGNORECASE | re.MULTILINE
)

# A list: at the start of a line, behind "Ranking:" or in brackets, up to the end of a line or a
# bracket. The end is optional, so that a list without it is read once, not from each letter on.
# A letter before a word is none of it: a sentence ("A is precise") may follow the list.
_ITEM = r"(?:- *)?(?:\d{1,2} *[.):] *)?(?:(?:caption|option) +)?[A-Z](?! *\w)"
_LIST = re.compile(
    r"(?:^ *|[\[(]\s*|(?:ranked\s+captions?|ranking)\W*?:\s*)"
    rf"({_ITEM}(?:[.)]? *[,;>\n]\s*{_ITEM})*)( *[\])]| *\.? *$)?",
    re.IGNORECASE | re.MULTILINE,
)


def parse_ranking(text: str, letters: Sequence[str]) -> tuple[tuple[str, ...] | None, str]:
    """Return the ranking of all `letters` in `text` from best to worst, or None, and the reason.

    A ranking is a list separated by commas, `>` or semicolons, in brackets or on a line, or
    successive lines with a letter each. The last complete one counts; missing letters are never
    added. The reason is `ok`, `empty reply`, `no list` or `incomplete list` (letters missing,
    repeated or unknown).
    """
    if not text.strip():
        return None, "empty reply"

    plain = _CAPTION.sub(r"\1", _DECORATION.sub(r"\1", text))
    orders = [
        re.findall(r"\b[A-Z]\b", match[1].upper())
        for match in _LIST.finditer(plain)
        if match[2] is not None
    ]
    complete = [order for order in orders if sorted(order) == sorted(letters)]
    if complete:
        return tuple(complete[-1]), "ok"
    return None, "incomplete list" if any(len(order) > 1 for order in orders) else "no list"
