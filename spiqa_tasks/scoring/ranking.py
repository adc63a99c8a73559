"""Read a judge's ranking of captions (SciFIBench, Table 3)."""

import re
from collections.abc import Sequence

# Words before a list, such as "Ranked captions:".
_LEAD = re.compile(r".*(?:ranked\s+captions?|ranking)\W*?:", re.IGNORECASE)

# Lists in brackets; bounded, so that unclosed brackets take no time.
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

# One item a line. With its caption only on a numbered line: repeated captions are no ranking.
_BARE_LINE = re.compile(r"\s*(?:[-*]\s+)?[\"'`*(\[]*([A-Z])[\"'`*)\].]*\s*")
_NUMBERED_LINE = re.compile(
    r"\s*\d{1,2}\s*[.):]\s*(?:caption\s+)?[\"'`*(\[]*([A-Z])(?![\w'])(?!\s+\w).*", re.IGNORECASE
)


def parse_ranking(text: str, letters: Sequence[str]) -> tuple[tuple[str, ...] | None, str]:
    """Return the ranking of all `letters` in `text` from best to worst, or None, and the reason.

    Read are lists separated by commas, `>` or semicolons, in brackets or on a line, and one letter
    a line. The last complete ranking counts; none is ever completed. The reason is `ok`, `empty`,
    `no_list` or `incomplete` (letters missing, repeated or unknown).
    """
    if not text.strip():
        return None, "empty"

    orders = [_letters(items) for items in _candidates(text)]
    complete = [order for order in orders if sorted(order) == sorted(letters)]
    if complete:
        return tuple(complete[-1]), "ok"
    return None, "incomplete" if any(len(order) > 1 for order in orders) else "no_list"


def _candidates(text: str) -> list[list[str]]:
    """Return the items of everything in `text` that may be a ranking, in order of its start."""
    lines = list(re.finditer(r"[^\n]+", text))
    candidates = [*_on_lines(lines), *_in_brackets(text)]
    for pattern in (_BARE_LINE, _NUMBERED_LINE):
        matches = [pattern.fullmatch(line[0]) for line in lines]
        letters = [match[1] for match in matches if match]
        starts = [line.start() for line, match in zip(lines, matches, strict=True) if match]
        if letters:
            candidates.append((starts[0], letters))
    return [items for _, items in sorted(candidates, key=lambda candidate: candidate[0])]


def _on_lines(lines: Sequence[re.Match[str]]) -> list[tuple[int, list[str]]]:
    """Return start and items of each line that is a list, without the words that lead to it."""
    lists = []
    for line in lines:
        lead = _LEAD.match(line[0])
        content = line[0][lead.end() :] if lead else line[0]
        if _SEPARATOR.search(content):
            lists.append((line.start(), _SEPARATOR.split(content)))
    return lists


def _in_brackets(text: str) -> list[tuple[int, list[str]]]:
    """Return start and items of each list in brackets, which may have several lines."""
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
