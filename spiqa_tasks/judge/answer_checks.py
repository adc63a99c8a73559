"""What a server answered, checked before it is stored or scored: log-probabilities, texts and counts. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from spiqa_tasks.files.typed import conforms
from spiqa_tasks.scoring.l3score import ROUNDING

SUM_TOLERANCE = 0.01
"""By how much probabilities may add up to more than 1, rounded as servers round."""
LONGEST_TOKEN = 1_000
MOST_TOKENS = 10**9
"""Characters of a token, and tokens of a request, beyond which a server's word is not believed."""


def logprobs_fault(pairs: Sequence[tuple[Any, Any]], wanted: int) -> str | None:
    """Return why the most likely first tokens cannot be scored; None where they can.

    Args:
        pairs: `(token, natural log of its probability)`, most likely first; -inf and servers' -9999 are probability 0.
        wanted: how many were asked for.
    """
    if not pairs:
        return "the server's answer has no token log-probabilities"
    for token, logprob in pairs:
        if not isinstance(token, str) or len(token) > LONGEST_TOKEN:
            return f"the server's answer has a token that is none: {token!r:.40}"
        if not (logprob == -math.inf or conforms(logprob, float)) or logprob > ROUNDING:
            return f"the server's answer has a log-probability that is none: {logprob!r:.40}"
    if len(pairs) < wanted:
        return f"the server's answer has {len(pairs)} of {wanted} log-probabilities; use --top {max(len(pairs), 2)}"
    total = math.fsum(min(math.exp(logprob), 1.0) for _, logprob in pairs[:wanted])
    if total > 1 + SUM_TOLERANCE:
        return f"the server's answer has probabilities that add up to {total:.3g}"
    return None if total else "the server's answer has tokens of probability 0 alone"


def token_count(value: Any) -> int:
    """Return how many tokens a server says it counted; 0 for what is no such number."""
    return value if conforms(value, int) and 0 <= value <= MOST_TOKENS else 0
