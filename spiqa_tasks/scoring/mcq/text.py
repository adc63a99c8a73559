"""Clean responses and option texts before comparison, and split responses into turns."""

import re
import unicodedata
from itertools import pairwise

from spiqa_tasks.scoring.responses import without_reasoning

LONGEST = 20_000
"""Characters read of a response, from both ends: longer ones are a model in a loop."""

_QUOTES = str.maketrans(
    dict.fromkeys("\u2018\u2019", "'") | dict.fromkeys("\u201c\u201d\u00ab\u00bb", '"')
)
_SPECIAL = re.compile(
    r"<\|[^|<>\n]{0,40}\|>|</?(?:s|eos|bos|pad|end_of_turn|b|i|u|strong|em|p|br|code|span|div)\s{0,3}/?>"
    r"|[\ue000-\uf8ff\u200b-\u200f\u2060\ufeff\u00ad]|[*`$]|\\[()\[\]]|#{2,6}|^#|__"
)
_MAY_BE_SPECIAL = re.compile(r"[<*`$\\#_]")
_DRAWING = re.compile(r"\[asy\](?:[^\[]|\[(?!/?asy\]))*(?:\[/asy\])?")
_LATEX_TEXT = re.compile(
    r"\\(?:text|textbf|textit|textrm|mathrm|mathbf|mathsf|mathit|rm|bf)\s{0,3}\{([^{}]{0,500})\}"
)
_LATEX = (
    (re.compile(r"\\[dt]?frac\s{0,3}\{([^{}]{0,200})\}\s{0,3}\{([^{}]{0,200})\}"), r"\1/\2"),
    (re.compile(r"\^\s?\{?\s?\\circ\s?\}?|\\degree"), "°"),
    (re.compile(r"\\[;: ]|~"), " "),
    (re.compile(r"\\([%$#&_])|\\[,!]|\\(?:left|right)(?![a-z])"), r"\1"),
    (re.compile(r"\\times(?![a-z])"), "×"),
)
CIRCLED = re.compile("[\u2460-\u2473]")
_EXAMPLE = re.compile(
    r"(?=[efs例比譬])(?:\b(?:e\.g\.|for example|for instance|such as)|例如|比如|譬如)[,，:： ]{0,3}[\"'“‘\[(]?"
    r"(?:the )?(?:final |correct )?(?:answer(?: letter| option)?|正确答案|答案)[\]\"'” ]{0,3}(?:is )?[:：]? ?"
    r"[\"'“‘(\[]?[A-Z](?![A-Za-z])",
    re.IGNORECASE,
)
"""The form that a prompt asks for, repeated: `for example: Answer: A`."""
_STRUCK = re.compile(r"~~[^~\n]{1,200}~~")
_QUOTED = re.compile(r"(?<![\w\\'])(['_])([A-Za-z])\1(?![\w'])")
"""A single letter in quotes or in markdown's italics."""
SPARE_DIGITS = re.compile(r",(?<=\d,)(?=\d{3}(?!\d))|\.(?<=\d\.)0+(?![\d.])")
"""What numbers may lack and be the same: the commas of 1,500 and the zeros of 3.0."""


def shortened(text: str) -> str:
    """Return a response without its reasoning, and of a very long one only the two ends."""
    text = without_reasoning(text).strip()
    text = _EXAMPLE.sub("", _DRAWING.sub("", text))
    return text if len(text) <= LONGEST else text[: LONGEST // 2] + "\n" + text[-LONGEST // 2 :]


def plain(text: str) -> str:
    """Return a text without markdown, LaTeX wrappers and special tokens, in compatibility form with single spaces."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", CIRCLED.sub(r" \g<0> ", text)).translate(_QUOTES)
    if "~~" in text:
        text = _STRUCK.sub(" ", text)
    if "\\" in text:
        text = _LATEX_TEXT.sub(r"\1", text)
        for pattern, replacement in _LATEX:
            text = pattern.sub(replacement, text)
    if not text.isascii() or _MAY_BE_SPECIAL.search(text):
        text = _SPECIAL.sub("", text)
    if "'" in text or "_" in text:
        text = _QUOTED.sub(r"\2", text)
    return " ".join(text.split())


def lower(text: str) -> str:
    """Return `text` in lower case at its own length, whatever its characters do."""
    lowered = (low if len(low := character.lower()) == 1 else character for character in text)
    return whole if len(whole := text.lower()) == len(text) else "".join(lowered)


def fold(text: str) -> str:
    """Return cleaned `text` in lower case without enclosing quotes and closing punctuation, for comparison."""
    return lower(text).rstrip(".,;:!?\"'。").lstrip("\"'").rstrip()


_CUT_LENGTH = 1_500
"""Characters from which on an answer that ends within a sentence counts as cut: shorter ones often lack a full stop."""
_CLOSING = ".!?。！？…:：;；)]}>\"'”’*`$|"
_SHORT_LINE = 40
"""Characters of a last line that is no sentence, such as `Answer: B`."""
_ITEM = re.compile(r"\W{0,8}(?:option |choice )?[A-Za-z]\b", re.IGNORECASE)


def ends_early(text: str) -> bool:
    """Return whether `text` is long and ends within a sentence; a short last line is no sentence."""
    last = text.rstrip().rpartition("\n")[2]
    return len(text) >= _CUT_LENGTH and len(last) > _SHORT_LINE and last[-1] not in _CLOSING


def without_echo(text: str, prompt: str) -> str:
    """Return `text` without the lines of `prompt` that it repeats, but for those that begin with an option."""
    asked = {line.strip() for line in prompt.split("\n")} - {""}
    return "\n".join(
        line for line in text.split("\n") if line.strip() not in asked or _ITEM.match(line)
    ).strip()


_NEXT = re.compile(
    r"<(?:\|(?:end|im_end|im_start|eot_id|endoftext|end_of_text|end_of_turn|start|user|return)\|>|eo[ahm]>"
    r"|/s>|(?:end_of_turn|start_of_turn|eos)>)|\[/?INST\]"
    r"|^(?:[ \t]{0,4}(?:请(?:你|从|选)|【(?:例题|题目)|\#include)"
    r"|[ \t>*_]{0,4}(?:#{1,6}[ \t]?(?:instructions?|input|question|human|user)\b"
    r"|(?:(?:next |new )?question|q|human|user|frage|pregunta|pergunta|domanda|вопрос"
    r"|问题|問題|题目|題目|問|问|질문|문제)[ \t]?\d{0,3}[ \t*_]{0,3}[:：]))",
    re.IGNORECASE | re.MULTILINE,
)


def turns(text: str) -> list[str]:
    """Return the non-empty turns of `text`, split before each mark of a new turn."""
    starts = [0, *(mark.start() for mark in _NEXT.finditer(text)), len(text)]
    parts = (text[start:end].strip() for start, end in pairwise(starts))
    return [part for part in parts if part]
