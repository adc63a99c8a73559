"""Read a judge's ranking of captions (SciFIBench, Table 3)."""

import re
from collections.abc import Sequence

# The beginning of a line up to its list, such as "Ranked captions:".
_LEAD = re.compile(r".*(?:ranked\s+captions?|ranking)\W*?:", re.IGNORECASE)

# Lists in brackets; their length is bounded, so that an unclosed bracket takes no time.
_LISTS = (
    re.compile(r"\[([^\[\]]{1,2000})\]"),
    re.compile(r"\(([^()]{1,2000})\)"),
)
_SEPARATOR = re.compile(r"[,;>]")
_SEPARATOR_OR_LINE = re.compile(r"[,;>\n]")

# One item of a list: a letter with number, name, quotes or stars.
_DECORATION = " \t\"'`*()[]."
_ITEM = re.compile(
    r"(?:\d{1,2}\s*[.):]\s*)?(?:(?:caption|option)\s+)?[\"'`*(]*([A-Z])", re.IGNORECASE
)

# Lines with one item each: a letter alone, or a numbered one with its caption. A letter with its
# caption and without a number repeats the question.
_ITEM_LINES = (
    re.compile(r"^[^\S\n]*(?:[-*][^\S\n]+)?[\"'`*(\[]*([A-Z])[\"'`*)\].]*[^\S\n]*$", re.MULTILINE),
    re.compile(
        r"^[^\S\n]*\d{1,2}[^\S\n]*[.):][^\S\n]*(?:caption[^\S\n]+)?[\"'`*(\[]*([A-Z])(?![\w'])"
        r"(?![^\S\n]+\w).*$",
        re.IGNORECASE | re.MULTILINE,
    ),
)


def parse_ranking(text: str, letters: Sequence[str]) -> tuple[tuple[str, ...] | None, str]:
    """Return the ranking of all `letters` in `text` from best to worst, or None, and the reason.

    A ranking is a list separated by commas, `>` or semicolons, in brackets or on a line, or has one
    letter a line. The last complete one counts; missing letters are never added. The reason is
    `ok`, `empty reply`, `no list` or `incomplete list` (letters missing, repeated or unknown).
    """
    if not text.strip():
        return None, "empty reply"

    orders = [_letters(items) for items in _candidates(text)]
    complete = [order for order in orders if sorted(order) == sorted(letters)]
    if complete:
        return tuple(complete[-1]), "ok"
    return None, "incomplete list" if any(len(order) > 1 for order in orders) else "no list"


def _candidates(text: str) -> list[list[str]]:
    """Return the items of each list in `text` that may be a ranking, in order of their starts."""
    candidates = [*_on_lines(text), *_in_brackets(text)]
    for pattern in _ITEM_LINES:
        items = list(pattern.finditer(text))
        if items:
            candidates.append((items[0].start(), [item[1] for item in items]))
    return [items for _, items in sorted(candidates, key=lambda candidate: candidate[0])]


def _on_lines(text: str) -> list[tuple[int, list[str]]]:
    """Return start and items of each line that has a separator, without the words before it.

    `Ranking: B > A > C` at the start of a text is `(0, [" B ", " A ", " C"])`.
    """
    lists = []
    for line in re.finditer(r"[^\n]+", text):
        lead = _LEAD.match(line[0])
        content = line[0][lead.end() :] if lead else line[0]
        if _SEPARATOR.search(content):
            lists.append((line.start(), _SEPARATOR.split(content)))
    return lists


def _in_brackets(text: str) -> list[tuple[int, list[str]]]:
    """Return start and items of each list in brackets; it may have several lines."""
    return [
        (match.start(), _SEPARATOR_OR_LINE.split(match[1]))
        for pattern in _LISTS
        for match in pattern.finditer(text)
    ]


def _letters(items: Sequence[str]) -> list[str]:
    """Return the letters of items, or [] if an item is more than a decorated letter."""
    stripped = [item.strip(_DECORATION) for item in items]
    matches = [_ITEM.fullmatch(item) for item in stripped if item]
    if not all(matches):
        return []
    return [match[1].upper() for match in matches if match]
