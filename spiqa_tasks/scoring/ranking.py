"""Rank correlations, a judge's ranking of captions, and the mean ranks of Table 3 of the SciFIBench paper."""

import re
import statistics
from collections.abc import Mapping, Sequence

_LEAD = re.compile(r".*(?:ranked\s+captions?|ranking)\W*?:", re.IGNORECASE)
_LISTS = (re.compile(r"\[([^\[\]]{1,2000})\]"), re.compile(r"\(([^()]{1,2000})\)"))
_DECORATION = " \t\"'`*()[]."
_ITEM = re.compile(
    r"(?:\d{1,2}\s*[.):]\s*)?(?:(?:caption|option)\s+)?[\"'`*(]*([A-Z])", re.IGNORECASE
)
_BARE_LINE = re.compile(r"\s*(?:[-*]\s+)?[\"'`*(\[]*([A-Z])[\"'`*)\].]*\s*")
_NUMBERED_LINE = re.compile(
    r"\s*\d{1,2}\s*[.):]\s*(?:caption\s+)?[\"'`*(\[]*([A-Z])(?![\w'])(?!\s+\w).*", re.IGNORECASE
)

Pairs = list[tuple[float, float]]
"""Two scores of each answer."""


def matched(scores: Mapping[str, float], others: Mapping[str, float]) -> Pairs:
    """Return both scores of each id that has two."""
    return [(score, others[key]) for key, score in scores.items() if key in others]


def rank_correlations(pairs: Pairs) -> tuple[float | None, float | None]:
    """Return Spearman's rho and Kendall's tau-b, in [-1, 1]; None where they are not defined.

    That is of fewer than two answers, or of one score for all of them.
    """
    columns = list(zip(*pairs, strict=True))
    if len(pairs) < 2 or any(len(set(column)) == 1 for column in columns):
        return None, None
    from scipy.stats import kendalltau, spearmanr

    return float(spearmanr(*columns).statistic), float(kendalltau(*columns).statistic)


def parse_ranking(text: str, letters: Sequence[str]) -> tuple[tuple[str, ...] | None, str]:
    """Return the ranking of all `letters` in `text` from best to worst, or None, and the reason; never completed.

    Read are lists separated by commas, `>` or semicolons, in brackets or on a line, and one letter a line; a letter
    with its caption only on a numbered line, because repeated captions are not a ranking. The last complete ranking
    counts. The reason is `ok`, `empty`, `no_list` or `incomplete` (letters missing, repeated or unknown).
    """
    if not text.strip():
        return None, "empty"
    orders = [order for candidate in _candidates(text) if (order := _letters(candidate))]
    complete = [order for order in orders if sorted(order) == sorted(letters)]
    if complete:
        return tuple(complete[-1]), "ok"
    return None, "incomplete" if any(len(order) > 1 for order in orders) else "no_list"


def mean_sd(values: Sequence[float]) -> tuple[float, float]:
    """Return mean and sample standard deviation (0 for a single value); NaN for no values."""
    if not values:
        return float("nan"), float("nan")
    return statistics.fmean(values), statistics.stdev(values) if len(values) > 1 else 0.0


def combined(by_judge: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Return item -> mean rank over the judges, for items ranked by every judge.

    The deviation of Table 3's combined column is over these means.
    """
    shared = set.intersection(*(set(ranked) for ranked in by_judge)) if by_judge else set()
    return {item: statistics.fmean(ranked[item] for ranked in by_judge) for item in sorted(shared)}


def _candidates(text: str) -> list[list[str]]:
    places: list[tuple[int, list[str]]] = []
    lines = list(re.finditer(r"[^\n]+", text))
    for line in lines:
        lead = _LEAD.match(line[0])
        content = line[0][lead.end() :] if lead else line[0]
        if re.search(r"[,;>]", content):
            places.append((line.start(), re.split(r"[,;>]", content)))
    places += [
        (listed.start(), re.split(r"[,;>\n]", listed[1]))
        for pattern in _LISTS
        for listed in pattern.finditer(text)
    ]
    for pattern in (_BARE_LINE, _NUMBERED_LINE):
        alone = [
            (line.start(), match[1]) for line in lines if (match := pattern.fullmatch(line[0]))
        ]
        places += [(alone[0][0], [letter for _, letter in alone])] if alone else []
    return [items for _, items in sorted(places, key=lambda place: place[0])]


def _letters(items: Sequence[str]) -> list[str]:
    """Return the letters of items, or [] if an item is more than a decorated letter."""
    plain = [item.strip(_DECORATION) for item in items]
    matches = [_ITEM.fullmatch(item) for item in plain if item]
    return [match[1].upper() for match in matches if match] if all(matches) else []
