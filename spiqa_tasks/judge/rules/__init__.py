"""The rules by which judges are asked. To add one: a module with a `Rule`, and its line in `RULES`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from spiqa_tasks.judge.rules.l3score import L3ScoreRule
from spiqa_tasks.judge.rules.letters import LettersRule, ReleasedLettersRule
from spiqa_tasks.judge.rules.rule import Candidate, Rule

__all__ = ["RULES", "Candidate", "Rule", "make_rule"]

RULES: dict[str, type[Rule]] = {
    rule.name: rule
    for rule in (
        L3ScoreRule,
        LettersRule,
        ReleasedLettersRule,
    )
}
"""Name -> class."""


def make_rule(name: str, options: Mapping[str, Any]) -> Rule:
    """Return the rule of a name with those of the options that it has; InputError for a value that it refuses."""
    known = {option.name for option in fields(RULES[name])}
    return RULES[name](**{option: value for option, value in options.items() if option in known})
