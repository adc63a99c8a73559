"""Simulate how often the 95% intervals of `scoring.intervals` contain the truth.

Scores are hits (0 or 1) or have L3Score's form: most of them close to 0 or 1, none equal to it.
Questions of one paper have a common chance of a right answer, beta-distributed over papers. The
second of two runs copies the first one's answer on a share of the questions and answers the others
independently. Takes some twenty minutes.
"""

import itertools
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import measure
import numpy as np
from numpy.typing import NDArray

from spiqa_tasks.scoring.intervals import Paired, paired, share_interval

Values = NDArray[np.float64]
Indices = NDArray[np.intp]

# Questions of each paper of test-A: 118 papers, 666 questions.
TEST_A = np.repeat(
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 15, 18, 21],
    [16, 5, 17, 10, 18, 13, 11, 7, 8, 2, 3, 2, 4, 1, 1],
)

# Questions of a paper at most: larger papers would only take time.
LARGEST_PAPER = 2000

# Distances of L3Scores from 0 or 1: uniform up to 0.004, or spread over seven powers of ten as
# those of real judges are; `doubtful` has one score in ten anywhere between.
CLOSE = 0.004
SMALLEST_POWER = -8.0
LARGEST_POWER = -1.0
SHARE_OF_DOUBT = 0.1

SHARES = (0.5, 0.7, 0.9, 0.95, 0.98)
QUESTIONS = (10, 20, 40, 250)
PAPERS = (10, 30, 118)
CORRELATIONS = (0.0, 0.3)
ALIKE = (0.5, 0.9)

# A true difference: the second run is five points worse.
WORSE = 0.05
PAIRED_SHARES = (0.7, 0.97)

# Share of samples that must have a `smallest` difference for their median to be printed.
MOST = 0.9


@dataclass(frozen=True)
class Sample:
    """How questions are drawn: `size` single ones, or `size` papers by a law of their sizes."""

    size: int
    law: str = "single questions"
    correlation: float = 0.0
    form: str = "hits"

    def __str__(self) -> str:
        unit = "questions" if self.law == "single questions" else f"papers, {self.law}"
        correlation = f", correlation {self.correlation:g}" if self.correlation else ""
        return f"{self.size} {unit}{correlation}"

    def clusters(self, rng: np.random.Generator) -> Indices:
        """Return the number of each question's paper."""
        return np.repeat(np.arange(self.size), LAWS[self.law](rng, self.size))

    def chances(self, rng: np.random.Generator, share: Values | float, clusters: Indices) -> Values:
        """Return each question's chance of a right answer, the same for all of a paper."""
        shares = np.broadcast_to(np.clip(share, 1e-6, 1 - 1e-6), clusters.max() + 1)
        if self.correlation > 0:
            total = 1 / self.correlation - 1
            shares = rng.beta(shares * total, (1 - shares) * total)
        return np.asarray(shares[clusters])

    def scores(self, rng: np.random.Generator, hits: NDArray[np.bool_]) -> Values:
        """Return scores of right and wrong answers in the sample's form."""
        distances = DISTANCES[self.form](rng, hits.size)
        return np.where(hits, 1 - distances, distances)

    def expected(self, share: float) -> float:
        """Return the expected score of answers of which a share is right."""
        distance = MEAN_DISTANCES[self.form]
        return share * (1 - distance) + (1 - share) * distance


def _log_normal(rng: np.random.Generator, papers: int) -> NDArray[np.int_]:
    return np.ceil(rng.lognormal(1, 1, papers)).astype(int)


def _pareto(rng: np.random.Generator, papers: int) -> NDArray[np.int_]:
    return np.clip(np.ceil(rng.pareto(1.5, papers)), 1, LARGEST_PAPER).astype(int)


LAWS: dict[str, Callable[[np.random.Generator, int], NDArray[np.int_]]] = {
    "single questions": lambda _, size: np.ones(size, int),
    "8 questions each": lambda _, papers: np.full(papers, 8),
    "sizes of test-A": lambda rng, papers: rng.choice(TEST_A, papers),
    "log-normal sizes": _log_normal,
    "Pareto sizes": _pareto,
}


