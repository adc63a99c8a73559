"""Parse chain-of-thought responses as the released script does (`close_models_metrics_CoT.py`)."""

import ast
import re
import warnings

# The script's own patterns: images 0 to 15, and a `\b` before the number that does nothing.
_NUMBER = r"([0-9]|10|11|12|13|14|15)\b"
_NAMED = re.compile(rf"Image \b{_NUMBER}", re.IGNORECASE)
_KEYED = re.compile(rf"'Image': \b{_NUMBER}", re.IGNORECASE)

# As in the released script, in its order.
_ANSWER_LEADS = ("The answer is", "The answer to the question is")

# Characters of the longest text that is parsed as a literal, to bound time and memory.
_LONGEST_LITERAL = 10_000

# Image numbers that are read: more than any paper has figures. A literal may hold any number.
_IMAGES = range(100_000)


def parse_cot_released(response: str) -> tuple[int | None, str]:
    """Return the image number or None and the answer that the released script extracts.

    The answer is the text after "The answer is" if that occurs exactly once, else after "The answer
    to the question is" if that does, else the whole response; nothing is stripped. The image is
    searched before "The answer is:" (no space before the colon, so usually in the whole response):
    the value of `Image` if that text is a dict literal (a quoted number is a miss), else the first
    "Image N", which is often in the rationale, else `'Image': N`.
    """
    before = response.split("The answer is:")[0]
    return _image(before), _answer(response)


def _answer(response: str) -> str:
    """Return the text after the first lead that occurs exactly once, or the whole response."""
    for lead in _ANSWER_LEADS:
        parts = response.split(lead)
        if len(parts) == 2:
            return parts[1]
    return response


def _image(text: str) -> int | None:
    """Return the image number in the text before the answer, or None."""
    literal = _literal(text)
    if isinstance(literal, dict) and "Image" in literal:
        value = literal["Image"]
        return int(value) if isinstance(value, int | float) and value in _IMAGES else None

    image = _NAMED.search(text) or _KEYED.search(text)
    return int(image[1]) if image else None


def _literal(text: str) -> object:
    """Return the Python literal that `text` is, or None."""
    if len(text) > _LONGEST_LITERAL:
        return None
    try:
        with warnings.catch_warnings():
            # Python warns of backslashes in strings, which a response may hold.
            warnings.simplefilter("ignore")
            return ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
