"""Rules by their names, and by what signatures say of them."""

import pytest

from spiqa_tasks.errors import InputError
from spiqa_tasks.judge.rules import make_rule
from spiqa_tasks.judge.rules.l3score import L3ScoreRule, SampledRule


def test_a_rule_is_made_of_its_name_with_the_options_that_it_has() -> None:
    """What stands behind the colon is its argument."""
    options = {"prompt": "paper", "top": 7, "thoughts": 9}
    assert make_rule("l3score", options) == L3ScoreRule("paper", 7)
    assert make_rule("sampled:3", options) == SampledRule("paper", 3, 9)
    with pytest.raises(InputError) as error:
        make_rule("guess:x", {})
    assert (
        str(error.value)
        == "Expected a judge's rule among l3score, sampled, letters, letters_released; found"
        " 'guess'."
    )
