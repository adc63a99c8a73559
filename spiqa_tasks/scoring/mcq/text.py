"""Clean responses and option texts before comparison, and split responses into turns."""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise

from spiqa_tasks.scoring.reasoning import without_reasoning

LONGEST = 20_000
"""Characters read of a response, from both ends: longer ones are a model in a loop."""

_QUOTES = str.maketrans(dict.fromkeys("\u2018\u2019", "'") | dict.fromkeys("\u201c\u201d\u00ab\u00bb", '"'))
_SPECIAL = re.compile(
    r"<\|[^|<>\n]{0,40}\|>|</?(?:s|eos|bos|pad|end_of_turn|b|i|u|strong|em|p|br|code|span|div)\s{0,3}/?>"
    r"|[\ue000-\uf8ff\u200b-\u200f\u2060\ufeff\u00ad]|[*`$]|\\[()\[\]]|#{2,6}|^#|__"
)
_DRAWING = re.compile(r"\[asy\](?:[^\[]|\[(?!/?asy\]))*(?:\[/asy\])?")
_LATEX_TEXT = re.compile(r"\\(?:text|textbf|textit|textrm|mathrm|mathbf|mathsf|mathit|rm|bf)\s{0,3}\{([^{}]{0,500})\}")
_LATEX = (
    (re.compile(r"\\[dt]?frac\s{0,3}\{([^{}]{0,200})\}\s{0,3}\{([^{}]{0,200})\}"), r"\1/\2"),
    (re.compile(r"\^\s?\{?\s?\\circ\s?\}?|\\degree"), "°"),
    (re.compile(r"\\[;: ]|~"), " "),
    (re.compile(r"\\([%$#&_])|\\[,!]"), r"\1"),
    (re.compile(r"\\(?:left|right)(?![a-z])"), ""),
    (re.compile(r"\\times(?![a-z])"), "×"),
)
_ANY_SPECIAL = re.compile(r"[<*`$#_\\\ue000-\uf8ff\u200b-\u200f\u2060\ufeff\u00ad]")
_CIRCLED = re.compile("[\u2460-\u2473]")


def shortened(text: str) -> str:
    """Return a response without its reasoning, and of a very long one only the two ends."""
    text = without_reasoning(text).strip()
    text = _DRAWING.sub("", text) if "[asy]" in text else text
    return text if len(text) <= LONGEST else text[: LONGEST // 2] + "\n" + text[-LONGEST // 2 :]


def plain(text: str) -> str:
    """Return a text without markdown, LaTeX wrappers and special tokens, in compatibility form with single spaces."""
    if not text.isascii():
        text = _CIRCLED.sub(r" \g<0> ", text)
        text = unicodedata.normalize("NFKC", text).translate(_QUOTES)
    if "\\" in text:
        text = _LATEX_TEXT.sub(r"\1", text)
        for pattern, replacement in _LATEX:
            text = pattern.sub(replacement, text)
    if _ANY_SPECIAL.search(text):
        text = _SPECIAL.sub("", text)
    return " ".join(text.split())


def lower(text: str) -> str:
    """Return `text` in lower case at its own length, whatever its characters do."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(low if len(low := character.lower()) == 1 else character for character in text)


def fold(text: str) -> str:
    """Return cleaned `text` in lower case without enclosing quotes and closing punctuation, for comparison."""
    return lower(text).rstrip(".,;:!?\"'。").lstrip("\"'").rstrip()


_NEXT = re.compile(
    r"<\|(?:end|im_end|im_start|eot_id|endoftext|end_of_text|end_of_turn|start|user|return)\|>"
    r"|</s>|<(?:end_of_turn|start_of_turn|eos)>|\[/?INST\]"
    r"|^[ \t>*_]{0,4}#{1,6}[ \t]?(?:instructions?|input|question|human|user)\b"
    r"|^[ \t>*_]{0,4}(?:(?:next |new )?question|q|human|user|frage|pregunta|pergunta|domanda|вопрос"
    r"|问题|問題|题目|題目|問|问|질문|문제)[ \t]?\d{0,3}[ \t*_]{0,3}[:：]",
    re.IGNORECASE | re.MULTILINE,
)


def turns(text: str) -> list[str]:
    """Return the non-empty turns of `text`, split before each mark of a new turn."""
    starts = [0, *(mark.start() for mark in _NEXT.finditer(text)), len(text)]
    parts = (text[start:end].strip() for start, end in pairwise(starts))
    return [part for part in parts if part]
