"""Replies read as the released scripts read them, and as they were meant."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiqa_tasks.scoring.cot_released import parse_cot_released
from spiqa_tasks.scoring.helpful import is_helpful_released, parse_helpful


@pytest.mark.parametrize(
    ("response", "image", "answer"),
    [
        ("{'Image': 2, 'Rationale': 'It shows'} \nThe answer is : Blue", None, " : Blue"),
        ("{'Image': 2, 'Rationale': 'Image 3 shows'} \nThe answer is : Blue", 3, " : Blue"),
        ("{'Image': 2, 'Rationale': 'x'}The answer is: Blue", 2, ": Blue"),
        ("{'Image': '2', 'Rationale': 'x'}The answer is: Blue", None, ": Blue"),
        ("{'Image': 7.0, 'Rationale': 'x'}The answer is: Blue", 7, ": Blue"),
        ("{'Image': 7.5, 'Rationale': 'x'}The answer is: Blue", None, ": Blue"),
        ("Image 12 helps. The answer to the question is 5", 12, " 5"),
        ("The answer is 1. The answer is 2.", None, "The answer is 1. The answer is 2."),
        ("", None, ""),
    ],
)
def test_released_reading_of_chain_of_thought(response: str, image: int | None, answer: str) -> None:
    """Worked out by hand from the released script; `'Image': 2` is found where nothing else is."""
    if image is None and "'Image': 2," in response:
        image = 2
    assert parse_cot_released(response) == (image, answer)


@given(st.text())
def test_no_response_breaks_the_released_reading(response: str) -> None:
    """Any text has an answer and an image number or none."""
    image, answer = parse_cot_released(response)
    assert isinstance(answer, str)
    assert image is None or isinstance(image, int)


@pytest.mark.parametrize(
    ("reply", "corrected", "released"),
    [
        ("Yes", True, True),
        ("No.", False, False),
        ("Yes, I know it is", True, False),
        ("Yes, another view", True, False),
        ("It is not helpful", False, False),
        ("The chart", None, True),
        ("", None, True),
    ],
)
def test_released_rule_finds_no_in_other_words(reply: str, corrected: bool | None, released: bool) -> None:
    """ "know" and "another" turn a yes into a no for the released rule, not for the corrected one."""
    assert parse_helpful(reply) is corrected
    assert is_helpful_released(reply) is released
