"""JSON values against the types of a dataclass's fields: what a file of anybody's says is checked before it is used."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Mapping
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints


def check_types(kind: type, values: Mapping[str, Any]) -> None:
    """Check JSON values against the fields of the same names of a dataclass; other names are not looked at.

    Raises:
        TypeError: a value of another type, with the field's name. Numbers must be finite, lists stand for tuples.
    """
    for name, form in _forms(kind).items():
        if name in values and not conforms(values[name], form):
            raise TypeError(f"{name}: {values[name]!r:.60}")


def conforms(value: Any, form: Any) -> bool:
    """Return whether a JSON value is of a type: str, bool, int, float, None, or a union, Literal, Mapping or tuple."""
    kind, arguments = get_origin(form), get_args(form)
    if form is Any:
        return True
    if kind in (Union, UnionType):
        return any(conforms(value, each) for each in arguments)
    if kind is Literal:
        return isinstance(value, str) and value in arguments
    if kind is not None and issubclass(kind, Mapping):
        return isinstance(value, Mapping) and all(conforms(each, arguments[1]) for each in value.values())
    if kind is tuple:
        return isinstance(value, list | tuple) and all(conforms(each, arguments[0]) for each in value)
    if form in (int, float):
        wanted = (int, float) if form is float else int
        return isinstance(value, wanted) and not isinstance(value, bool) and abs(value) <= sys.float_info.max
    return isinstance(value, NoneType if form is None else form)


@cache
def _forms(kind: type) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in dataclasses.fields(kind)}
