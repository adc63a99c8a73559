"""The text of a task's settings, read and written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiqa_tasks.benchmarks.settings import parse_settings, settings_text
from spiqa_tasks.errors import InputError


@dataclass(frozen=True)
class Settings:
    """Settings of every kind of field."""

    colour: Literal["red", "green"] = "red"
    number: int = 3
    name: str = ""


PLAIN = st.text("abc./:= -", max_size=9).map(str.strip)


@given(st.builds(Settings, st.sampled_from(["red", "green"]), st.integers(), PLAIN))
def test_the_text_of_settings_is_read_back(settings: Settings) -> None:
    """The canonical text names every field and gives the same settings again."""
    assert parse_settings(Settings, settings_text(settings)) == settings


def test_fields_that_are_not_named_keep_their_default() -> None:
    """Spaces and empty parts between commas mean nothing; a value may hold an equals sign."""
    assert parse_settings(Settings, "") == Settings()
    assert parse_settings(Settings, " number=4 ,, name=a=b,") == Settings("red", 4, "a=b")
    assert settings_text(Settings()) == "colour=red,number=3,name="


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("size=3", "keys among colour, number, name; found 'size=3'"),
        ("number", "found 'number'"),
        ("number=many", "number to be a whole number; found 'many'"),
        ("colour=blue", "colour to be one of red, green; found 'blue'"),
    ],
)
def test_what_the_settings_lack_is_refused(text: str, said: str) -> None:
    """A key, a form or a value that is not known is one sentence that says what is."""
    with pytest.raises(InputError, match=said):
        parse_settings(Settings, text)
