"""Open answers: the answer in a response, exact and relaxed matches, and the lexical baselines that judges should beat.

Every function takes any text, never raises and takes time linear in its length. In the lexical baselines `references`
are texts of which any will do; their scores are in [0, 1].
"""

import re
import string
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import isfinite

from spiqa_tasks.scoring.mcq.fields import fields_in

MATCH_VERSION = "4"
"""Version of `final_answer`, `read_as` and the matches, for signatures."""
TOLERANCE = 0.05
"""Relative error of a number that counts as right (ChartQA, end of section 5.1)."""

_NAMED = re.compile(
    r"(?:\b(?:answers?|r[ée]ponses?|antwort|respuestas?|risposta|resposta|ответ)|答案|答え|正解|回答)"
    r"(?:\s+correct[aeo]?s?)?(?:\s+(?:is|are|est|sont|ist|sind|es|son|è|sono|é|são)\b\s*[:：]?|\s*[:：]|\s*(?:は|是|为|為)\s*[:：]?)[\s*]*",
    re.IGNORECASE,
)
_COPULA = re.compile(r"\s*(?:です|である|だ)$")
_EDGES = " \t\r\n\"'“”‘’*`"
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?:\D|$))")
_POWER = re.compile(
    r"(?:([-+]?[\d.]+)\s*(?:×|x|\*|\\times|\\cdot)\s*)?([-+])?10\s*(?:\^|\*\*)\s*\{?\s*([-+]?\d{1,3})\s*\}?"
)
_RATIO = re.compile(
    r"([-+]?)\s*(?:\\[dt]?frac\s*(?:\{\s*(\d{1,99})\s*\}\s*\{\s*(\d{1,99})\s*\}|(\d)\s*(\d)(?!\d))"
    r"|(\d{1,99})\s*/\s*(\d{1,99}))"
)
_DECIMAL = re.compile(
    r"[-+]?(?:\d{1,99}(?:\.\d{0,99})?|\.\d{1,99})(?:e[-+]?\d{1,3})?", re.IGNORECASE
)
_IN_PROSE = re.compile(
    rf"(?<![\w.\\^{{_])(?:{re.sub(r'[(](?![?])', '(?:', _RATIO.pattern)}"
    r"|[-+]?(?:\d{1,3}(?:,\d{3}){1,9}|\d{1,99})(?:\.\d{1,99})?(?:e[-+]?\d{1,3})?)(?:\s?\\?%)?"
    r"(?![\d^])(?=\W|$|(?!(?:st|nd|rd|th|d|x)\b)[a-zµ]{1,3}\b)",
    re.IGNORECASE,
)
"""A number between words: not part of a name (H2O), an index or an exponent."""
_WORDS = (
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
)
_SPELT = re.compile(rf"\b(?:{'|'.join(_WORDS)})\b", re.IGNORECASE)
_ASIDE = re.compile(r"\([^()\n]{0,80}\)")
_SENTENCE = re.compile(r"(?<=[.!?])\s+|[\n。]+")
_STATES = re.compile(r"=|≈|:|\b(?:is|are|was|be|equals?)\b", re.IGNORECASE)
_VERDICTS = ("yes true", "no false", "正确 正確 对 對 是", "错误 錯誤 错 錯 否")
"""Verdicts, those of one meaning together."""
_VERDICT = re.compile(
    rf"\W{{0,9}}({'|'.join(_VERDICTS).replace(' ', '|')})\s{{0,9}}(?:[.,;:!–—。，；：！-]|$)",
    re.IGNORECASE,
)
_SHORT = 4
"""Words of a first sentence that is the answer, an explanation following."""
_WRAPPER = re.compile(
    r"\\(?:text|textbf|textit|textrm|mathrm|mathbf|mathsf|mathit|mathcal|bm|rm|bf)(?![a-z])\s*"
)
_COMMAND = re.compile(r"\\([a-zA-Z]+)")
_JOINTS = re.compile(r"\s*([^\w\s]|_)\s*")
_TERMS = re.compile(r",\s+(?:and\s+)?|\s+and\s+")


def named_answer(response: str) -> str | None:
    """Return the answer that a response names as such, without enclosing quotes and final full stop; None without one.

    That is the content of the last answer field (`\\boxed{...}`, `<answer>...</answer>`, `{"answer": "..."}`), else the
    line after the last "answer:" or "answer is", in nine languages.
    """
    if fields := fields_in(response):
        return _trimmed(fields[0].content)
    *_, named = (None, *_NAMED.finditer(response))
    line = response[named.end() :].strip().partition("\n")[0] if named is not None else ""
    return _COPULA.sub("", _trimmed(line)) if line else None


def final_answer(response: str) -> str:
    """Return the answer that a response names as such, else the whole response, trimmed alike."""
    named = named_answer(response)
    return _trimmed(response) if named is None else named


