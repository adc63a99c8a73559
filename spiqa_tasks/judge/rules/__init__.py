"""The rules by which judges are asked. To add one: a `Rule`, and its line in `RULES`."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from spiqa_tasks.errors import InputError
from spiqa_tasks.judge.rules.l3score import L3ScoreRule, SampledRule
from spiqa_tasks.judge.rules.letters import LettersRule, ReleasedLettersRule
from spiqa_tasks.judge.rules.rule import Candidate, Rule

__all__ = [
    "RULES",
    "RULE_OF",
    "Candidate",
    "L3ScoreRule",
    "LettersRule",
    "ReleasedLettersRule",
    "Rule",
    "SampledRule",
    "make_rule",
]

RULES: dict[str, type[Rule]] = {
    rule.name: rule for rule in (L3ScoreRule, SampledRule, LettersRule, ReleasedLettersRule)
}
"""Name -> class."""
RULE_OF = {rule.metric: rule.name for rule in RULES.values() if rule.metric}
"""Metric of free answers -> the name of the rule that gives it."""


def make_rule(spec: str, options: Mapping[str, Any]) -> Rule:
    """Return the rule `NAME` or `NAME:ARGUMENT` (`sampled:10`), with those options that it has.

    Raises InputError for an unknown name, or an argument or a value that the rule refuses.
    """
    name, _, argument = spec.partition(":")
    if name not in RULES:
        raise InputError(f"Expected a judge's rule among {', '.join(RULES)}; found {name!r}.")
    known = {option.name for option in fields(RULES[name])}
    chosen = {option: value for option, value in options.items() if option in known}
    return RULES[name](**{**chosen, **RULES[name].options_of(argument)})
