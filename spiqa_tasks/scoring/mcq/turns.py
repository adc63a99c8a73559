"""Where an answer ends and what the model wrote of its own accord begins: another question, another turn."""

from __future__ import annotations

import re
from itertools import pairwise

_NEXT = re.compile(
    r"<\|(?:end|im_end|im_start|eot_id|endoftext|end_of_text|end_of_turn|start|user|return)\|>"
    r"|</s>|<(?:end_of_turn|start_of_turn|eos)>|\[/?INST\]"
    r"|^[ \t>*_]{0,4}#{1,6}[ \t]?(?:instructions?|input|question|human|user)\b"
    r"|^[ \t>*_]{0,4}(?:(?:next |new )?question|q|human|user|frage|pregunta|pergunta|domanda|вопрос"
    r"|问题|問題|题目|題目|問|问|질문|문제)[ \t]?\d{0,3}[ \t*_]{0,3}[:：]",
    re.IGNORECASE | re.MULTILINE,
)


def turns(text: str) -> list[str]:
    """Return the parts of `text` that are not empty: what is before the first mark of a new turn, and from each on."""
    starts = [0, *(mark.start() for mark in _NEXT.finditer(text)), len(text)]
    parts = (text[start:end].strip() for start, end in pairwise(starts))
    return [part for part in parts if part]
