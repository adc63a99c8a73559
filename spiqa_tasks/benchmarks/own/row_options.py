"""The options of a row of anybody's table, wherever it has them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from spiqa_tasks.benchmarks.own.cells import LETTERS, as_value, is_empty, options_of
from spiqa_tasks.benchmarks.own.definition import Columns
from spiqa_tasks.benchmarks.own.proposal import NAMES
from spiqa_tasks.files.records import Fields

_LETTER = re.compile("[A-Za-z]")


def row_options(record: Fields, named: Sequence[str] = ()) -> dict[str, str]:
    """Return letter -> text of a row's options; empty where it has none.

    Args:
        record: column -> value. A column has the options as an object with letters as its keys, as a list, or as a
            text that lists them; or each letter has a column of its own.
        named: the column with the options, or one for each; by default one with a usual name, the columns A, B, ...,
            or those that the question's text lists.

    Raises:
        ValueError: options in no known form.
    """
    columns = list(named) or _usual(record)
    value = as_value(record.get(columns[0])) if len(columns) == 1 else None
    if isinstance(value, Mapping) and all(_LETTER.fullmatch(str(key)) for key in value):
        found = {str(key): "" if is_empty(text) else str(text) for key, text in value.items() if text is not None}
        if len({key.upper() for key in found}) < len(found):
            raise ValueError(f"a letter twice among {', '.join(found)}")
        return found
    return options_of(record, Columns(options=tuple(columns)))


def _usual(record: Fields) -> list[str]:
    for role in ("options", "question"):
        found = next((name for name in NAMES[role] if name in record), None)
        if found is not None:
            return [found]
        lettered = [letter for letter in LETTERS if not is_empty(record.get(letter))]
        if len(lettered) > 1:
            return lettered
    return []
