"""Traps in numbers and units: equal ones in another form, and others that look alike."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal

from spiqa_tasks.analysis.traps.item import Item, Trap

_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.]*\d)")
_COUNT = re.compile(_NUMBER.pattern + "(?!%)")
_PERCENT = re.compile(r"(\d+(?:\.\d+)?)%")
_MEASURE = re.compile(r"(\d+(?:\.\d+)?)((?: to \d+(?:\.\d+)?)?) (ms|km|m)\b")
_SPAN = re.compile(r"(from )(\d+(?:\.\d+)?)(.*? to )(\d+(?:\.\d+)?)")
_DIFFERENCE = re.compile(r"\b([Bb]y )(\d)")
_CONVERTED = {"ms": ("s", Decimal("0.001")), "km": ("m", Decimal(1000)), "m": ("km", Decimal("0.001"))}
_CONFUSED = {"ms": "s", "km": "m", "m": "km"}
_WORDS = {
    **{"1": "one", "2": "two", "3": "three", "4": "four", "5": "five", "6": "six", "7": "seven", "8": "eight"},
    **{"9": "nine", "10": "ten", "11": "eleven", "12": "twelve"},
}


def in_words(item: Item) -> str | None:
    """Return the answer with its whole numbers up to twelve as words."""
    return _changed(item, _COUNT, lambda found: _WORDS.get(found[0], found[0]))


def percent_in_words(item: Item) -> str | None:
    """Return the answer with "percent" for the sign."""
    return _changed(item, _PERCENT, lambda found: f"{found[1]} percent")


def as_share(item: Item) -> str | None:
    """Return the answer with percentages as shares of 1."""
    return _changed(item, _PERCENT, lambda found: _plain(Decimal(found[1]) / 100))


def converted(item: Item) -> str | None:
    """Return the answer with its measures in another unit, equal ones."""

    def convert(found: re.Match[str]) -> str:
        unit, factor = _CONVERTED[found[3]]
        values = (_plain(Decimal(number) * factor) for number in (found[1] + found[2]).split(" to "))
        return f"{' to '.join(values)} {unit}"

    return _changed(item, _MEASURE, convert)


def with_comma(item: Item) -> str | None:
    """Return the answer with commas in numbers from a thousand on."""
    return _changed(
        item, _NUMBER, lambda found: f"{int(found[0]):,}" if len(found[0]) > 3 and _whole(found) else found[0]
    )


def more_decimals(item: Item) -> str | None:
    """Return the answer with a further 0 behind the decimals of its numbers and percentages."""
    numbers = re.compile(r"\d+\.\d+|\d+(?=%)")
    return _changed(item, numbers, lambda found: f"{found[0]}0" if "." in found[0] else f"{found[0]}.0")


def first_other(item: Item) -> str | None:
    """Return the answer with its first number changed by about a third, at least by one unit of its last digit."""
    return _changed(item, _NUMBER, _other, count=1)


def last_other(item: Item) -> str | None:
    """Return an answer of several numbers with only the last one changed."""
    found = list(_NUMBER.finditer(item.reference))
    if len(found) < 2:
        return None
    start, end = found[-1].span()
    return item.reference[:start] + _other(found[-1]) + item.reference[end:]


def minus(item: Item) -> str | None:
    """Return a difference with the other sign."""
    return _changed(item, _DIFFERENCE, r"\1minus \2", count=1)


def wrong_unit(item: Item) -> str | None:
    """Return the answer with the unit of its measures, or the percent sign, confused with another."""
    text = _MEASURE.sub(lambda found: f"{found[1]}{found[2]} {_CONFUSED[found[3]]}", item.reference)
    text = _PERCENT.sub(r"\1 per mille", text)
    return text if text != item.reference else None


def swapped(item: Item) -> str | None:
    """Return the answer with both ends of "from ... to ..." in the places of each other."""
    return _changed(item, _SPAN, lambda found: f"{found[1]}{found[4]}{found[3]}{found[2]}", count=1)


def _other(found: re.Match[str]) -> str:
    value = Decimal(found[0])
    step = Decimal(1).scaleb(value.as_tuple().exponent)  # type: ignore[arg-type]
    return str(value + max(step, (value / 3).quantize(step)))


def _changed(
    item: Item, pattern: re.Pattern[str], new: str | Callable[[re.Match[str]], str], count: int = 0
) -> str | None:
    """The reference with what the pattern finds replaced; None where that changes nothing."""
    text = pattern.sub(new, item.reference, count=count)
    return text if text != item.reference else None


def _plain(value: Decimal) -> str:
    return f"{value.normalize():f}"


def _whole(found: re.Match[str]) -> bool:
    return "." not in found[0]


TRAPS = (
    Trap("number in words", True, "whole numbers up to twelve are written as words", in_words),
    Trap("percent in words", True, "24% is written as 24 percent", percent_in_words),
    Trap("percent as share", True, "24% is written as 0.24", as_share),
    Trap("equal unit", True, "76 ms is written as 0.076 s, 1 km as 1000 m", converted),
    Trap("thousands comma", True, "8400 is written as 8,400", with_comma),
    Trap("more decimals", True, "7.2 is written as 7.20, 24% as 24.0%", more_decimals),
    Trap("other number", False, "the first number is changed by about a third", first_other),
    Trap("one wrong of two", False, "of several numbers the last one is changed, the others are right", last_other),
    Trap("other sign", False, "a difference has the other sign", minus),
    Trap("wrong unit", False, "76 ms is written as 76 s, 24% as 24 per mille", wrong_unit),
    Trap("other order", False, "both ends of `from A to B` have changed places", swapped),
)
