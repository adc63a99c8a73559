"""What goes into the judge engine and what comes out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from spiqa_tasks.printable import printable


@dataclass(frozen=True, slots=True)
class JudgeRequest:
    """One question to the judge.

    `top_logprobs` is how many of the most likely first tokens to return; None asks for a written answer of at most
    `max_tokens`. `images` are local paths or http(s)/data URLs. Words in `lookup` (lower case) are looked up in the
    judge's whole vocabulary and returned in addition, which only `hf:` judges can do. `cut` marks a prompt whose answer
    was shortened, `suspicious` one whose answer may speak to the judge; they shape no verdict. `repeat` tells askings
    of the same question apart, which have verdicts of their own; nothing of it is sent.
    """

    prompt: str
    system: str | None = None
    images: tuple[str, ...] = ()
    max_tokens: int = 1
    temperature: float = 0.0
    top_logprobs: int | None = 5
    lookup: tuple[str, ...] = ()
    cut: bool = False
    suspicious: bool = False
    repeat: int = 0


@dataclass(frozen=True, slots=True)
class Verdict:
    """A judge's answer to a request, or the reason of its failure.

    `status` is "ok" or "judge_failed" (then `reason` is set and the other fields are empty). `top_logprobs` holds
    `(token, natural log of its probability)`, most likely first. `model` is the name the server itself reported.
    `cached` marks a verdict of the cache.
    """

    status: Literal["ok", "judge_failed"]
    text: str = ""
    top_logprobs: tuple[tuple[str, float], ...] = ()
    model: str | None = None
    reason: str | None = None
    cached: bool = False
    prompt_tokens: int = 0
    completion_tokens: int = 0

    @property
    def ok(self) -> bool:
        """Whether the judge answered."""
        return self.status == "ok"

    @property
    def unread(self) -> str:
        """Why a rule has no score for it."""
        return self.reason or f"the judge's answer {self.text[:40]!r} is none of its rule's verdicts"


def failed(reason: str) -> Verdict:
    """Return the verdict of a judgement that failed."""
    return Verdict("judge_failed", reason=printable(reason))
