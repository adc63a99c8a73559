"""First-token log-probabilities in a server's answer, read and checked. Pure."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from spiqa_tasks.files.json_text import conforms
from spiqa_tasks.scoring.l3score import ROUNDING

SUM_TOLERANCE = 0.01
"""Tolerance of a sum of probabilities above 1: servers round log-probabilities to few digits."""
LONGEST_TOKEN = 1_000
"""Most characters of a token: far beyond any vocabulary."""
IMPOSSIBLE = -9999.0
"""Log-probability of an impossible token: -inf, which some servers send, is no JSON."""
WITHOUT_LOGPROBS = (
    "choose openai:<model> with them, hf:<path>, or --rule sampled (the setting rule=sampled)"
)
"""Remedy for a judge without log-probabilities."""
# How vocabularies write a blank and a line break: byte-level BPE, SentencePiece.
_SPELLINGS = str.maketrans({"Ġ": " ", "▁": " ", "Ċ": "\n"})

Pairs = list[tuple[Any, Any]]
"""`(token, natural log of its probability)`, as a server gave them."""


def first_token(entry: Mapping[str, Any]) -> Pairs:
    """Return the most likely first tokens of a chat completion's `logprobs.content[0]`.

    The chosen token is added if the server leaves it out of the list (LMDeploy).
    """
    pairs = [_pair(listed) for listed in entry.get("top_logprobs") or ()]
    if "logprob" in entry:
        chosen = _pair(entry)
        if chosen[0] not in [token for token, _ in pairs]:
            pairs.append(chosen)
    return pairs


def _pair(listed: Mapping[str, Any]) -> tuple[Any, Any]:
    """Return a token's text, by its bytes if they are there: some servers write `token_id:9891`."""
    token, spelled = listed["token"], listed.get("bytes")
    if spelled and conforms(spelled, list[int]) and all(0 <= byte < 256 for byte in spelled):
        return bytes(spelled).decode("utf-8", "replace"), listed["logprob"]
    return token.translate(_SPELLINGS) if isinstance(token, str) else token, listed["logprob"]


def logprobs_fault(pairs: Sequence[tuple[Any, Any]], wanted: int) -> str | None:
    """Return why the most likely first tokens cannot be scored, or None.

    Fewer than `wanted` are no fault here: servers merge tokens of equal text. Servers write -inf
    or -9999 for probability 0.
    """
    if not pairs:
        return f"the server's answer has no token log-probabilities; {WITHOUT_LOGPROBS}"
    for token, logprob in pairs:
        fault = _pair_fault(token, logprob)
        if fault is not None:
            return f"the server's answer has {fault}"

    probabilities = sorted((min(math.exp(logprob), 1.0) for _, logprob in pairs), reverse=True)
    total = math.fsum(probabilities[:wanted])
    if total > 1 + SUM_TOLERANCE:
        return f"the server's answer has probabilities that add up to {total:.3g}"
    if not total:
        return "the server's answer has tokens of probability 0 alone"
    return None


def _pair_fault(token: Any, logprob: Any) -> str | None:
    if not isinstance(token, str) or len(token) > LONGEST_TOKEN:
        return f"a token that is none: {token!r:.40}"
    is_number = logprob == -math.inf or conforms(logprob, float)
    if not is_number or logprob > ROUNDING:
        return f"a log-probability that is none: {logprob!r:.40}"
    return None
