"""The corpus metrics agree with calculations by hand, and `ptb-python` with the toolkit's Java tokenizer."""

from __future__ import annotations

import json
import math
import os
import random
import shutil
import time
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiqa_tasks.scoring.text_metrics import CorpusScore, bleu, cider, rouge_l
from spiqa_tasks.scoring.tokenization import tokenize

DATA = Path(os.environ.get("SPIQA_TASKS_TEST_DATA") or Path(__file__).parents[2] / ".." / "shared" / "data")
TEST_A = DATA / "spiqa" / "test-A" / "SPIQA_testA.json"
needs_java = pytest.mark.skipif(shutil.which("java") is None, reason="Java is not installed")
needs_data = pytest.mark.skipif(not TEST_A.exists(), reason="SPIQA test-A is not there")

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
    assert bleu(PREDICTIONS, REFERENCES)[0] == pytest.approx(bleu_1_by_hand(PREDICTIONS, REFERENCES))
    assert bleu(PREDICTIONS, REFERENCES)[0] == pytest.approx(7 / 8 * math.exp(1 - 11 / 8))


def test_bleu_of_identical_texts_is_one_and_of_empty_ones_nothing() -> None:
    """Identical texts score 1 in all orders, only empty predictions almost 0."""
    assert bleu(REFERENCES[:2], REFERENCES[:2]) == pytest.approx((1.0, 1.0, 1.0, 1.0))
    assert bleu(["", ""], ["a b", "c"]) == pytest.approx((0.0, 0.0, 0.0, 0.0), abs=1e-6)


def test_rouge_l_is_the_f_measure_of_the_common_subsequence() -> None:
    """ROUGE-L of each pair and the mean are what the formula with beta 1.2 gives."""
    expected = []
    for prediction, reference in zip(PREDICTIONS, REFERENCES, strict=True):
        left, right = prediction.split(), reference.split()
        length = common_subsequence(left, right)
        precision, recall = length / max(len(left), 1), length / len(right)
        expected.append((1 + 1.44) * precision * recall / (recall + 1.44 * precision) if length else 0.0)
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
    """One shared token of two: the clipped cosine of the tf-idf vectors, a quarter of it, times ten."""
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
    with pytest.raises(ValueError, match=r"^Expected at least one pair of prediction and reference, found none\.$"):
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


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("The model's accuracy (72.83%) isn't best.", "the model 's accuracy -lrb- 72.83 % -rrb- is n't best"),
        ("We cannot say: \"yes\" or 'no'!", "we can not say yes or no"),
        ("R$_{10}$@1, P@1 and 10-20", "r$ _ -lcb- 10 -rcb- $ @ 1 p@1 and 10-20"),
        ("state-of-the-art e.g. Fig. 3 vs. et al.", "state-of-the-art e.g. fig. 3 vs. et al."),
        ("\\alpha^2 * x_1 = a/b", "\\ alpha ^ 2 * x_1 = a/b"),
        ("naïve α 中文 – it’s", "naïve α 中文 it 's"),
        ("line\nbreak\tand 😀", "line break and"),
        (" ... ", ""),
        ("", ""),
    ],
)
def test_python_tokens(text: str, tokens: str) -> None:
    """Clitics, brackets, numbers, abbreviations and punctuation come out as from the Java tokenizer."""
    assert tokenize(text) == tokens


@given(st.text(max_size=80))
def test_any_text_has_tokens(text: str) -> None:
    """Tokens are separated by single spaces, and no text is an error."""
    tokens = tokenize(text)
    assert "\n" not in tokens
    assert tokens == " ".join(token for token in tokens.split(" ") if token)


@pytest.mark.parametrize("unit", ["a", "a.", "-a", "@a", "<a ", "_", "a,", "1/", "'s", "&amp;", "x-y@", "(", "A+"])
def test_tokenizing_hostile_text_takes_linear_time(unit: str) -> None:
    """50,000 characters of anything repeated take seconds at most."""
    began = time.process_time()
    tokenize((unit * 50_000)[:50_000])
    assert time.process_time() - began < 5.0


@needs_java
@needs_data
def test_python_tokens_are_those_of_java_on_real_text() -> None:
    """At least 99% of test-A's questions and answers have exactly the tokens that the toolkit's own class gives."""
    from pycocoevalcap.tokenizer.ptbtokenizer import PTBTokenizer

    papers = json.loads(TEST_A.read_text(encoding="utf-8")).values()
    texts = [entry[field] for paper in papers for entry in paper["qa"] for field in ("question", "answer")]
    expected = PTBTokenizer().tokenize({i: [{"caption": text}] for i, text in enumerate(texts)})
    same = sum(tokenize(text) == expected[i][0] for i, text in enumerate(texts))
    assert len(texts) == 1332
    assert same / len(texts) > 0.99
