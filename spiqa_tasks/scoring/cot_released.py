"""A chain-of-thought response as the released metric script reads it (`close_models_metrics_CoT.py`)."""

from __future__ import annotations

import ast
import re
import warnings

_NUMBER = r"([0-9]|10|11|12|13|14|15)\b"
_NAMED = re.compile(rf"Image \b{_NUMBER}", re.IGNORECASE)
_KEYED = re.compile(rf"'Image': \b{_NUMBER}", re.IGNORECASE)
_ANSWER_LEADS = ("The answer is", "The answer to the question is")
_LONGEST_LITERAL = 10_000


def parse_cot_released(response: str) -> tuple[int | None, str]:
    """The image number and the answer that the released script finds.

    The answer is what follows "The answer is" where that occurs exactly once, else "The answer to the question is"
    where that does, else the whole response; nothing is stripped. The image is looked for before "The answer is:" (no
    space before the colon, so usually in all of the response): the value of `Image` where that text is a dict and
    nothing else (a number in quotes then counts as a miss), else the first "Image N", which is often in the rationale,
    else `'Image': N`.
    """
    answer = response
    for lead in _ANSWER_LEADS:
        parts = response.split(lead)
        if len(parts) == 2:
            answer = parts[1]
            break
    before = response.split("The answer is:")[0]
    literal = _literal(before)
    if isinstance(literal, dict) and "Image" in literal:
        value = literal["Image"]
        return (int(value) if isinstance(value, int | float) and value in range(100_000) else None), answer
    found = _NAMED.search(before) or _KEYED.search(before)
    return (int(found[1]) if found else None), answer


def _literal(text: str) -> object:
    """The value of a text that is nothing but a literal of Python's."""
    if len(text) > _LONGEST_LITERAL:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a model's backslashes are no affair of ours
            return ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
