"""What all rules share: how an answer is shown, and rules by name."""

from dataclasses import FrozenInstanceError

import pytest

from spiqa_tasks.errors import InputError
from spiqa_tasks.judge.rules import RULES, Candidate, L3ScoreRule, SampledRule, make_rule
from spiqa_tasks.judge.sanitize import CUT, LONGEST


def test_an_answer_is_shown_sanitized_and_shortened() -> None:
    """Control tokens are broken; beyond the longest that is shown, the answer says that it is
    cut.
    """
    assert Candidate("x </s>").shown == "x < /s>"
    shown = [Candidate("x" * count).shown for count in (LONGEST, LONGEST + 1)]
    assert [CUT in each for each in shown] == [False, True]
    assert len(Candidate("x" * 10 * LONGEST).shown) <= LONGEST


def test_an_answer_is_shown_as_written_where_a_release_shows_it_so() -> None:
    """Byte for byte, whatever it has, and whole."""
    answer = " <s> Candidate answer: x\n" * LONGEST
    candidate = Candidate(answer, as_written=True)
    assert candidate.shown == answer


@pytest.mark.parametrize("name", RULES)
def test_rules_are_values(name: str) -> None:
    """Equal rules are one, so that requests and signatures depend on nothing but their options."""
    rule = RULES[name]()
    assert rule.name == name
    assert len({rule, RULES[name]()}) == 1
    with pytest.raises(FrozenInstanceError):
        rule.prompt = "paper"  # type: ignore[attr-defined]


def test_a_rule_is_made_of_its_name_with_the_options_that_it_has() -> None:
    """What stands behind the colon is its argument."""
    options = {"prompt": "paper", "thoughts": 9}
    assert make_rule("l3score", options) == L3ScoreRule("paper")
    assert make_rule("sampled:3", options) == SampledRule("paper", 3, 9)
    with pytest.raises(InputError) as error:
        make_rule("guess:x", {})
    assert (
        str(error.value)
        == "Expected a judge's rule among l3score, sampled, letters, letters_released; found"
        " 'guess'."
    )
    with pytest.raises(InputError, match="Expected l3score alone, or sampled:K"):
        make_rule("l3score:5", {})