EVEN = ["8 questions each", "sizes of test-A"]
HEAVY = ["log-normal sizes", "Pareto sizes"]


def _spread(rng: np.random.Generator, size: int) -> Values:
    return np.asarray(10 ** rng.uniform(SMALLEST_POWER, LARGEST_POWER, size))


def _doubtful(rng: np.random.Generator, size: int) -> Values:
    return np.where(rng.random(size) < SHARE_OF_DOUBT, rng.random(size), _spread(rng, size))


DISTANCES: dict[str, Callable[[np.random.Generator, int], Values]] = {
    "hits": lambda _, size: np.zeros(size),
    "close": lambda rng, size: rng.uniform(0, CLOSE, size),
    "spread": _spread,
    "doubtful": _doubtful,
}

_MEAN_SPREAD = (10**LARGEST_POWER - 10**SMALLEST_POWER) / (
    np.log(10) * (LARGEST_POWER - SMALLEST_POWER)
)
MEAN_DISTANCES = {
    "hits": 0.0,
    "close": CLOSE / 2,
    "spread": float(_MEAN_SPREAD),
    "doubtful": float(SHARE_OF_DOUBT / 2 + (1 - SHARE_OF_DOUBT) * _MEAN_SPREAD),
}


def main() -> None:
    """Print the section: coverage of means and differences, power at the smallest difference."""
    runs = measure.arguments(__doc__, runs=1500).runs
    rng = np.random.default_rng(0)
    print(f"## Intervals\n\nPercent of {runs:,} simulated samples, 95% intervals.")

    _print_shares(rng, runs, "Shares of single questions right or wrong", _single("hits"))
    for form in ("close", "spread", "doubtful"):
        _print_shares(rng, runs, f"Means of L3Scores, single questions, {form}", _single(form))

    for form, name in (("hits", "right or wrong"), ("close", "L3Scores, close")):
        _print_shares(rng, runs, f"Papers, {name}", _papers(form, EVEN))
        _print_shares(rng, runs, f"Papers of heavy-tailed sizes, {name}", _papers(form, HEAVY))

    title = "Large papers are harder, L3Scores, close"
    laws = ["sizes of test-A", "log-normal sizes"]
    _print_shares(rng, runs, title, _papers("close", laws), _harder)

    # Two runs, three times for the power: a cell takes some six times as long.
    _print_differences(np.random.default_rng(1), runs // 3)


def _single(form: str) -> list[Sample]:
    return [Sample(n, form=form) for n in QUESTIONS]


def _papers(form: str, laws: Sequence[str]) -> list[Sample]:
    return [
        Sample(papers, law, correlation, form)
        for law, papers, correlation in itertools.product(laws, PAPERS, CORRELATIONS)
    ]


def _same(sizes: NDArray[np.int_], share: float) -> Values:
    """Return the same chance for papers of all sizes."""
    return np.full(sizes.size, share)


def _harder(sizes: NDArray[np.int_], share: float) -> Values:
    """Return chances that fall with a paper's size: half a logit for each factor e."""
    logits = np.log(share / (1 - share)) + 0.8 - 0.5 * np.log(sizes)
    return np.asarray(1 / (1 + np.exp(-logits)))


Chance = Callable[[NDArray[np.int_], float], Values]


def _print_shares(
    rng: np.random.Generator,
    runs: int,
    title: str,
    samples: Sequence[Sample],
    chance: Chance = _same,
) -> None:
    rows = [
        [str(sample), *(_coverage(rng, runs, sample, share, chance) for share in SHARES)]
        for sample in samples
    ]
    print(f"\n{title}:\n")
    _print_table(["", *(f"share {share:g}" for share in SHARES)], rows)


def _coverage(
    rng: np.random.Generator, runs: int, sample: Sample, share: float, chance: Chance
) -> float:
    """Return the percentage of intervals that contain the expected mean."""
    true = sample.expected(_share_of_questions(sample, share, chance))
    covered = 0
    for _ in range(runs):
        clusters = sample.clusters(rng)
        chances = sample.chances(rng, chance(np.bincount(clusters), share), clusters)
        scores = sample.scores(rng, rng.random(clusters.size) < chances)
        interval = share_interval(scores.tolist(), clusters.tolist())
        covered += _contains(interval.low, interval.high, true)
    return 100 * covered / runs


def _share_of_questions(sample: Sample, share: float, chance: Chance) -> float:
    """Return the share of right answers over all questions of very many papers."""
    if chance is _same:
        return share
    sizes = LAWS[sample.law](np.random.default_rng(1), 200_000)
    return float((sizes * chance(sizes, share)).sum() / sizes.sum())


def _contains(low: float | None, high: float | None, true: float) -> bool:
    return low is not None and high is not None and low <= true <= high


def _print_differences(rng: np.random.Generator, runs: int) -> None:
    papers = [
        Sample(papers, law, max(CORRELATIONS), "close")
        for law, papers in itertools.product([*EVEN, *HEAVY], PAPERS)
    ]
    rows = []
    for sample, alike in itertools.product([*_single("close"), *papers], ALIKE):
        cells = [_difference(rng, runs, sample, share, alike) for share in PAIRED_SHARES]
        rows.append([f"{sample}, {100 * alike:.0f}% alike", *cells])
    print(
        f"\nDifferences of two runs, L3Scores, close, {runs:,} samples: covered if equally good /"
    )
    print(f"if {100 * WORSE:g} points apart / power at `smallest` (-: none):\n")
    _print_table(["", *(f"share {share:g}" for share in PAIRED_SHARES)], rows)


def _difference(
    rng: np.random.Generator, runs: int, sample: Sample, share: float, alike: float
) -> str:
    equal = [_compare(rng, sample, share, alike, 0.0) for _ in range(runs)]
    apart = [_compare(rng, sample, share, alike, WORSE) for _ in range(runs)]
    true = -WORSE * (1 - 2 * MEAN_DISTANCES[sample.form])
    covered = statistics.fmean(_contains(each.low, each.high, 0.0) for each in equal)
    covered_apart = statistics.fmean(_contains(each.low, each.high, true) for each in apart)
    cell = f"{100 * covered:.1f} / {100 * covered_apart:.1f}"

    smallest = [each.smallest for each in equal if each.smallest is not None]
    if len(smallest) < MOST * runs:
        return f"{cell} / -"
    at_smallest = statistics.median(smallest)
    again = [_compare(rng, sample, share, alike, at_smallest) for _ in range(runs)]
    return f"{cell} / {_power(again):.1f}"


def _power(comparisons: Sequence[Paired]) -> float:
    """Return the percentage of comparisons that find a difference."""
    found = [each.p is not None and each.p < 0.05 for each in comparisons]
    return 100 * statistics.fmean(found)


def _compare(
    rng: np.random.Generator, sample: Sample, share: float, alike: float, worse: float
) -> Paired:
    """Return the comparison of two runs; more answers differ if a true difference needs it."""
    clusters = sample.clusters(rng)
    independent = max(1 - alike, worse)
    apart = worse / independent
    better_share = min(share + apart / 2, 1.0) if apart < 1 else 1.0
    worse_share = max(better_share - apart, 0.0)

    is_independent = rng.random(clusters.size) < independent
    common, first, second = (
        rng.random(clusters.size) < sample.chances(rng, chance, clusters)
        for chance in (share, worse_share + apart, worse_share)
    )
    scores = [
        sample.scores(rng, np.where(is_independent, hits, common)).tolist()
        for hits in (first, second)
    ]
    return paired(*scores, clusters.tolist())


def _print_table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    from tabulate import tabulate

    print(tabulate(rows, head, tablefmt="github", floatfmt=".1f"), flush=True)


if __name__ == "__main__":
    main()
