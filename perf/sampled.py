"""Simulate how near the rule `sampled` comes to L3Score for the same judge; takes a minute."""

import measure
import numpy as np
from tabulate import tabulate

from spiqa_tasks.judge.rules import Candidate, L3ScoreRule, SampledRule
from spiqa_tasks.judge.types import Verdict

ANSWERS = 666
DRAWS = (1, 3, 5, 10, 20)
SURENESS = {"sure": (0.1, 0.08), "often in doubt": (0.6, 0.5)}
"""Judge -> parameters of the beta distribution of its probability of yes: mostly near 0 and 1, or
often between.
"""
_OTHERS = (("a", -30.0), ("b", -30.0), ("c", -30.0))
_NOBODY = Candidate("")


def main() -> None:
    """Print the section: bias and spread of one answer's score and of the mean over test-A, by
    number of draws.
    """
    runs = measure.arguments(__doc__, runs=50).runs
    rng = np.random.default_rng(0)
    rows = []
    for name, shape in SURENESS.items():
        shares = np.clip(rng.beta(*shape, ANSWERS), 1e-9, 1 - 1e-9)
        exact = np.array([_exact(share) for share in shares])
        for k in DRAWS:
            rule = SampledRule(draws=k)
            errors = (
                np.array([[_drawn(rule, rng, share) for share in shares] for _ in range(runs)])
                - exact
            )
            means = 100 * errors.mean(axis=1)
            changed = 100 * np.mean((errors + exact > 0.5) != (exact > 0.5))
            rows.append(
                [name, k, means.mean(), means.std(), 100 * np.sqrt((errors**2).mean()), changed]
            )
    head = [
        "judge",
        "k",
        "bias of the mean",
        "its standard deviation",
        "error of an answer",
        "other verdict",
    ]
    print(
        f"## Draws\n\nL3Score by `sampled` minus L3Score, x 100: {ANSWERS} answers, {runs}"
        " simulations.\n"
    )
    print(tabulate(rows, head, tablefmt="github", floatfmt=".2f"))


def _exact(share: float) -> float:
    """Return the L3Score of an answer for a probability of yes."""
    pairs = sorted((("Yes", np.log(share)), ("No", np.log1p(-share))), key=lambda pair: -pair[1])
    return L3ScoreRule().score(_NOBODY, Verdict("", (*pairs, *_OTHERS))) or 0.0


def _drawn(rule: SampledRule, rng: np.random.Generator, share: float) -> float:
    """Return the score by `sampled` for draws with a probability of yes."""
    text = "\n".join("Yes" if draw else "No" for draw in rng.random(rule.draws) < share)
    return rule.score(_NOBODY, Verdict(text)) or 0.0


if __name__ == "__main__":
    main()
