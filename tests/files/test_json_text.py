"""JSON read so that nothing in it is lost."""

import hashlib
import json
import math
import tracemalloc
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiqa_tasks.files.json_text import (
    RepeatedKeyError,
    conforms,
    digest_of,
    entries,
    loads,
    without_nan,
)

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**62), 2**62) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


@given(VALUES)
def test_any_value_is_read_as_json_reads_it(value: Any) -> None:
    """Text or bytes."""
    text = json.dumps(value)
    assert loads(text) == loads(text.encode()) == value


@pytest.mark.parametrize(
    "text",
    ['{"a": 1, "a": 1}', '[{"b": {"c": 0, "a": 1, "a": 2}}]', '{"a": 1, "b": 2, "\\u0061": 3}'],
)
def test_a_key_that_is_there_twice_is_refused(text: str) -> None:
    """Anywhere, with the same value too; json would keep the last one."""
    with pytest.raises(RepeatedKeyError, match="the key 'a' more than once in one object"):
        loads(text)


@given(st.dictionaries(st.text(), VALUES, max_size=4), st.sampled_from([None, 1, "\t \n"]))
def test_entries_are_those_of_the_whole_text(
    tmp_path_factory: pytest.TempPathFactory, found: dict[str, Any], indent: Any
) -> None:
    """However it is laid out."""
    path = tmp_path_factory.mktemp("json") / "a.json"
    path.write_text(
        json.dumps(found, indent=indent, ensure_ascii=False), encoding="utf-8", newline=""
    )
    assert list(entries(path)) == list(found.items())


@given(st.dictionaries(st.text(), VALUES, min_size=1, max_size=3), st.data())
def test_a_cut_text_is_no_object(
    tmp_path_factory: pytest.TempPathFactory, found: dict[str, Any], data: Any
) -> None:
    """Nor is one with more behind it, wherever it is cut."""
    text = json.dumps(found)
    path = tmp_path_factory.mktemp("json") / "a.json"
    for broken in (
        text[: data.draw(st.integers(1, len(text) - 1))],
        f"{text} {{}}",
        f"{text[:-1]}]",
    ):
        path.write_text(broken)
        with pytest.raises(ValueError, match=r"."):
            list(entries(path))


def test_a_large_file_is_read_in_little_memory(tmp_path: Path) -> None:
    """Ten thousand values of 4,000 characters take less than a fifth of the file's size."""
    path = tmp_path / "a.json"
    path.write_text("{" + ", ".join(f'"{place}": "{"x" * 4000}"' for place in range(10_000)) + "}")
    tracemalloc.start()
    assert sum(len(value) for _, value in entries(path)) == 40_000_000
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8_000_000


def test_a_digest_is_of_the_value_whatever_the_order_of_its_keys() -> None:
    """Twelve digits of the sha256 of its JSON, the keys in order."""
    expected = hashlib.sha256(b'{"a": [1, "x"], "b": null}').hexdigest()[:12]
    assert (
        digest_of({"b": None, "a": (1, "x")}) == digest_of({"a": [1, "x"], "b": None}) == expected
    )


@pytest.mark.parametrize(
    ("form", "right", "wrong"),
    [
        (str, ["", "a"], [None, 1, ["a"]]),
        (bool, [True, False], [0, None, "true"]),
        (int, [0, -3], [True, 1.5, math.inf, "1"]),
        (float, [0, 0.5, -1e9], [True, math.nan, math.inf, -math.inf, 10**400, "1", None]),
        (str | None, ["", None], [0, []]),
        (Literal["a", "b"], ["a"], ["c", None, ["a"]]),
        (tuple[str, ...], [(), ("a", "b")], ["ab", (1,), None]),
        (Mapping[str, float], [{}, {"a": 1}], [{"a": None}, [], None]),
        (Any, [None, {}, math.nan], []),
    ],
)
def test_a_value_is_of_a_type_or_not(form: Any, right: list[Any], wrong: list[Any]) -> None:
    """A truth value is no number, and neither is what is not finite."""
    assert all(conforms(value, form) for value in right)
    assert not any(conforms(value, form) for value in wrong)


def test_what_is_not_a_number_is_null_in_json() -> None:
    """NaN becomes null wherever it stands; everything else stays."""
    given = {
        "value": math.nan,
        "interval": [0.5, math.inf],
        "n": 3,
        "groups": [{"score": math.nan, "name": "nan"}],
    }
    expected = (
        '{"value": null, "interval": [0.5, null], "n": 3, "groups": [{"score": null, "name":'
        ' "nan"}]}'
    )
    assert json.dumps(without_nan(given)) == expected
