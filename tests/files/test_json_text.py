"""JSON read so that nothing in it is lost."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiqa_tasks.files.json_text import RepeatedKeyError, loads

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


@given(VALUES)
def test_any_value_is_read_as_json_reads_it(value: Any) -> None:
    """Text or bytes."""
    text = json.dumps(value)
    assert loads(text) == loads(text.encode()) == value


@pytest.mark.parametrize(
    "text", ['{"a": 1, "a": 1}', '[{"b": {"c": 0, "a": 1, "a": 2}}]', '{"a": 1, "b": 2, "\\u0061": 3}']
)
def test_a_key_that_is_there_twice_is_refused(text: str) -> None:
    """Anywhere, with the same value too; json would keep the last one."""
    with pytest.raises(RepeatedKeyError, match="the key 'a' more than once in one object"):
        loads(text)


def test_no_json_is_an_error_of_values() -> None:
    """As json has it."""
    with pytest.raises(ValueError, match="Expecting"):
        loads("{")