def read_as(prediction: str, reference: str) -> str | None:
    """Return the answer in the words of an answer, if the true one is a number, or yes or no; else None.

    "18 inches" and "The cup holds 18." are 18, "Yes. The study ..." is yes, or 1 for 0 or 1; 正确 is 对. Among
    several numbers it is the only one of a first sentence of at most four words, else of the last sentence with one, or
    of what follows its last "=" or "is"; None if that leaves several. An answer that is a number has no other in it.
    """
    true = reference.strip()
    if same := next((each.split() for each in _VERDICTS if true.lower() in each.split()), None):
        found = _VERDICT.match(prediction)
        return (true if found[1].lower() in same else found[1].lower()) if found else None
    if _number(reference) is None or _number(prediction) is not None:
        return None
    if true in ("0", "1") and (found := _VERDICT.match(prediction)):
        return str(int(found[1].lower() in ("yes", "true")))
    text = _ASIDE.sub(" ", unicodedata.normalize("NFKC", prediction).replace("−", "-"))
    first, *_ = sentences = [each for each in _SENTENCE.split(text) if each.strip()] or [""]
    if len(first.split()) <= _SHORT and len(numbers := _numbers_in(first)) == 1:
        return numbers.pop()
    last = next((each for each in reversed(sentences) if _numbers_in(each)), "")
    for part in (last, _STATES.split(last)[-1]):
        if len(numbers := _numbers_in(part)) == 1:
            return numbers.pop()
    return None


def _numbers_in(text: str) -> set[str]:
    found = {number[0].replace(",", "") for number in _IN_PROSE.finditer(text)}
    return found or {str(_WORDS.index(word[0].lower())) for word in _SPELT.finditer(text)}


def relaxed_match(prediction: str, reference: str) -> bool:
    """Return whether an answer is right by ChartQA's relaxed accuracy (end of its section 5.1).

    A number may differ by 5% of the true one (`50%` is 0.5). Other texts, and what is compared with 0, are equal up to
    case, quotes and full stop.
    """
    predicted, true = _float(prediction), _float(reference)
    if predicted is None or not true:
        return _trimmed(prediction).lower() == _trimmed(reference).lower()
    return abs(predicted - true) <= TOLERANCE * abs(true)


def mathvista_match(prediction: str, reference: str) -> bool:
    """Return whether an answer is right by MathVista's `calculate_score.py`, less its choice of the nearest option.

    Against a whole number the fraction is cut off, against others it is rounded to their digits; texts must be equal.
    """
    predicted, true = _float(prediction.replace(",", "")), _float(reference)
    if true is None or reference.endswith("%"):
        return prediction.strip() == reference.strip()
    digits = len(reference.strip().partition(".")[2])
    return (
        predicted is not None and (round(predicted, digits) if digits else int(predicted)) == true
    )


def exact_match(prediction: str, reference: str) -> bool:
    """Return whether an answer is right by the rules of CharXiv's reasoning questions that need no judge.

    Numbers are equal in any notation (`0.01` and `10^-2`, `1500` and `1.5e3`), terms up to notation (`α` and `alpha`,
    `$R^2_{t}$` and `R^2_t`, `(b)` and `b`) and order. Paraphrases, which CharXiv's judge accepts, do not match.
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
    text = (
        unicodedata.normalize("NFKC", text)
        .strip()
        .strip("$")
        .replace("−", "-")
        .replace("\\%", "%")
        .strip()
    )
    percent = text.endswith("%")
    text = _THOUSANDS.sub("", text.removesuffix("%").rstrip())
    value: Fraction | None = None
    if _DECIMAL.fullmatch(text):
        value = Fraction(text)
    elif match := _POWER.fullmatch(text):
        factor, sign, power = match.groups()
        if factor is None or _DECIMAL.fullmatch(factor):
            value = Fraction(factor or 1) * (-1 if sign == "-" else 1) * Fraction(10) ** int(power)
    elif match := _RATIO.fullmatch(text):
        sign, *parts = match.groups()
        above, below = (int(part) for part in parts if part is not None)
        value = Fraction(above, below) * (-1 if sign == "-" else 1) if below else None
    return value if value is None or not percent else value / 100


def _terms(text: str) -> list[str]:
    text = _trimmed(unicodedata.normalize("NFKC", text))
    return sorted(
        map(_folded, [text] if text[:1] in "[({" else _TERMS.split(text))
    )  # a bracketed answer is one term


def _folded(term: str) -> str:
    term = _COMMAND.sub(r" \1 ", _WRAPPER.sub("", term)) if "\\" in term else term
    term = "".join(map(_spelled, term.replace("$", "").replace("{", "").replace("}", "")))
    term = _JOINTS.sub(r"\1", " ".join(term.casefold().split())).strip(_EDGES)
    inner = term[1:-1]
    return inner if term.startswith("(") and term.endswith(")") and inner.isalnum() else term


def _spelled(character: str) -> str:
    name = unicodedata.name(character, "") if "Ͱ" <= character <= "Ͽ" else ""
    return (
        f" {name.rpartition(' ')[2].lower()} "
        if name.startswith("GREEK SMALL LETTER")
        else character
    )


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
