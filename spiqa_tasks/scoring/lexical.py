"""Whether an answer has the words of a reference: baselines that a judge should beat.

`references` are texts of which any will do; a score is in [0, 1].
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


def normalized(text: str) -> str:
    """Return the text in lower case without ASCII punctuation, articles and surplus blanks (SQuAD's script)."""
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_NO_PUNCTUATION)).split())


def exact(prediction: str, references: Sequence[str]) -> float:
    """Return 1 where the normalized answer is a normalized reference."""
    text = normalized(prediction)
    return float(bool(text) and text in map(normalized, references))


def contains(prediction: str, references: Sequence[str]) -> float:
    """Return 1 where a reference stands in the answer, case ignored."""
    text = prediction.lower()
    return float(any(reference.lower() in text for reference in references if reference))


def contains_normalized(prediction: str, references: Sequence[str]) -> float:
    """Return 1 where a normalized reference stands in the normalized answer (`lexical_match.py` of EVOUNA).

    As there, a reference that is only an article stands in every answer.
    """
    text = normalized(prediction)
    return float(any(normalized(reference) in text for reference in references if reference))


def token_f1(prediction: str, references: Sequence[str]) -> float:
    """Return the highest F1 of the answer's normalized words against a reference's (SQuAD's script)."""
    return max(
        (_token_f1(normalized(prediction).split(), normalized(each).split()) for each in references), default=0.0
    )


def _token_f1(prediction: Sequence[str], reference: Sequence[str]) -> float:
    common = sum((Counter(prediction) & Counter(reference)).values())
    return 2 * common / (len(prediction) + len(reference)) if common else 0.0


LEXICAL: Mapping[str, Callable[[str, Sequence[str]], float]] = {
    each.__name__: each for each in (exact, contains, contains_normalized, token_f1)
}
"""Name -> baseline."""
