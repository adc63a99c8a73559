"""Simulate how often the interval of `scoring.calibrated` contains the mean of people's labels; takes minutes.

A judge says what people say with a probability, its accuracy; its scores are 0 and 1, or near them as L3Scores are. In
papers, both the answers' quality and the judge's errors are beta-distributed with a correlation of 0.1.
"""

import measure
import numpy as np
from intervals import SIZES
from numpy.typing import NDArray
from tabulate import tabulate

from spiqa_tasks.scoring.calibrated import LEAST_LABELS, calibrated_mean
from spiqa_tasks.scoring.intervals import share_interval

ANSWERS = 666
ACCURACIES = (0.6, 0.7, 0.8, 0.9, 0.95)
LABELS = (LEAST_LABELS, 50, 100, 300)
SHARES = (0.3, 0.6, 0.85)
CORRELATION = 0.1


def main() -> None:
    """Print the section: coverage and width by kind of score, number of labels and accuracy of the judge."""
    runs = measure.arguments(__doc__, runs=300).runs
    rng = np.random.default_rng(0)
    rows = []
    for kind in ("0 and 1", "L3Scores", "L3Scores, in papers"):
        for labels in LABELS:
            cells = [_cell(rng, kind, labels, accuracy, runs) for accuracy in ACCURACIES]
            rows.append([kind, labels, *cells])
    shares = ", ".join(map(str, SHARES))
    print(
        f"## Corrected means\n\n`score --calibration` of {ANSWERS} answers, some labelled by people. Percent of "
        f"{len(SHARES) * runs:,} simulated samples with a share of right answers of {shares} whose 95% interval "
        "contains that / width of the interval x 100 / width with the labels alone, by the judge's accuracy.\n"
    )
    print(
        tabulate(
            rows,
            ["scores", "labels", *(f"accuracy {each:g}" for each in ACCURACIES)],
            tablefmt="github",
        )
    )


def _cell(rng: np.random.Generator, kind: str, labels: int, accuracy: float, runs: int) -> str:
    found = np.array(
        [_one(rng, kind, labels, accuracy, share) for share in SHARES for _ in range(runs)]
    )
    covered, width, alone = 100 * found.mean(axis=0)
    return f"{covered:.1f} / {width:.1f} / {alone:.1f}"


def _one(
    rng: np.random.Generator, kind: str, labels: int, accuracy: float, share: float
) -> tuple[bool, float, float]:
    papers = np.repeat(np.arange(SIZES.size), rng.permutation(SIZES)) if "papers" in kind else None
    right = rng.random(ANSWERS) < _chances(rng, share, papers)
    agrees = rng.random(ANSWERS) < _chances(rng, accuracy, papers)
    doubt = rng.beta(0.5, 6, ANSWERS) if "L3" in kind else np.zeros(ANSWERS)
    scores = np.abs((right == agrees) - doubt)
    known = set(rng.choice(ANSWERS, labels, replace=False).tolist())
    people = [float(each) if place in known else None for place, each in enumerate(right)]
    keys = None if papers is None else papers.tolist()
    made = calibrated_mean(scores.tolist(), people, keys)
    alone = share_interval(
        [each for each in people if each is not None],
        None if keys is None else [keys[place] for place in sorted(known)],
    )
    low, high = made.low or 0.0, made.high or 0.0
    return low <= share <= high, high - low, (alone.high or 0.0) - (alone.low or 0.0)


def _chances(
    rng: np.random.Generator, share: float, papers: NDArray[np.intp] | None
) -> NDArray[np.float64]:
    if papers is None:
        return np.full(ANSWERS, share)
    total = 1 / CORRELATION - 1
    return np.asarray(rng.beta(share * total, (1 - share) * total, papers.max() + 1)[papers])


if __name__ == "__main__":
    main()
