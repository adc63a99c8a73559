"""Rules by their names, and by what signatures say of them."""

from pathlib import Path

import pytest

from spiqa_tasks.errors import InputError
from spiqa_tasks.judge.rules import make_rule
from spiqa_tasks.judge.rules.grade import GradeRule
from spiqa_tasks.judge.rules.l3score import L3ScoreRule


def test_a_rule_is_made_of_its_name_with_the_options_that_it_has(tmp_path: Path) -> None:
    """What stands behind the colon is its argument, also with colons in it."""
    assert make_rule("l3score", {"prompt": "paper", "top": 7, "rubric": 1}) == L3ScoreRule(
        "paper", 7
    )
    path = tmp_path / "a:b.yaml"
    path.write_text("prompt: '{prediction}'\nlevels: {a: 1, b: 0}")
    made = make_rule(f"grade:{path}", {"top": 7})
    assert isinstance(made, GradeRule)
    assert made.rubric.name == "a:b"
    with pytest.raises(InputError) as error:
        make_rule("guess:x", {})
    assert str(error.value) == (
        "Expected a judge's rule among l3score, sampled, compass, grade, letters, letters_released; found 'guess'."
    )
