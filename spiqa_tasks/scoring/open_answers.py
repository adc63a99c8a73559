"""Open answers: the answer in a response, exact and relaxed matches, and the lexical baselines that judges should beat.

Every function takes any text, never raises and takes time linear in its length. In the lexical baselines `references`
are texts of which any will do; their scores are in [0, 1].
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import isfinite

from spiqa_tasks.scoring.mcq.fields import fields_in

TOLERANCE = 0.05
"""Relative change of a number that still counts as right (ChartQA, end of section 5.1)."""

_NAMED = re.compile(r"\banswer(?:\s+is\b\s*:?|\s*:)[\s*]*", re.IGNORECASE)
_EDGES = " \t\r\n\"'“”‘’*`"
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?:\D|$))")
_POWER = re.compile(
    r"(?:([-+]?[\d.]+)\s*(?:×|x|\*|\\times|\\cdot)\s*)?([-+])?10\s*(?:\^|\*\*)\s*\{?\s*([-+]?\d{1,3})\s*\}?"
)
_RATIO = re.compile(
    r"([-+]?)\s*(?:\\[dt]?frac\s*\{\s*(\d{1,99})\s*\}\s*\{\s*(\d{1,99})\s*\}|(\d{1,99})\s*/\s*(\d{1,99}))"
)
_DECIMAL = re.compile(r"[-+]?(?:\d{1,99}(?:\.\d{0,99})?|\.\d{1,99})(?:e[-+]?\d{1,3})?", re.IGNORECASE)
_WRAPPER = re.compile(r"\\(?:text|textbf|textit|textrm|mathrm|mathbf|mathsf|mathit|mathcal|bm|rm|bf)(?![a-z])\s*")
_COMMAND = re.compile(r"\\([a-zA-Z]+)")
_JOINTS = re.compile(r"\s*([^\w\s]|_)\s*")
_TERMS = re.compile(r",\s+(?:and\s+)?|\s+and\s+")


def final_answer(response: str) -> str:
    """Return what a response gives as its answer.

    That is the content of the last field made for it (`\\boxed{...}`, `<answer>...</answer>`, `{"answer": "..."}`),
    else the line after the last "answer:" or "answer is", else the whole response; without quotes around it and the
    full stop behind it.
    """
    fields = fields_in(response)
    *_, named = (None, *_NAMED.finditer(response))
    if fields:
        text = fields[0].content
    elif named is not None and response[named.end() :].strip():
        text = response[named.end() :].strip().partition("\n")[0]
    else:
        text = response
    return _trimmed(text)


def relaxed_match(prediction: str, reference: str) -> bool:
    """Return whether an answer is right as ChartQA's relaxed accuracy has it.

    A number may differ by 5% of the true one, with `50%` read as 0.5. Where either is no number, or the true one is 0,
    the texts must be the same but for case, quotes and a full stop (ChartQA, end of section 5.1; for percent and 0 the
    script in common use for it).
    """
    predicted, true = _float(prediction), _float(reference)
    if predicted is None or not true:
        return _trimmed(prediction).lower() == _trimmed(reference).lower()
    return abs(predicted - true) <= TOLERANCE * abs(true)


def exact_match(prediction: str, reference: str) -> bool:
    """Return whether an answer is right by CharXiv's rules for reasoning questions, as far as they need no reader.

    Numbers must be equal in value, in whatever notation (`0.01` and `10^-2`, `1500` and `1.5e3`). Terms must be the
    same but for their form (`α` and `alpha`, `$R^2_{t}$` and `R^2_t`, `(b)` and `b`), several of them in any order.
    Paraphrases, which CharXiv's judge accepts too, do not match.
    """
    predicted, true = _number(prediction), _number(reference)
    if predicted is not None and true is not None:
        return predicted == true
    return _terms(prediction) == _terms(reference)


def _trimmed(text: str) -> str:
    text = text.strip(_EDGES)
    return text[:-1].rstrip(_EDGES) if text.endswith((".", "。")) else text


def _float(text: str) -> float | None:
    text = text.strip()
    try:
        value = float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        return None
    return value if isfinite(value) else None


def _number(text: str) -> Fraction | None:
    """The value of a text that is nothing but a number."""
    text = unicodedata.normalize("NFKC", text).strip().strip("$").replace("−", "-").replace("\\%", "%").strip()
    percent = text.endswith("%")
    text = _THOUSANDS.sub("", text.removesuffix("%").rstrip())
    value: Fraction | None = None
    if _DECIMAL.fullmatch(text):
        value = Fraction(text)
    elif found := _POWER.fullmatch(text):
        factor, sign, power = found.groups()
        if factor is None or _DECIMAL.fullmatch(factor):
            value = Fraction(factor or 1) * (-1 if sign == "-" else 1) * Fraction(10) ** int(power)
    elif found := _RATIO.fullmatch(text):
        sign, *parts = found.groups()
        above, below = (int(part) for part in parts if part is not None)
        value = Fraction(above, below) * (-1 if sign == "-" else 1) if below else None
    return value if value is None or not percent else value / 100


def _terms(text: str) -> list[str]:
    """The terms of an answer in one form, in one order; what stands in brackets is one term."""
    text = _trimmed(unicodedata.normalize("NFKC", text))
    parts = [text] if text[:1] in "[({" else _TERMS.split(text)
    return sorted(map(_folded, parts))


def _folded(term: str) -> str:
    term = _COMMAND.sub(r" \1 ", _WRAPPER.sub("", term)) if "\\" in term else term
    term = "".join(map(_spelled, term.replace("$", "").replace("{", "").replace("}", "")))
    term = _JOINTS.sub(r"\1", " ".join(term.casefold().split())).strip(_EDGES)
    inner = term[1:-1]
    return inner if term.startswith("(") and term.endswith(")") and inner.isalnum() else term


def _spelled(character: str) -> str:
    """A Greek letter by its name, any other character as it is."""
    name = unicodedata.name(character, "") if "Ͱ" <= character <= "Ͽ" else ""
    return f" {name.rpartition(' ')[2].lower()} " if name.startswith("GREEK SMALL LETTER") else character


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
