"""Lexical baselines of open answers that judges should beat.

Every function takes any text, never raises and takes time linear in its length. `references` are
texts of which any will do; scores are in [0, 1].
"""

import re
import string
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


def normalized(text: str) -> str:
    """Return the text in lower case without ASCII punctuation, articles and extra spaces (SQuAD's script)."""
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_NO_PUNCTUATION)).split())


def exact(prediction: str, references: Sequence[str]) -> float:
    """Return 1 if the normalized answer equals a normalized reference."""
    text = normalized(prediction)
    return float(bool(text) and text in map(normalized, references))


def contains(prediction: str, references: Sequence[str]) -> float:
    """Return 1 if the answer contains a reference, ignoring case."""
    text = prediction.lower()
    return float(any(reference.lower() in text for reference in references if reference))


def contains_normalized(prediction: str, references: Sequence[str]) -> float:
    """Return 1 if the normalized answer contains a normalized reference, or an article alone (EVOUNA's script)."""
    text = normalized(prediction)
    return float(any(normalized(reference) in text for reference in references if reference))


def token_f1(prediction: str, references: Sequence[str]) -> float:
    """Return the highest F1 of normalized words over the references (SQuAD's script)."""
    predicted, best = normalized(prediction).split(), 0.0
    for words in (normalized(reference).split() for reference in references):
        common = (Counter(predicted) & Counter(words)).total()
        best = max(best, 2 * common / (len(predicted) + len(words)) if common else 0.0)
    return best


LEXICAL: Mapping[str, Callable[[str, Sequence[str]], float]] = {
    baseline.__name__: baseline for baseline in (exact, contains, contains_normalized, token_f1)
}
