"""Chain-of-thought responses read as the released metric script reads them."""

import ast
import re
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiqa_tasks.scoring.cot_released import parse_cot_released


@pytest.mark.parametrize(
    ("response", "image", "answer"),
    [
        ("{'Image': 2, 'Rationale': 'It shows'} \nThe answer is : Blue", 2, " : Blue"),
        ("{'Image': 2, 'Rationale': 'Image 3 shows'} \nThe answer is : Blue", 3, " : Blue"),
        ("{'Image': 2, 'Rationale': 'x'}The answer is: Blue", 2, ": Blue"),
        ("{'Image': '2', 'Rationale': 'x'}The answer is: Blue", None, ": Blue"),
        ("{'Image': 7.0, 'Rationale': 'x'}The answer is: Blue", 7, ": Blue"),
        ("{'Image': 7.5, 'Rationale': 'x'}The answer is: Blue", None, ": Blue"),
        ("{'Image': 99999}The answer is: x", 99999, ": x"),
        ("{'Image': 100000}The answer is: x", None, ": x"),
        ("{'Image': -1}The answer is: x", None, ": x"),
        ("{'Figure': 3, 'Rationale': 'image 4'}The answer is: x", 4, ": x"),
        ("['Image']The answer is: x", None, ": x"),
        ("Image 12 helps. The answer to the question is 5", 12, " 5"),
        ("Image 16, image 15 and Image 1", 15, "Image 16, image 15 and Image 1"),
        ("'image': 3 and 'Image': 4", 3, "'image': 3 and 'Image': 4"),
        (
            "Image 3 comes after The answer is: x. The answer is: y",
            3,
            "Image 3 comes after The answer is: x. The answer is: y",
        ),
        ("The answer is: Image 3", None, ": Image 3"),
        ("The answer is 1. The answer is 2.", None, "The answer is 1. The answer is 2."),
        ("The answer is 1. The answer is 2. The answer to the question is 3.", None, " 3."),
        ("the answer is 4", None, "the answer is 4"),
        ("", None, ""),
    ],
)
def test_the_released_reading(response: str, image: int | None, answer: str) -> None:
    """Worked out by hand from the released script: a dict alone, then any `Image N`, then
    `'Image': N`.
    """
    assert parse_cot_released(response) == (image, answer)


@given(st.text())
def test_no_response_breaks_the_released_reading(response: str) -> None:
    """Any text has an answer and an image number or none."""
    image, answer = parse_cot_released(response)
    assert isinstance(answer, str)
    assert image is None or isinstance(image, int)


def released(response: str) -> tuple[object, str]:
    """Image and answer as the release's script finds them, step by step."""
    answer = response
    if len(response.split("The answer is")) == 2:
        answer = response.split("The answer is")[1]
    elif len(response.split("The answer to the question is")) == 2:
        answer = response.split("The answer to the question is")[1]
    try:
        return ast.literal_eval(response.split("The answer is:")[0])["Image"], answer
    except (ValueError, SyntaxError, TypeError, KeyError):
        before = response.split("The answer is:")[0].lower()
        number = r"\b(\d|1[0-5])\b"
        found = re.search(f"image {number}", before) or re.search(f"'image': {number}", before)
        return (int(found[1]) if found else None), answer


PIECES = [
    "{'Image': 3}",
    "'Image': ",
    "Image ",
    "4",
    "15",
    "16",
    " ",
    "The answer is",
    ":",
    "The answer to the question is",
]


@given(st.lists(st.sampled_from(PIECES), max_size=8).map("".join))
def test_pieces_in_any_order_are_read_as_by_the_script(response: str) -> None:
    """Against the script's steps written down once more."""
    assert parse_cot_released(response) == released(response)


def test_a_long_literal_is_not_evaluated() -> None:
    """Up to 10,000 characters of a dict are; beyond, the number is found as in any other text."""
    for rationale, image in (("x" * 9_000, None), ("x" * 10_000, 2)):
        assert (
            parse_cot_released(f"{{'Image': '5', 'Rationale': 'Image 2 {rationale}'}}")[0] == image
        )


def test_parsing_warns_of_nothing() -> None:
    """A backslash in a model's answer is not the business of whoever reads the log."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parse_cot_released(r"{'Image': 'a\d\q'} The answer is: x")
