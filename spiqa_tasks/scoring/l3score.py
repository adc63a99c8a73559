"""L3Score: a judge's probability that an answer means the same as the reference (SPIQA, 4)."""

import math
from collections.abc import Sequence

# First-token log-probabilities in the formula (the paper's number).
TOP = 5

# Tokens that count as a verdict, in lower case and without blanks (paper, section 4).
YES_FORMS = frozenset({"yes", "yeah"})
NO_FORMS = frozenset({"no"})

# Least probability of a missing token (released script): a certain `yes` scores 0.99999999, not 1.
PROBABILITY_FLOOR = 1e-8

# Servers round: their logprobs exceed 0 by up to this much.
ROUNDING = 0.01


def l3score(top_logprobs: Sequence[tuple[str, float]]) -> float:
    """Return the L3Score in [0, 1] of a judge's first generated token.

    `top_logprobs` holds `(token, natural log probability)` pairs, most likely first; -inf and the
    -9999 that some servers send stand for probability 0. Only the five most likely entries count.

    The first token that reads `yes` or `yeah` (case and surrounding blanks ignored) gives p_yes,
    the first that reads `no` gives p_no. With both, the score is p_yes / (p_yes + p_no) (equation
    1). With one, the other's probability is taken as min(p of the last entry that counts, 1 - sum
    of the entries that count), at least 1e-8 (equation 2). With neither, or where both have
    probability 0, the score is 0.

    Raises `ValueError` for an empty list, for NaN, and for values above 0.
    """
    entries = _considered(top_logprobs)
    p_yes = _probability(entries, YES_FORMS)
    p_no = _probability(entries, NO_FORMS)
    if p_yes is None and p_no is None:
        return 0.0

    rest = 1.0 - math.fsum(probability for _, probability in entries)
    missing = max(min(entries[-1][1], rest), PROBABILITY_FLOOR)
    p_yes = missing if p_yes is None else p_yes
    p_no = missing if p_no is None else p_no
    return p_yes / (p_yes + p_no) if p_yes + p_no else 0.0


def _considered(top_logprobs: Sequence[tuple[str, float]]) -> list[tuple[str, float]]:
    """Return the entries that count, in descending order as (normalised token, probability)."""
    if not top_logprobs:
        raise ValueError(
            "Expected (token, logprob) pairs, found none; use a judge that returns top_logprobs."
        )

    for token, logprob in top_logprobs:
        if math.isnan(logprob) or logprob > ROUNDING:
            found = f"{logprob} for token {token!r}"
            raise ValueError(f"Expected natural-log probabilities (at most 0), found {found}.")

    ordered = sorted(top_logprobs, key=lambda entry: entry[1], reverse=True)[:TOP]
    return [(token.strip().lower(), min(math.exp(logprob), 1.0)) for token, logprob in ordered]


def _probability(entries: Sequence[tuple[str, float]], forms: frozenset[str]) -> float | None:
    """Return the probability of the first entry that is one of `forms`, or None without one."""
    return next((probability for token, probability in entries if token in forms), None)
