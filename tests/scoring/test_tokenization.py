"""The tokens of `ptb-python` are those of the toolkit's Java tokenizer."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from growth import is_linear
from hypothesis import given
from hypothesis import strategies as st

from spiqa_tasks.scoring.tokenization import tokenize

DATA = Path(os.environ.get("SPIQA_TASKS_TEST_DATA") or Path(__file__).parents[2] / ".." / "shared" / "data")
TEST_A = DATA / "spiqa" / "test-A" / "SPIQA_testA.json"
needs_java = pytest.mark.skipif(shutil.which("java") is None, reason="Java is not installed")
needs_data = pytest.mark.skipif(not TEST_A.exists(), reason="SPIQA test-A is not there")


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
        ("p@1 doesn't", "p@1 does n't"),
        ("don't@now", "don't@now"),
        ('<a href="x"> b', '<a\u00a0href="x"> b'),
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


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["a", "a.", "-a", "@a", "<a ", "_", "a,", "1/", "'s", "&amp;", "x-y@", "(", "A+"])
def test_tokenizing_hostile_text_takes_linear_time(unit: str) -> None:
    """Anything repeated."""
    assert is_linear(tokenize, unit, long=40_000)


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
