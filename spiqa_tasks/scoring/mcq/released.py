"""Answer matching of the released MMStar scorer (`eval/vlmeval/evaluate/mmstar.py` of the authors' repository)."""

from __future__ import annotations

_PREFIXES = ("", "(", "option ", "the answer is ")


def released_match(response: str, answer: str) -> bool:
    """Return whether the released MMStar rules count `response` as a hit for the letter `answer`.

    Both texts are lower-cased, stripped, and every newline becomes a space, in this order. It is a hit when the
    response begins with one of ``""``, ``"("``, ``"option "``, ``"the answer is "`` and the one character right after
    that prefix equals the answer. Nothing checks that the character stands alone, so "A chart" hits "A"; an
    answer of any length but one never hits.
    """
    expected = _simplify(answer)
    text = _simplify(response)
    return len(expected) == 1 and any(text.startswith(prefix + expected) for prefix in _PREFIXES)


def _simplify(text: str) -> str:
    return text.lower().strip().replace("\n", " ")
