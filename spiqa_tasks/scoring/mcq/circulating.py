"""The rules by which harnesses read a choice, as one table: metric -> whether an answer counts as right."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from spiqa_tasks.scoring.mcq import extract_choice
from spiqa_tasks.scoring.mcq.other_matchers import lmms_eval_match, released_match, vlmevalkit_match

Rule = Callable[[str, Mapping[str, str], str], bool]
"""(response, letter -> text of the options, true letter) -> whether it is right."""


def _ours(response: str, options: Mapping[str, str], answer: str) -> bool:
    return extract_choice(response, options).letter == answer


def _released(response: str, _options: Mapping[str, str], answer: str) -> bool:
    return released_match(response, answer)


def _lmms_eval(response: str, options: Mapping[str, str], answer: str) -> bool:
    return lmms_eval_match(response, tuple(options)) == answer


def _vlmevalkit(response: str, options: Mapping[str, str], answer: str) -> bool:
    return vlmevalkit_match(response, options) == answer


def _vlmevalkit_2026_06(response: str, options: Mapping[str, str], answer: str) -> bool:
    return vlmevalkit_match(response, options, is_2026_06=True) == answer


CIRCULATING: Mapping[str, Rule] = {
    "accuracy_lmms_eval": _lmms_eval,
    "accuracy_vlmevalkit_2026_06": _vlmevalkit_2026_06,
    "accuracy_vlmevalkit": _vlmevalkit,
    "accuracy_released": _released,
    "accuracy": _ours,
}
"""Name of MMStar's metric -> its rule; those of hosts first, as which the scores of a host's log are recognised."""
