"""Prompts as templates: `{question}`, `{options}`, `{images}` and `{any column}`, in the form of Python's format."""

from __future__ import annotations

import re
import string
from collections.abc import Mapping

from spiqa_tasks.errors import InputError

_FIELD = re.compile(r"\{([^{}:]+)(?::(0\d{1,2})d)?\}")
IMAGES = "images"
PARTS = ("question", "options", IMAGES)
_LETTER = "Answer with the option's letter from the given choices directly."
TEMPLATES = {
    "choice": f"{{images}}{{question}}\n{{options}}\n{_LETTER}",
    "listed": f"{{images}}{{question}}\n{_LETTER}",
    "open": "{images}{question}\nAnswer the question with a word, a number or a short phrase.",
}
"""What is asked where the YAML has no prompt; `listed` of questions whose text has the options."""


def fields_of(template: str, where: str) -> list[tuple[str, str | None]]:
    """Return (text, name of the field behind it) of a template; None behind the last text.

    Raises:
        InputError: braces that are no field's, or a field without a name.
    """
    try:
        found = [(text, field) for text, field, _, _ in string.Formatter().parse(template)]
    except ValueError as error:
        found, fault = [], str(error)
    else:
        fault = "a field without a name" if any(field == "" for _, field in found) else ""
    if fault:
        raise InputError(
            f"Expected prompt: to have names of columns in braces in {where}; found {fault}. Write a brace that is "
            "text twice."
        )
    return found


def fields_in_path(path: str) -> list[str]:
    """Return the columns in braces in a path of pictures."""
    return [field[1] for field in _FIELD.finditer(path)]


def filled_path(path: str, values: Mapping[str, object]) -> str:
    """Return a path of pictures with its columns filled in; `{id:012d}` has numbers of twelve digits.

    Raises:
        ValueError: a value that is no number where the path wants one.
    """

    def filled(field: re.Match[str]) -> str:
        name, form = field.groups()
        return f"{int(str(values[name])):{form}d}" if form else str(values[name])

    return _FIELD.sub(filled, path)
