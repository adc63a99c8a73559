"""The value that a judge's letters stand for, by the probabilities of its first token."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence


def expected_value(top_logprobs: Sequence[tuple[str, float]], values: Mapping[str, float]) -> float | None:
    """Return the mean of the letters' values, weighted by their probabilities; None where no token reads as a letter.

    `top_logprobs` holds `(token, natural log probability)` pairs, as many as the server returned. A token counts for a
    letter where it reads so but for blanks around it; several for one letter add up; a letter that is not there has
    the probability 0. `values` maps letters to values, and the result lies between the lowest and the highest of them.
    """
    read = ((token.strip(), math.exp(min(logprob, 0.0))) for token, logprob in top_logprobs)
    found = [(probability, values[letter]) for letter, probability in read if letter in values]
    total = math.fsum(probability for probability, _ in found)
    return math.fsum(probability * value for probability, value in found) / total if total else None
