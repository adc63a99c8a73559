"""One rule for servers that refuse a parameter: do as the refusal says. Pure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

LEAST_LOGPROBS = 2
"""Log-probabilities that L3Score needs: one of yes, one of no."""
_LIMITS = ("max_tokens", "max_completion_tokens")
_DROPPED = ("temperature", "seed")
"""Parameters that may be left out; log-probabilities never."""
_NAMES_LIMIT = re.compile(r"max_\w*tokens")
_NUMBER = re.compile(r"(?<![\w.-])\d{1,6}(?![\w-]|\.\d)")
"""A number that stands alone: `gpt-4` and `2024-08-06` have none."""
_IS_LEAST = re.compile(
    r"at least|minimum|>=|greater than|below|too (?:small|low|few)", re.IGNORECASE
)


@dataclass(slots=True)
class Adaptation:
    """Changes to requests that a judge's server asked for by refusing them, shared by all requests.

    Attributes:
        limit_name: what the server calls `max_tokens`.
        least_tokens: its smallest limit of tokens.
        most_logprobs: the most log-probabilities that it returns, or None.
        dropped: parameters that it does not take.
    """

    limit_name: str = ""
    least_tokens: int = 0
    most_logprobs: int | None = None
    dropped: set[str] = field(default_factory=set)

    @property
    def text(self) -> str:
        """The changes, as they stand in signatures; '' without any."""
        changes = [self.limit_name] if self.limit_name else []
        if self.least_tokens:
            changes.append(f"{self.least_tokens} tokens at least")
        if self.most_logprobs is not None:
            changes.append(f"top_logprobs {self.most_logprobs} at most")
        changes += [f"no {name}" for name in sorted(self.dropped)]
        return ", ".join(changes)

    def applied(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Return a request's body as the server takes it."""
        adapted = {name: value for name, value in body.items() if name not in self.dropped}
        for name in _LIMITS:
            if name in adapted:
                limit = max(adapted.pop(name), self.least_tokens)
                adapted[self.limit_name or name] = limit
        if self.most_logprobs is not None and "top_logprobs" in adapted:
            adapted["top_logprobs"] = min(adapted["top_logprobs"], self.most_logprobs)
        return adapted

    def learn(self, message: str, body: Mapping[str, Any]) -> bool:
        """Take up what a refusal of `body` says; return whether it would now be sent otherwise."""
        numbers = [int(number) for number in _NUMBER.findall(message)]
        self._rename(message, body)
        self._raise(message, body, numbers)
        self._lower(message, body, numbers)
        self.dropped |= {name for name in _DROPPED if name in body and name in message}
        return self.applied(body) != body

    def _rename(self, message: str, body: Mapping[str, Any]) -> None:
        if "max_tokens" in body and "max_completion_tokens" in message:
            self.limit_name = "max_completion_tokens"

    def _raise(self, message: str, body: Mapping[str, Any], numbers: list[int]) -> None:
        sent = max((body[name] for name in _LIMITS if name in body), default=0)
        larger = [number for number in numbers if number > sent]
        if sent and larger and _NAMES_LIMIT.search(message) and _IS_LEAST.search(message):
            self.least_tokens = min(larger)

    def _lower(self, message: str, body: Mapping[str, Any], numbers: list[int]) -> None:
        sent = body.get("top_logprobs", 0)
        smaller = [number for number in numbers if LEAST_LOGPROBS <= number < sent]
        if smaller and "logprobs" in message:
            self.most_logprobs = max(smaller)
