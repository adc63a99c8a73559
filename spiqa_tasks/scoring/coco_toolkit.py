"""BLEU, ROUGE-L, CIDEr as the COCO caption toolkit computes them, and METEOR (SPIQA section 5).

METEOR 1.5 (Denkowski and Lavie 2014) needs WordNet and paraphrase tables for its aligner, which
stays Java; its formula is here, so that one run of the aligner serves the corpus and each of its
subsets. For the others, inputs are parallel sequences of predictions and references, one reference
each, already tokenized: tokens joined by single spaces (see `spiqa_tasks.metrics.coco_java`).
Values are in natural units: 0 to 1, CIDEr 0 to 10.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

# Number of an item -> its texts, as the toolkit takes them.
Corpus = dict[int, list[str]]


@dataclass(frozen=True)
class CorpusScore:
    """The `value` of a metric over a corpus, and the value of each item in order."""

    value: float
    per_item: tuple[float, ...]


def bleu(
    predictions: Sequence[str], references: Sequence[str]
) -> tuple[float, float, float, float]:
    """Return corpus BLEU-1 to BLEU-4, each in [0, 1].

    Counts are summed over the corpus, so BLEU has no meaningful value per item. The toolkit's
    smoothing is a constant of 1e-15 to 1e-9: a corpus without any match of order n scores almost,
    not exactly, 0.
    """
    from pycocoevalcap.bleu.bleu import Bleu

    targets, results = _corpora(predictions, references)
    values, _ = Bleu(4).compute_score(targets, results, verbose=0)
    first, second, third, fourth = (float(min(value, 1.0)) for value in values)
    return first, second, third, fourth


def rouge_l(predictions: Sequence[str], references: Sequence[str]) -> CorpusScore:
    """Return ROUGE-L (F-measure of the longest common subsequence, beta 1.2), each value in [0, 1].

    The toolkit reads an empty text as one empty token: an empty prediction scores 1 against an
    empty reference and 0 against any other.
    """
    from pycocoevalcap.rouge.rouge import Rouge

    targets, results = _corpora(predictions, references)
    value, per_item = Rouge().compute_score(targets, results)
    return CorpusScore(float(value), tuple(float(item) for item in per_item))


def cider(predictions: Sequence[str], references: Sequence[str]) -> CorpusScore:
    """Return CIDEr (the toolkit's CIDEr-D variant: clipped, sigma 6), each value in [0, 10].

    Word weights come from the references of the corpus itself: a corpus of one item gives every
    n-gram weight log(1/1) = 0, hence 0 for any prediction, and values of different subsets are not
    comparable. A text shorter than n tokens has no n-grams of that order and scores 0 there, so a
    perfect one-word answer gets 2.5, not 10.
    """
    from pycocoevalcap.cider.cider import Cider

    targets, results = _corpora(predictions, references)
    if not any(reference.split() for reference in references):
        # The toolkit raises an error for references without a single n-gram.
        return CorpusScore(0.0, (0.0,) * len(references))
    value, per_item = Cider().compute_score(targets, results)
    return CorpusScore(float(value), tuple(float(item) for item in per_item))


def _corpora(predictions: Sequence[str], references: Sequence[str]) -> tuple[Corpus, Corpus]:
    """Return references and predictions as the toolkit takes them."""
    if not predictions or len(predictions) != len(references):
        found = f"{len(references)} for {len(predictions)}"
        raise ValueError(f"Expected one reference per prediction, found {found}.")

    targets = {index: [text] for index, text in enumerate(references)}
    results = {index: [text] for index, text in enumerate(predictions)}
    return targets, results


# METEOR's tuned English parameters (Denkowski and Lavie 2014).
ALPHA = 0.85
BETA = 0.2
GAMMA = 0.6
DELTA = 0.75

# Weights of exact, stem, synonym and paraphrase matches.
WEIGHTS = (1.0, 0.6, 0.8, 0.6)

# Counts per pair in METEOR's output, and the place of the chunks among them; see `meteor`.
FIELDS = 23
CHUNKS = 20


def meteor(statistics: Sequence[Sequence[float]]) -> CorpusScore:
    """Return METEOR of a corpus (of the summed counts) and of each pair, in [0, 1].

    `statistics` has per pair the 23 counts of the option `-ssOut`: words of prediction and
    reference, function words of both, for each of the four kinds of match the matched content words
    of prediction and reference and the matched function words of both, then chunks, and the matched
    words of both. Raises ValueError for no pair or other counts.
    """
    if not statistics or any(len(counts) != FIELDS for counts in statistics):
        raise ValueError(f"Expected at least one pair and {FIELDS} counts for each.")

    totals = [math.fsum(column) for column in zip(*statistics, strict=True)]
    # As METEOR sums them: a pair matched in one chunk from end to end adds no chunk.
    totals[CHUNKS] -= sum(_is_perfect(counts) for counts in statistics)
    return CorpusScore(_value(totals), tuple(_value(counts) for counts in statistics))


def _is_perfect(counts: Sequence[float]) -> bool:
    """Return whether all words are matched in one chunk."""
    words, reference_words = counts[:2]
    chunks, matched, reference_matched = counts[CHUNKS:]
    return (matched, reference_matched, chunks) == (words, reference_words, 1)


def _value(counts: Sequence[float]) -> float:
    """Return METEOR of the counts of a pair, or of their sums (METEOR 1.5, with its weights)."""
    words, reference_words, function, reference_function = counts[:4]
    chunks, matched, reference_matched = counts[CHUNKS:]

    # Four counts for each kind of match, in the order that `meteor` says.
    precision = _share(counts[4:20:4], counts[6:20:4], words, function)
    recall = _share(counts[5:20:4], counts[7:20:4], reference_words, reference_function)
    if not precision or not recall:
        return 0.0

    mean = 1.0 / ((1.0 - ALPHA) / precision + ALPHA / recall)
    fragmentation = chunks / ((matched + reference_matched) / 2)
    if _is_perfect(counts):
        fragmentation = 0.0
    return max(mean * float(1.0 - GAMMA * fragmentation**BETA), 0.0)


def _share(
    content: Sequence[float], function: Sequence[float], words: float, function_words: float
) -> float:
    """Return the weighted share of words that are matched; function words weigh less."""
    length = DELTA * (words - function_words) + (1.0 - DELTA) * function_words
    matches = math.fsum(
        weight * (DELTA * content_matches + (1.0 - DELTA) * function_matches)
        for weight, content_matches, function_matches in zip(
            WEIGHTS, content, function, strict=True
        )
    )
    return matches / length if length else 0.0
