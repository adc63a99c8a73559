"""BLEU, ROUGE-L and CIDEr as the COCO caption toolkit computes them (SPIQA section 5, released metric scripts).

Inputs are parallel sequences of predictions and references, one reference each, already tokenized: tokens joined by
single spaces (see `spiqa_tasks.scoring.tokenization`). Values are in natural units: 0 to 1, CIDEr 0 to 10.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

Corpus = dict[int, list[str]]


@dataclass(frozen=True)
class CorpusScore:
    """A metric over a corpus: its `value`, and the value of each item in the order given."""

    value: float
    per_item: tuple[float, ...]


def bleu(predictions: Sequence[str], references: Sequence[str]) -> tuple[float, float, float, float]:
    """Return corpus BLEU-1 to BLEU-4, each in [0, 1].

    Counts are summed over the corpus, so BLEU has no meaningful value per item. The toolkit's smoothing is a
    constant of 1e-15 to 1e-9: a corpus without any match of order n scores almost, not exactly, 0.
    """
    from pycocoevalcap.bleu.bleu import Bleu

    targets, results = _corpora(predictions, references)
    values, _ = Bleu(4).compute_score(targets, results, verbose=0)
    first, second, third, fourth = (float(min(value, 1.0)) for value in values)
    return first, second, third, fourth


def rouge_l(predictions: Sequence[str], references: Sequence[str]) -> CorpusScore:
    """Return ROUGE-L (F-measure of the longest common subsequence, beta 1.2), each value in [0, 1].

    The toolkit reads an empty text as one empty token, so an empty prediction matches an empty reference with 1 and
    any other reference with 0.
    """
    from pycocoevalcap.rouge.rouge import Rouge

    targets, results = _corpora(predictions, references)
    value, per_item = Rouge().compute_score(targets, results)
    return CorpusScore(float(value), tuple(float(item) for item in per_item))


def cider(predictions: Sequence[str], references: Sequence[str]) -> CorpusScore:
    """Return CIDEr (the toolkit's CIDEr-D variant: clipped, sigma 6), each value in [0, 10].

    Word weights come from the references of the corpus itself: a corpus of one item gives every n-gram weight
    log(1/1) = 0, hence 0 for any prediction, and values of different subsets are not comparable. A text shorter than
    n tokens has no n-grams of that order and scores 0 there, so a perfect one-word answer gets 2.5, not 10.
    """
    from pycocoevalcap.cider.cider import Cider

    targets, results = _corpora(predictions, references)
    if not any(reference.split() for reference in references):
        return CorpusScore(0.0, (0.0,) * len(references))
    value, per_item = Cider().compute_score(targets, results)
    return CorpusScore(float(value), tuple(float(item) for item in per_item))


def _corpora(predictions: Sequence[str], references: Sequence[str]) -> tuple[Corpus, Corpus]:
    """Return (references, predictions) in the toolkit's form."""
    if len(predictions) != len(references):
        raise ValueError(f"Expected one reference per prediction, found {len(references)} for {len(predictions)}.")
    if not predictions:
        raise ValueError("Expected at least one pair of prediction and reference, found none.")
    return {i: [text] for i, text in enumerate(references)}, {i: [text] for i, text in enumerate(predictions)}
