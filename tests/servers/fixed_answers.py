"""Answers of a model, and verdicts of a judge, that depend on the prompt's text alone: every host
gets the same ones.
"""

import hashlib
import math
import re
from collections.abc import Sequence

ODD = [
    "",
    "None",
    "NA",
    "nan",
    "007",
    "=1+1",
    "x" * 40_000,
    "\x0b control \x00 char _x0041_ \r\n\ttab\x85",
    'say "B"\n',
]
"""Answers that files may change: empty ones, texts that pandas or spreadsheets convert, long texts,
control characters.
"""


def plain(texts: Sequence[str]) -> str:
    """Return an answer to a prompt: to a choice a letter in words, to a yes-or-no question either,
    else six words of the prompt.
    """
    prompt = "".join(texts)
    number = int(hashlib.sha256(prompt.encode()).hexdigest(), 16)
    if "Yes or No" in prompt:
        return "Yes." if number % 3 else "No."
    if "Options:" in prompt or "A)" in prompt or "Answer with the option" in prompt:
        letter = "ABCD"[number % 4]
        forms = [
            letter,
            f"The answer is ({letter}).",
            f"{letter}: it is the only one that fits.",
            "I see no image.",
        ]
        return forms[number // 4 % len(forms)]
    words = re.findall(r"\w+", prompt)
    start = number % max(1, len(words) - 6)
    text = " ".join(words[start : start + 6])
    return [f"{{'Answer': '{text}'}}", text, f"The answer is : {text}"][number // 7 % 3]


def odd(texts: Sequence[str]) -> str:
    """Return a plain answer, or one of `ODD`."""
    number = int(hashlib.sha256("odd".join(texts).encode()).hexdigest(), 16)
    return ODD[number // 3 % len(ODD)] if number % 3 == 0 else plain(texts)


def verdict(prompt: str) -> list[tuple[str, float]]:
    """Return a judge's log-probabilities: 0.97 for yes if the answers are equal, else 0.01 to 0.41,
    by the prompt's digest.
    """
    reference = re.search(r"^Ground-truth answer: (.*)$", prompt, re.MULTILINE)
    answer = re.search(r"^Candidate answer: (.*)$", prompt, re.MULTILINE)
    if reference and answer and reference[1].strip().lower() == answer[1].strip().lower():
        yes = 0.97
    else:
        yes = 0.01 + int(hashlib.sha256(prompt.encode()).hexdigest()[:8], 16) / 2**32 * 0.4
    listed = [
        ("Yes", math.log(yes)),
        ("No", math.log(0.98 - yes)),
        ("Sim", -7.0),
        ("Maybe", -8.0),
        ("Oui", -9.0),
    ]
    return sorted(listed, key=lambda pair: -pair[1])
