"""JSON values against the types of fields."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import pytest

from spiqa_tasks.files.typed import check_types, conforms


@dataclass
class Made:
    """One field of each kind."""

    name: str
    share: float | None = None
    names: tuple[str, ...] = ()
    more: Mapping[str, Any] | None = None


@pytest.mark.parametrize(
    ("form", "right", "wrong"),
    [
        (str, ["", "a"], [None, 1, ["a"]]),
        (bool, [True, False], [0, None, "true"]),
        (int, [0, -3], [True, 1.5, math.inf, 10**400, "1"]),
        (float, [0, 0.5, -1e9], [True, math.nan, math.inf, -math.inf, 10**400, "1", None]),
        (str | None, ["", None], [0, []]),
        (Literal["a", "b"], ["a"], ["c", None, ["a"]]),
        (tuple[str, ...], [[], ["a"], ("a", "b")], ["ab", [1], None]),
        (Mapping[str, float], [{}, {"a": 1}], [{"a": None}, [], None]),
        (Any, [None, {}, math.nan], []),
    ],
)
def test_a_value_is_of_a_type_or_not(form: Any, right: list[Any], wrong: list[Any]) -> None:
    """A truth value is no number, and neither is what is not finite."""
    assert all(conforms(value, form) for value in right)
    assert not any(conforms(value, form) for value in wrong)


def test_the_field_at_fault_is_named() -> None:
    """Values of the right types pass, with or without all fields; names that are no fields do not matter."""
    check_types(Made, {"name": "a", "share": 0.5, "names": ["b"], "more": {"c": []}, "else": 1})
    check_types(Made, {})
    with pytest.raises(TypeError, match=r"^share: 'much'$"):
        check_types(Made, {"name": "a", "share": "much"})
