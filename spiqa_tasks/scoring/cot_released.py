"""Parse chain-of-thought responses as the released script does (`close_models_metrics_CoT.py`)."""

import ast
import re
import warnings

_NUMBER = r"([0-9]|10|11|12|13|14|15)\b"
_NAMED = re.compile(rf"Image \b{_NUMBER}", re.IGNORECASE)
_KEYED = re.compile(rf"'Image': \b{_NUMBER}", re.IGNORECASE)
_ANSWER_LEADS = ("The answer is", "The answer to the question is")
_LONGEST_LITERAL = 10_000
"""Characters up to which a text is parsed as a literal, to bound time and memory of Python's parser."""


def parse_cot_released(response: str) -> tuple[int | None, str]:
    """Return the image number or None and the answer that the released script extracts.

    The answer is the text after "The answer is" if that occurs exactly once, else after "The answer to the question is"
    if that does, else the whole response; nothing is stripped. The image is searched before "The answer is:" (no space
    before the colon, so usually in the whole response): the value of `Image` if that text is a dict literal (a quoted
    number is a miss), else the first "Image N", which is often in the rationale, else `'Image': N`.
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
        return (
            int(value) if isinstance(value, int | float) and value in range(100_000) else None
        ), answer
    image = _NAMED.search(before) or _KEYED.search(before)
    return (int(image[1]) if image else None), answer


def _literal(text: str) -> object:
    if len(text) > _LONGEST_LITERAL:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of backslashes in the response
            return ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
