"""Task settings: the `key=value,key=value` text of a YAML's `dataset_name`.

The host passes this text to the loader, so one line of YAML changes a task, and every document carries it: prompts,
scoring and signature read the same settings.
"""

from __future__ import annotations

import dataclasses
import typing
from functools import cache
from typing import Any

from spiqa_tasks.errors import InputError


@cache
def parse_settings(kind: type[Any], text: str) -> Any:
    """Return the settings dataclass `kind` of a `key=value,key=value` text; absent keys keep their default.

    Raises:
        InputError: an unknown key, a key without a value, or a value outside the field's type or choices.
    """
    types = typing.get_type_hints(kind)
    values: dict[str, Any] = {}
    for item in filter(None, (part.strip() for part in text.split(","))):
        key, separator, value = item.partition("=")
        if not separator or key not in types:
            raise InputError(
                f"Expected dataset_name to be key=value pairs with keys among {', '.join(types)}; found {item!r}. "
                "Correct the task's YAML."
            )
        values[key] = _convert(key, value, types[key])
    return kind(**values)


def settings_text(settings: Any) -> str:
    """Return the canonical text of a settings dataclass: every field, in order of declaration."""
    return ",".join(f"{field.name}={getattr(settings, field.name)}" for field in dataclasses.fields(settings))


def _convert(key: str, value: str, kind: Any) -> Any:
    if typing.get_origin(kind) is typing.Literal:
        choices = typing.get_args(kind)
        if value not in choices:
            raise InputError(f"Expected {key} to be one of {', '.join(choices)}; found {value!r}.")
        return value
    if kind is int:
        try:
            return int(value)
        except ValueError as error:
            raise InputError(f"Expected {key} to be a whole number; found {value!r}.") from error
    return value
