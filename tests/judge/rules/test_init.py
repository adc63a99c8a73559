"""Rules by their names, and by what signatures say of them."""

from pathlib import Path

import pytest

from spiqa_tasks.errors import InputError
from spiqa_tasks.judge.rules import RULES, make_rule, rule_of_prompt
from spiqa_tasks.judge.rules.grade import GradeRule
from spiqa_tasks.judge.rules.l3score import L3ScoreRule


def test_a_rule_is_made_of_its_name_with_the_options_that_it_has(tmp_path: Path) -> None:
    """What stands behind the colon is its argument, also with colons in it."""
    assert make_rule("l3score", {"prompt": "paper", "top": 7, "rubric": 1}) == L3ScoreRule("paper", 7)
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


@pytest.mark.parametrize("name", RULES)
def test_a_rule_is_known_by_the_prompt_of_its_signature(name: str) -> None:
    """Whatever the rule."""
    rule = RULES[name]()
    prompt = str(rule.signature()["prompt"])
    known = rule_of_prompt(prompt)
    assert known is not None
    assert known.signature()["prompt"] == prompt


def test_a_rewording_is_known_too_and_a_foreign_prompt_is_not() -> None:
    """L3Score in the paper's words."""
    prompt = L3ScoreRule("paper").signature()["prompt"]
    assert rule_of_prompt(prompt) == L3ScoreRule("paper")
    assert rule_of_prompt("l3score:none") is None
