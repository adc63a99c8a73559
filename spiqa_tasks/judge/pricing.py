"""What common judges cost, as their makers listed it; unknown models have no price rather than a guessed one."""

from __future__ import annotations

import re

PRICES_AS_OF = "2025-06"

# US dollars per million tokens: (prompt, completion).
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


def cost(model: str, prompt_tokens: int, completion_tokens: int) -> float | None:
    """US dollars for these tokens; None for a model without a known price. A dated name counts as its base name."""
    price = PRICES.get(model) or PRICES.get(_DATE.sub("", model))
    if price is None:
        return None
    return (prompt_tokens * price[0] + completion_tokens * price[1]) / 1e6


def estimated_tokens(text: str) -> int:
    """Roughly how many tokens a text has: one per four characters, and ten for the message around it."""
    return len(text) // _CHARACTERS_PER_TOKEN + 10
