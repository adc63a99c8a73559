"""Rules by their names, and by what signatures say of them."""

import pytest

from spiqa_tasks.errors import InputError
from spiqa_tasks.judge.rules import make_rule
from spiqa_tasks.judge.rules.l3score import L3ScoreRule


def test_a_rule_is_made_of_its_name_with_the_options_that_it_has() -> None:
    """Options of other rules are left out."""
    assert make_rule("l3score", {"prompt": "paper", "top": 7, "rubric": 1}) == L3ScoreRule(
        "paper", 7
    )
    with pytest.raises(InputError) as error:
        make_rule("guess:x", {})
    assert str(error.value) == (
        "Expected a judge's rule among l3score, sampled, letters, letters_released; found 'guess'."
    )
