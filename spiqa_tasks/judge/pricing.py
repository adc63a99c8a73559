"""List prices of common judges; unknown models have no price rather than a guessed one."""

from __future__ import annotations

import math
import re

from spiqa_tasks.errors import JudgeError

PRICE_VARIABLE = "SPIQA_JUDGE_PRICE"

# US dollars per million tokens, (prompt, completion), as of June 2025.
PRICES: dict[str, tuple[float, float]] = {
    "gpt-3.5-turbo": (0.50, 1.50),
    "gpt-4": (30.00, 60.00),
    "gpt-4-turbo": (10.00, 30.00),
    "gpt-4.1": (2.00, 8.00),
    "gpt-4.1-mini": (0.40, 1.60),
    "gpt-4.1-nano": (0.10, 0.40),
    "gpt-4o": (2.50, 10.00),
    "gpt-4o-2024-05-13": (5.00, 15.00),
    "gpt-4o-mini": (0.15, 0.60),
    "claude-3-haiku-20240307": (0.25, 1.25),
    "claude-3-5-haiku-20241022": (0.80, 4.00),
    "claude-3-5-sonnet-20241022": (3.00, 15.00),
}

_DATE = re.compile(r"-\d{4}-\d{2}-\d{2}$|-\d{4}$")
_CHARACTERS_PER_TOKEN = 4
"""Average of English text under the tokenizers of OpenAI."""


def list_price(model: str) -> tuple[float, float] | None:
    """Return a model's list price, US dollars per million prompt and completion tokens; None where it is not known.

    A dated name counts as its base name.
    """
    return PRICES.get(model) or PRICES.get(_DATE.sub("", model))


def parse_price(text: str) -> tuple[float, float] | None:
    """Return the price written as `PROMPT,COMPLETION`, US dollars per million tokens; None for an empty text.

    Raises:
        JudgeError: anything else.
    """
    if not text.strip():
        return None
    try:
        prompt, completion = (float(part) for part in text.split(","))
        usable = 0 <= prompt < math.inf and 0 <= completion < math.inf
    except ValueError:
        usable = False
    if not usable:
        raise JudgeError(
            f"Expected the judge's price as PROMPT,COMPLETION in US dollars per million tokens (0.10,0.40), "
            f"found {text!r}. Correct {PRICE_VARIABLE} or --judge-price."
        )
    return prompt, completion


def estimated_tokens(text: str) -> int:
    """Return an estimate of the tokens of a message: one per four characters, and ten for its frame."""
    return len(text) // _CHARACTERS_PER_TOKEN + 10
