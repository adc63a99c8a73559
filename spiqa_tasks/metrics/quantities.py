"""Answers with a tolerance and a unit, such as `50 cm` for `0.5 m`; pint knows the units."""

import re
from functools import cache, lru_cache
from typing import Any

from spiqa_tasks.scoring.open_answers import exact_match, read_as

_NUMBER = re.compile(
    r"(?<![\w.,^{*/])[-+]?(?:(?:\d{1,3}(?:,\d{3}){1,9}|\d{1,99})(?:\.\d{1,99})?|\.\d{1,99})(?:e[-+]?\d{1,3})?(?!\d)",
    re.IGNORECASE,
)
_MARKS = re.compile(r"\\(?:text|mathrm|mathit|rm|circ)(?![a-z])|\\[,;: ]|[\\${}~]")
_ASIDE = re.compile(r"\([^()\n]*\s[^()\n]*\)")
_STATES = re.compile(r"=|≈|\b(?:is|are|was|be|equals?)\b", re.IGNORECASE)
_TOWER = re.compile(r"[\d⁰¹²³⁴-⁹]\s*\)*\s*(?:\^|\*\*)|\d\d")
"""Powers of powers, which take long, and numbers, which are no part of a unit's name."""
_LONGEST = 40
_WORDS = 4
"""Words of a unit: `meters per second squared`."""
_ALSO_WORDS = {"a", "are", "as", "at", "in"}
"""Units (year, are, attosecond, atmosphere, inch) that are words where others follow: `5 in the box`, `5 a day`."""
_SLACK = 1e-9
"""Relative error of a conversion."""


def quantity_match(
    prediction: str, reference: str, tolerance: float = 0.0, units: bool = False
) -> bool | None:
    """Return whether a number differs from the true one by at most `tolerance` of it, in whatever unit of its kind.

    `tolerance` is a share of the true number. With `units` an answer without a unit is in the true one's; where the
    true answer has none, units are not read. True answers that are no number, or have a unit that pint does not know
    (without `units`: any), are compared by `exact_match`. None: the answer has no number, several, or a unit that pint
    does not know.
    """
    true = _quantity(reference, units)
    form = _plain(reference) if units else _plain(reference).rstrip("% ")
    if true is None or (_NUMBER.match if units else _NUMBER.fullmatch)(form) is None:
        return exact_match(prediction, reference)
    if not units or true[1] is None:
        read = _quantity(read_as(prediction, reference) or prediction, False)
        return None if read is None else _is_near(read[0], true[0], tolerance)
    read = _quantity(prediction, True)
    if read is None:
        return None
    try:
        value = (
            read[0]
            if read[1] is None
            else _registry().Quantity(read[0], read[1]).to(true[1]).magnitude
        )
    except TypeError:  # pint's error of a unit of another kind
        return False
    return _is_near(value, true[0], tolerance)


def _is_near(value: float, true: float, tolerance: float) -> bool:
    return abs(value - true) <= max(tolerance, _SLACK) * abs(true)


def _plain(text: str) -> str:
    return _MARKS.sub(" ", text).replace("−", "-").strip().removesuffix(".")


def _quantity(text: str, units: bool) -> tuple[float, Any] | None:
    """Return the only number of a text, or behind its last "=" or "is", and its unit or None; None for none."""
    text = _plain(text)
    for part in (text, _STATES.split(_ASIDE.sub(" ", text))[-1]):
        numbers = list(_NUMBER.finditer(part))
        if len(numbers) != 1:
            continue
        value = float(numbers[0][0].replace(",", ""))
        words = re.split(r"[,;]|[.](?:\s|$)", part[numbers[0].end() :])[0].split()
        if not units or not words:
            return (value / 100 if words and words[0].startswith("%") else value), None
        if words[0] in _ALSO_WORDS and len(words) > 1:
            continue
        for count in range(min(len(words), _WORDS), 0, -1):
            if (unit := _unit(" ".join(words[:count]))) is not None:
                return value, unit
    return None


@lru_cache(10_000)
def _unit(text: str) -> Any:
    if len(text) > _LONGEST or _TOWER.search(text):
        return None
    try:
        return _registry().parse_units(text)
    except Exception:  # pint raises AssertionError and its kin for texts that are no expression
        return None


@cache
def _registry() -> Any:
    import pint

    return pint.UnitRegistry()
