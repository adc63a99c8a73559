"""Values: when a mean is withheld, and how numbers are written."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pages import text_of

from spiqa_tasks.scoring.values import (
    is_covered,
    number,
    p_value,
    percent,
    plain,
    too_few,
    without_nan,
)


@given(st.integers(0, 400), st.integers(0, 400))
def test_enough_is_one_and_99_in_a_hundred(known: int, total: int) -> None:
    """In whole numbers, so that no rounding decides."""
    assert is_covered(known, total) == (known > 0 and 100 * known >= 99 * total)


def test_the_share_is_the_one_of_the_docs() -> None:
    """The sentence of a withheld number names the share, and docs/answers.md defines it."""
    reason = too_few(98, 100, "answers have a score")
    assert (reason, too_few(99, 100, "")) == ("98 of 100 answers have a score, fewer than 99%", "")
    assert reason.partition(", ")[2] in text_of("answers")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        *(
            (percent(0.0), "0.0"),
            (percent(0.5214), "52.1"),
            (percent(-0.0206), "-2.1"),
            (percent(-0.0003), "0.0"),
            (percent(None), "-"),
        ),
        *(
            (number(0.5), "50.0"),
            (number(0.5, 0.25, 0.75), "50.0 [25.0, 75.0]"),
            (number(0.5, 0.25), "50.0"),
        ),
        *(
            (number(-0.0625, -0.1, 0.0), "-6.2 [-10.0, 0.0]"),
            (number(None), "-"),
            (number(math.nan, 0.1, 0.2), "-"),
        ),
        *(
            (p_value(0.0), "< 0.001"),
            (p_value(0.00099), "< 0.001"),
            (p_value(0.001), "0.001"),
            (p_value(1.0), "1.000"),
        ),
        *((p_value(math.nan), "-"), (plain(None), "-"), (plain(0.0167), "0.017")),
    ],
)
def test_numbers_are_shown(text: str, shown: str) -> None:
    """Shares times 100 with their interval, a dash where there is none, and no p-value of 0."""
    assert text == shown


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
