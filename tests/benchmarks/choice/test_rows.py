"""What rows of both multiple-choice benchmarks share."""

from __future__ import annotations

import pytest

from spiqa_tasks.benchmarks.choice.rows import check_answer, slug
from spiqa_tasks.errors import DataError


def test_the_answer_is_one_of_the_options() -> None:
    """Anything else is an error that names the question and the options."""
    assert check_answer("7", "B", ["A", "B"]) == "B"
    for wrong in ("C", "", None, "AB"):
        with pytest.raises(DataError, match="question 7 to be one of its options A, B"):
            check_answer("7", wrong, ["A", "B"])


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("science & technology", "science_technology"),
        ("fine-grained perception", "fine-grained_perception"),
        ("cs.CV", "cs.CV"),
        ("_math. ", "math"),
    ],
)
def test_a_category_becomes_a_part_of_a_metrics_name(name: str, part: str) -> None:
    """Words, dots and hyphens stay, everything else is one underscore."""
    assert slug(name) == part
