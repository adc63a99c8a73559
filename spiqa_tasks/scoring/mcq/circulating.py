"""The rules by which harnesses read a choice, as one table: metric -> whether an answer counts as right."""

from collections.abc import Callable, Mapping

from spiqa_tasks.scoring.mcq import extract_choice
from spiqa_tasks.scoring.mcq.other_matchers import lmms_eval_match, released_match, vlmevalkit_match

Rule = Callable[[str, Mapping[str, str], str], bool]
"""(response, letter -> text of the options, true letter) -> whether it is right."""


CIRCULATING: Mapping[str, Rule] = {
    "accuracy_lmms_eval": lambda text, options, answer: lmms_eval_match(text, tuple(options)) == answer,
    "accuracy_vlmevalkit_2026_06": lambda text, options, answer: (
        vlmevalkit_match(text, options, is_2026_06=True) == answer
    ),
    "accuracy_vlmevalkit": lambda text, options, answer: vlmevalkit_match(text, options) == answer,
    "accuracy_released": lambda text, _options, answer: released_match(text, answer),
    "accuracy": lambda text, options, answer: extract_choice(text, options).letter == answer,
}
"""Name of MMStar's metric -> its rule; those of hosts first, as which the scores of a host's log are recognised."""
