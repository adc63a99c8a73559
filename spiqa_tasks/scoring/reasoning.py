"""Reasoning that a model writes before its answer, in `<think>` blocks."""

from __future__ import annotations

_TAGS = (("<think>", "</think>"), ("<thinking>", "</thinking>"))


def without_reasoning(text: str) -> str:
    """Return `text` without its reasoning blocks, unchanged where it has none.

    A block whose opening tag stood in the prompt ends at its closing tag; one that is never closed is left as it is,
    as lmms-eval does.
    """
    for opening, closing in _TAGS:
        if closing in text:
            text = _without(text, opening, closing)
    return text


def _without(text: str, opening: str, closing: str) -> str:
    kept: list[str] = []
    position = 0
    while (start := text.find(opening, position)) != -1 and (end := text.find(closing, start)) != -1:
        kept.append(text[position:start])
        position = end + len(closing)
    rest = "".join([*kept, text[position:]])
    if opening not in rest:
        rest = rest.rpartition(closing)[2]
    return rest.strip()
