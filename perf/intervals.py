"""Simulate how often the 95% intervals of `scoring.intervals` contain the truth; takes some ten minutes.

Clustered questions are beta-binomial with the sizes of test-A's papers. The second of two runs copies the first one's
answer on a share of the questions and answers the others independently.
"""

import itertools
import statistics
from collections.abc import Iterator, Sequence

import measure
import numpy as np
from numpy.typing import NDArray

from spiqa_tasks.scoring.intervals import paired, share_interval

SIZES = np.repeat(
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 15, 18, 21],
    [16, 5, 17, 10, 18, 13, 11, 7, 8, 2, 3, 2, 4, 1, 1],
)
"""Questions of each paper of test-A: 118 papers, 666 questions."""
SHARES = (0.5, 0.7, 0.9, 0.97)
CORRELATIONS = (0.0, 0.1, 0.3)
PAPERS = (5, 8, 30, 118)
QUESTIONS = (24, 46, 250, 1500)
ALIKE = (0.5, 0.9, 0.95)

Hits = NDArray[np.float64]


def main() -> None:
    """Print the section: coverage of shares and differences, false alarms, power at the smallest difference."""
    runs = measure.arguments(__doc__, runs=1000).runs
    rng = np.random.default_rng(0)
    print(f"## Intervals\n\nPercent of {runs:,} simulated samples, 95% intervals.\n")
    print("Shares, questions independent and in papers:\n")
    rows = [
        [f"{n} questions", *(_share(rng, p, None, n, 0, runs) for p in SHARES)] for n in QUESTIONS
    ]
    for papers, correlation in itertools.product(PAPERS, CORRELATIONS):
        name = f"{papers} papers, correlation {correlation:g}"
        rows.append([name, *(_share(rng, p, papers, 0, correlation, runs) for p in SHARES)])
    _table(["", *(f"share {p:g}" for p in SHARES)], rows)
    print(
        "\nDifferences of runs that are equally good: covered / false alarms / power at `smallest` (- where none):\n"
    )
    rows = []
    for setting in _settings():
        for alike in ALIKE:
            name = f"{_name(*setting)}, {100 * alike:.0f}% alike"
            rows.append([name, *(_difference(rng, p, *setting, alike, runs) for p in SHARES)])
    _table(["", *(f"share {p:g}" for p in SHARES)], rows)


def _settings() -> Iterator[tuple[int | None, int, float]]:
    yield from ((None, n, 0.0) for n in QUESTIONS)
    yield from (
        (papers, 0, correlation) for papers, correlation in itertools.product(PAPERS, CORRELATIONS)
    )


def _name(papers: int | None, n: int, correlation: float) -> str:
    return f"{n} questions" if papers is None else f"{papers} papers, correlation {correlation:g}"


def _clusters(rng: np.random.Generator, papers: int | None, n: int) -> NDArray[np.intp]:
    """Return the number of each question's paper."""
    if papers is None:
        return np.arange(n)
    return np.repeat(np.arange(papers), rng.choice(SIZES, papers, replace=False))


def _chances(
    rng: np.random.Generator, share: float, correlation: float, clusters: NDArray[np.intp]
) -> Hits:
    """Return each question's chance of a right answer: one for each paper, beta-distributed."""
    if correlation == 0:
        return np.full(clusters.size, share)
    total = 1 / correlation - 1
    share = min(max(share, 1e-6), 1 - 1e-6)
    return np.asarray(rng.beta(share * total, (1 - share) * total, clusters.max() + 1)[clusters])


def _share(
    rng: np.random.Generator, p: float, papers: int | None, n: int, correlation: float, runs: int
) -> float:
    covered = []
    for _ in range(runs):
        clusters = _clusters(rng, papers, n)
        hits = rng.random(clusters.size) < _chances(rng, p, correlation, clusters)
        found = share_interval(hits.astype(float).tolist(), clusters.tolist() if papers else None)
        covered.append(
            found.low is not None and found.high is not None and found.low <= p <= found.high
        )
    return 100 * statistics.fmean(covered)


def _difference(
    rng: np.random.Generator,
    p: float,
    papers: int | None,
    n: int,
    correlation: float,
    alike: float,
    runs: int,
) -> str:
    samples = [_pair(rng, p, papers, n, correlation, alike, 0.0) for _ in range(runs)]
    found = [paired(*sample) for sample in samples]
    covered = statistics.fmean((each.low or 0) <= 0 <= (each.high or 0) for each in found)
    alarms = statistics.fmean((each.p or 0) < 0.05 for each in found)
    smallest = [each.smallest for each in found if each.smallest is not None]
    power = "-"
    if len(smallest) > 0.9 * runs:
        true = statistics.median(smallest)
        again = [paired(*_pair(rng, p, papers, n, correlation, alike, true)) for _ in range(runs)]
        power = f"{100 * statistics.fmean((each.p or 0) < 0.05 for each in again):.1f}"
    return f"{100 * covered:.1f} / {100 * alarms:.1f} / {power}"


def _pair(
    rng: np.random.Generator,
    p: float,
    papers: int | None,
    n: int,
    correlation: float,
    alike: float,
    better: float,
) -> tuple[Sequence[float], Sequence[float], Sequence[int] | None]:
    """Return two runs' scores; the second is `better` by a true difference, on which more answers differ if need be."""
    clusters = _clusters(rng, papers, n)
    independent = max(1 - alike, better)
    apart = better / independent
    low = min(p - apart / 2, 1 - apart) if p > 0.5 else p - apart / 2
    shares = (max(low, 0.0), min(max(low, 0.0) + apart, 1.0))
    alone = rng.random(clusters.size) < independent
    common, first, second = (
        rng.random(clusters.size) < _chances(rng, share, correlation, clusters)
        for share in (p, *shares)
    )
    scores = [np.where(alone, own, common).astype(float).tolist() for own in (first, second)]
    return scores[0], scores[1], clusters.tolist() if papers else None


def _table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    from tabulate import tabulate

    print(tabulate(rows, head, tablefmt="github", floatfmt=".1f"), flush=True)


if __name__ == "__main__":
    main()
