"""JSON values against the types of a dataclass's fields: what a file of anybody's says is checked before it is used."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable, Mapping
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

Check = Callable[[Any], bool]


def check_types(kind: type, values: Mapping[str, Any]) -> None:
    """Check JSON values against the fields of the same names of a dataclass; other names are not looked at.

    Raises:
        TypeError: a value of another type, with the field's name. Numbers must be finite, lists stand for tuples.
    """
    for name, is_right in _checks(kind).items():
        if name in values and not is_right(values[name]):
            raise TypeError(f"{name}: {values[name]!r:.60}")


def conforms(value: Any, form: Any) -> bool:
    """Return whether a JSON value is of a type: str, bool, int, float, None, or a union, Literal, Mapping or tuple."""
    return _check_of(form)(value)


@cache
def _checks(kind: type) -> dict[str, Check]:
    hints = get_type_hints(kind)
    return {field.name: _check_of(hints[field.name]) for field in dataclasses.fields(kind)}


@cache  # a type is taken apart once, and millions of values are checked against it
def _check_of(form: Any) -> Check:
    kind, arguments = get_origin(form), get_args(form)
    if form is Any:
        return lambda value: True  # noqa: ARG005
    if kind in (Union, UnionType):
        checks = [_check_of(each) for each in arguments]
        return lambda value: any(check(value) for check in checks)
    if kind is Literal:
        return lambda value: isinstance(value, str) and value in arguments
    if kind is not None and issubclass(kind, Mapping):
        of_value = _check_of(arguments[1])
        return lambda value: isinstance(value, Mapping) and all(map(of_value, value.values()))
    if kind is tuple:
        of_item = _check_of(arguments[0])
        return lambda value: isinstance(value, list | tuple) and all(map(of_item, value))
    if form in (int, float):
        wanted = (int, float) if form is float else int
        return lambda value: (
            isinstance(value, wanted) and not isinstance(value, bool) and abs(value) <= sys.float_info.max
        )
    return lambda value: isinstance(value, NoneType if form is None else form)
