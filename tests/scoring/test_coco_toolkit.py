"""The corpus metrics agree with calculations by hand."""

import math
import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiqa_tasks.scoring.coco_toolkit import CorpusScore, bleu, cider, meteor, rouge_l

PREDICTIONS = ["the cat sat on the mat", "a dog", ""]
REFERENCES = ["the cat is on the mat", "a big dog runs", "nothing"]


def common_subsequence(left: list[str], right: list[str]) -> int:
    """Length of the longest common subsequence, by plain recursion on the first tokens."""
    if not left or not right:
        return 0
    if left[0] == right[0]:
        return 1 + common_subsequence(left[1:], right[1:])
    return max(common_subsequence(left[1:], right), common_subsequence(left, right[1:]))


def bleu_1_by_hand(predictions: list[str], references: list[str]) -> float:
    """Clipped unigram precision over the corpus, times the brevity penalty."""
    pairs = [(p.split(), r.split()) for p, r in zip(predictions, references, strict=True)]
    matched = sum((Counter(p) & Counter(r)).total() for p, r in pairs)
    length, target = sum(len(p) for p, _ in pairs), sum(len(r) for _, r in pairs)
    return matched / length * min(1.0, math.exp(1 - target / length))


def test_bleu_1_is_clipped_precision_with_brevity_penalty() -> None:
    """BLEU-1 over a corpus with an empty prediction is what counting by hand gives."""
    assert bleu(PREDICTIONS, REFERENCES)[0] == pytest.approx(
        bleu_1_by_hand(PREDICTIONS, REFERENCES)
    )
    assert bleu(PREDICTIONS, REFERENCES)[0] == pytest.approx(7 / 8 * math.exp(1 - 11 / 8))


def test_rouge_l_is_the_f_measure_of_the_common_subsequence() -> None:
    """ROUGE-L of each pair and the mean are what the formula with beta 1.2 gives."""
    expected = []
    for prediction, reference in zip(PREDICTIONS, REFERENCES, strict=True):
        left, right = prediction.split(), reference.split()
        length = common_subsequence(left, right)
        precision, recall = length / max(len(left), 1), length / len(right)
        expected.append(
            (1 + 1.44) * precision * recall / (recall + 1.44 * precision) if length else 0.0
        )
    score = rouge_l(PREDICTIONS, REFERENCES)
    assert score.per_item == pytest.approx(expected)
    assert score.value == pytest.approx(sum(expected) / 3)
    assert score.per_item[0] == pytest.approx(5 / 6)


def test_cider_of_identical_long_texts_is_ten() -> None:
    """Identical predictions of at least four tokens score 10, of one token 2.5."""
    references = ["one two three four five", "six seven eight nine", "word"]
    assert cider(references, references).per_item == pytest.approx((10.0, 10.0, 2.5))
    assert cider(references, references).value == pytest.approx(7.5)


def test_cider_of_one_token_by_hand() -> None:
    """One shared token of two: the clipped cosine of the tf-idf vectors, a quarter of it, times
    ten.
    """
    score = cider(["a c", "x"], ["a b", "y"])
    assert score.per_item[0] == pytest.approx(10 / 4 * 0.5)
    assert score.per_item[1] == 0.0


def test_cider_of_a_single_pair_is_zero() -> None:
    """With one document every n-gram has weight log 1, so even an identical prediction scores 0."""
    assert cider(["one two three four"], ["one two three four"]).per_item == (0.0,)


def test_cider_of_empty_references_is_zero() -> None:
    """References without any token give 0 instead of an error."""
    assert cider(["a", "b"], ["", ""]) == CorpusScore(0.0, (0.0, 0.0))


@pytest.mark.parametrize("metric", [bleu, rouge_l, cider])
def test_unusable_input_is_refused(metric: object) -> None:
    """No pairs, and lists of different lengths, are errors."""
    assert callable(metric)
    with pytest.raises(ValueError, match="found 0 for 0"):
        metric([], [])
    with pytest.raises(ValueError, match="found 2 for 1"):
        metric(["a"], ["a", "b"])


@pytest.mark.filterwarnings("error")
def test_the_toolkit_prints_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    """The metrics leave standard output and error alone."""
    bleu(PREDICTIONS, REFERENCES)
    rouge_l(PREDICTIONS, REFERENCES)
    cider(PREDICTIONS, REFERENCES)
    assert capfd.readouterr() == ("", "")


TEXTS = st.lists(st.text("ab c", max_size=12), min_size=1, max_size=5)


@given(TEXTS, st.randoms())
def test_values_are_in_range(references: list[str], rng: random.Random) -> None:
    """Any tokens, empty texts among them, score within the units."""
    predictions = rng.sample(references, len(references))
    assert all(0 <= value <= 1 for value in bleu(predictions, references))
    assert all(0 <= value <= 1 + 1e-9 for value in rouge_l(predictions, references).per_item)
    assert all(0 <= value <= 10 + 1e-9 for value in cider(predictions, references).per_item)


# "the cat sat on the mat" and "a cat is sitting on it", "models attend" and "the model attends",
# "x" and "x"
PRINTED = (
    (6, 6, 3, 4, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 2, 3, 3),
    (2, 3, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 0, 1, 1, 2, 3),
    (1, 1, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1),
)


def test_segments_and_corpus_equal_what_the_program_printed() -> None:
    """Three segments and their corpus score, in which perfect matches add no chunk."""
    scores = meteor(PRINTED)
    assert scores.per_item == pytest.approx(
        (0.27758306989419085, 0.5999999999999999, 1.0), abs=1e-15
    )
    assert scores.value == pytest.approx(0.3524769792836724, abs=1e-15)


def test_the_sides_are_weighed_apart() -> None:
    """Matches of prediction and reference that differ in every kind count for precision and for
    recall, by the paper.

    Content words weigh 0.75 and function words 0.25, on both sides; the four kinds 1, 0.6, 0.8
    and 0.6.
    """
    exact, stem, synonym, paraphrase = (2, 1, 1, 2), (1, 2, 0, 1), (3, 1, 2, 0), (1, 0, 0, 1)
    precision = 0.75 * (2 + 0.6 * 1 + 0.8 * 3 + 0.6 * 1) + 0.25 * (1 + 0.6 * 0 + 0.8 * 2 + 0.6 * 0)
    recall = 0.75 * (1 + 0.6 * 2 + 0.8 * 1 + 0.6 * 0) + 0.25 * (2 + 0.6 * 1 + 0.8 * 0 + 0.6 * 1)
    precision /= 0.75 * (14 - 5) + 0.25 * 5
    recall /= 0.75 * (13 - 6) + 0.25 * 6
    mean = 1 / (0.15 / precision + 0.85 / recall)
    expected = mean * (1 - 0.6 * (4 / ((10 + 8) / 2)) ** 0.2)
    counts = (14, 13, 5, 6, *exact, *stem, *synonym, *paraphrase, 4, 10, 8)
    assert meteor([counts]).value == pytest.approx(expected)


@pytest.mark.parametrize("counts", [(0, 3, *[0] * 21), (3, 0, *[0] * 21), (0,) * 23])
def test_nothing_matched_scores_zero(counts: tuple[float, ...]) -> None:
    """An empty prediction has no precision, an empty reference no recall."""
    assert meteor([counts]) == CorpusScore(0.0, (0.0,))


@pytest.mark.parametrize("statistics", [[], [(1.0, 2.0)]])
def test_missing_counts_are_refused(statistics: list[tuple[float, ...]]) -> None:
    """No pair, or counts that are not METEOR's, are an error."""
    with pytest.raises(ValueError, match="23 counts"):
        meteor(statistics)
