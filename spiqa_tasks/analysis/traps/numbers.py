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
_DECIMALS = re.compile(r"\d+\.\d+|\d+(?=%)")
_DIFFERENCE = re.compile(r"\b([Bb]y )(\d)")
_CONVERTED = {"ms": ("s", Decimal("0.001")), "km": ("m", Decimal(1000)), "m": ("km", Decimal("0.001"))}
_CONFUSED = {"ms": "s", "km": "m", "m": "km"}
_NAMES = "one two three four five six seven eight nine ten eleven twelve"
_WORDS = {str(number): name for number, name in enumerate(_NAMES.split(), 1)}


def replacing(
    pattern: re.Pattern[str], new: str | Callable[[re.Match[str]], str], count: int = 0
) -> Callable[[Item], str | None]:
    """Return the rule that replaces what a pattern finds in the reference; it makes None where that changes nothing."""
    return lambda item: _if_other(pattern.sub(new, item.reference, count=count), item)


def wrong_unit(item: Item) -> str | None:
    """Return the answer with the unit of its measures, or the percent sign, confused with another."""
    text = _MEASURE.sub(lambda found: f"{found[1]}{found[2]} {_CONFUSED[found[3]]}", item.reference)
    return _if_other(_PERCENT.sub(r"\1 per mille", text), item)


def last_other(item: Item) -> str | None:
    """Return an answer of several numbers with only the last one changed."""
    found = list(_NUMBER.finditer(item.reference))
    if len(found) < 2:
        return None
    start, end = found[-1].span()
    return item.reference[:start] + _other(found[-1]) + item.reference[end:]


def _if_other(text: str, item: Item) -> str | None:
    return text if text != item.reference else None


def _other(found: re.Match[str]) -> str:
    """The number changed by about a third, at least by one unit of its last digit."""
    value = Decimal(found[0])
    step = Decimal(1).scaleb(value.as_tuple().exponent)  # type: ignore[arg-type]
    return str(value + max(step, (value / 3).quantize(step)))


def _converted(found: re.Match[str]) -> str:
    unit, factor = _CONVERTED[found[3]]
    values = (_plain(Decimal(number) * factor) for number in (found[1] + found[2]).split(" to "))
    return f"{' to '.join(values)} {unit}"


def _with_comma(found: re.Match[str]) -> str:
    return f"{int(found[0]):,}" if len(found[0]) > 3 and "." not in found[0] else found[0]


def _plain(value: Decimal) -> str:
    return f"{value.normalize():f}"


TRAPS = (
    Trap(
        "number in words",
        True,
        "whole numbers up to twelve are written as words",
        replacing(_COUNT, lambda found: _WORDS.get(found[0], found[0])),
    ),
    Trap("percent in words", True, "24% is written as 24 percent", replacing(_PERCENT, r"\1 percent")),
    Trap(
        "percent as share",
        True,
        "24% is written as 0.24",
        replacing(_PERCENT, lambda found: _plain(Decimal(found[1]) / 100)),
    ),
    Trap("equal unit", True, "76 ms is written as 0.076 s, 1 km as 1000 m", replacing(_MEASURE, _converted)),
    Trap("thousands comma", True, "8400 is written as 8,400", replacing(_NUMBER, _with_comma)),
    Trap(
        "more decimals",
        True,
        "7.2 is written as 7.20, 24% as 24.0%",
        replacing(_DECIMALS, lambda found: f"{found[0]}0" if "." in found[0] else f"{found[0]}.0"),
    ),
    Trap("other number", False, "the first number is changed by about a third", replacing(_NUMBER, _other, 1)),
    Trap("one wrong of two", False, "of several numbers the last one is changed, the others are right", last_other),
    Trap("other sign", False, "a difference has the other sign", replacing(_DIFFERENCE, r"\1minus \2", 1)),
    Trap("wrong unit", False, "76 ms is written as 76 s, 24% as 24 per mille", wrong_unit),
    Trap("other order", False, "both ends of `from A to B` have changed places", replacing(_SPAN, r"\1\4\3\2", 1)),
)
