"""METEOR 1.5 from the sufficient statistics that its aligner counts (SPIQA section 5; Denkowski and Lavie 2014).

The aligner needs WordNet and paraphrase tables and stays Java; the formula is here, so that one run of the aligner
serves the corpus and each of its subsets.
"""

from __future__ import annotations

from collections.abc import Sequence

from spiqa_tasks.scoring.text_metrics import CorpusScore

ALPHA, BETA, GAMMA, DELTA = 0.85, 0.2, 0.6, 0.75
WEIGHTS = (1.0, 0.6, 0.8, 0.6)
"""The tuned English parameters, and the weights of exact, stem, synonym and paraphrase matches."""

FIELDS = 23


def meteor(statistics: Sequence[Sequence[float]]) -> CorpusScore:
    """METEOR of a corpus, each value in [0, 1].

    Args:
        statistics: per pair the 23 counts of the option `-ssOut`: words of prediction and reference, function words
            of both, for each of the four kinds of match the matched content words of prediction and reference and
            the matched function words of both, then chunks, and the matched words of both.

    Returns:
        The value of the summed counts, and the value of each pair.

    Raises:
        ValueError: no pair, or one without 23 counts.
    """
    if not statistics or any(len(counts) != FIELDS for counts in statistics):
        raise ValueError(f"Expected at least one pair and {FIELDS} counts for each.")
    total = [sum(column) for column in zip(*map(_without_perfect_chunk, statistics), strict=True)]
    return CorpusScore(_value(total), tuple(_value(counts) for counts in statistics))


def _without_perfect_chunk(counts: Sequence[float]) -> Sequence[float]:
    """The counts as METEOR adds them up: a pair that matches in one piece from end to end adds no chunk."""
    return [*counts[:20], 0.0, *counts[21:]] if _is_perfect(counts) else counts


def _is_perfect(counts: Sequence[float]) -> bool:
    return (counts[21], counts[22], counts[20]) == (counts[0], counts[1], 1)


def _value(counts: Sequence[float]) -> float:
    words, reference_words, function, reference_function = counts[:4]
    chunks, matched, reference_matched = counts[20:]
    precision = _share(counts[4:20:4], counts[6:20:4], words, function)
    recall = _share(counts[5:20:4], counts[7:20:4], reference_words, reference_function)
    if not precision or not recall:
        return 0.0
    mean = 1.0 / ((1.0 - ALPHA) / precision + ALPHA / recall)
    fragmentation = 0.0 if _is_perfect(counts) else chunks / ((matched + reference_matched) / 2)
    return float(max(mean * (1.0 - GAMMA * fragmentation**BETA), 0.0))


def _share(content: Sequence[float], function: Sequence[float], words: float, function_words: float) -> float:
    """The weighted share of a side's words that are matched."""
    length = DELTA * (words - function_words) + (1.0 - DELTA) * function_words
    matches = sum(
        weight * (DELTA * content[kind] + (1.0 - DELTA) * function[kind]) for kind, weight in enumerate(WEIGHTS)
    )
    return matches / length if length else 0.0
