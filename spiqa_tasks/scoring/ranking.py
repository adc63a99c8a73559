"""A ranking read out of a judge's answer, and the mean ranks of Table 3 of the SciFIBench paper."""

from __future__ import annotations

import re
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_LEAD = re.compile(r".*(?:ranked\s+captions?|ranking)\W*?:", re.IGNORECASE)
_LISTS = (re.compile(r"\[([^\[\]]{1,2000})\]"), re.compile(r"\(([^()]{1,2000})\)"))
_DECORATION = " \t\"'`*()[]."
_ITEM = re.compile(r"(?:\d{1,2}\s*[.):]\s*)?(?:(?:caption|option)\s+)?[\"'`*(]*([A-Z])", re.IGNORECASE)
_BARE_LINE = re.compile(r"\s*(?:[-*]\s+)?[\"'`*(\[]*([A-Z])[\"'`*)\].]*\s*")
_NUMBERED_LINE = re.compile(
    r"\s*\d{1,2}\s*[.):]\s*(?:caption\s+)?[\"'`*(\[]*([A-Z])(?![\w'])(?!\s+\w).*", re.IGNORECASE
)


@dataclass(frozen=True)
class Ranking:
    """Letters from best to worst; None where the answer has no complete one, then `reason` says why."""

    order: tuple[str, ...] | None
    reason: str


def parse_ranking(text: str, letters: Sequence[str]) -> Ranking:
    """The ranking of all `letters` that `text` gives; never completed or corrected.

    Read are lists separated by commas, `>` or semicolons, in brackets or on a line of their own, and one letter a
    line; a letter with its caption only on a line that carries its rank, because captions that are merely repeated
    are no ranking. Where there are several complete rankings the last one counts. `reason` is `ok`, `empty`,
    `no_list` or `incomplete` (letters are missing, repeated or unknown).
    """
    if not text.strip():
        return Ranking(None, "empty")
    found = [order for candidate in _candidates(text) if (order := _letters(candidate))]
    complete = [order for order in found if sorted(order) == sorted(letters)]
    if complete:
        return Ranking(tuple(complete[-1]), "ok")
    return Ranking(None, "incomplete" if any(len(order) > 1 for order in found) else "no_list")


def ranks(order: Sequence[str]) -> dict[str, int]:
    """Letter -> its rank, 1 the best."""
    return {letter: place for place, letter in enumerate(order, start=1)}


def mean_sd(values: Sequence[float]) -> tuple[float, float]:
    """Mean and sample standard deviation (0 for a single value); NaN for none."""
    if not values:
        return float("nan"), float("nan")
    return statistics.fmean(values), statistics.stdev(values) if len(values) > 1 else 0.0


def combined(by_judge: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Item -> the mean of its ranks over the judges, of the items that every judge ranked.

    So the deviation of the combined column is that of items' means, as Table 3 has it.
    """
    shared = set.intersection(*(set(ranked) for ranked in by_judge)) if by_judge else set()
    return {item: statistics.fmean(ranked[item] for ranked in by_judge) for item in sorted(shared)}


def _candidates(text: str) -> list[list[str]]:
    """What may be rankings, as lists of items, in the order in which they stand in the text."""
    places: list[tuple[int, list[str]]] = []
    lines = list(re.finditer(r"[^\n]+", text))
    for line in lines:
        lead = _LEAD.match(line[0])
        content = line[0][lead.end() :] if lead else line[0]
        if re.search(r"[,;>]", content):
            places.append((line.start(), re.split(r"[,;>]", content)))
    places += [
        (found.start(), re.split(r"[,;>\n]", found[1])) for pattern in _LISTS for found in pattern.finditer(text)
    ]
    for pattern in (_BARE_LINE, _NUMBERED_LINE):
        alone = [(line.start(), match[1]) for line in lines if (match := pattern.fullmatch(line[0]))]
        places += [(alone[0][0], [letter for _, letter in alone])] if alone else []
    return [items for _, items in sorted(places, key=lambda place: place[0])]


def _letters(items: Sequence[str]) -> list[str]:
    """The letters of items that are nothing but a decorated letter; none where one is something else."""
    plain = [item.strip(_DECORATION) for item in items]
    matches = [_ITEM.fullmatch(item) for item in plain if item]
    return [match[1].upper() for match in matches if match] if all(matches) else []
