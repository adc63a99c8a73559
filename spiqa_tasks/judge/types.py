"""What goes into the judge engine and what comes out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from spiqa_tasks.printable import printable

Kind = Literal["logprobs", "text"]


@dataclass(frozen=True, slots=True)
class JudgeRequest:
    """One question to the judge.

    `kind` is "logprobs" for the most likely first tokens or "text" for a written answer. `images` are local paths or
    http(s)/data URLs. `top_logprobs` is how many first tokens to return; words in `lookup` (lower case) are looked up
    in the judge's whole vocabulary and returned in addition, which only `hf:` judges can do. `cut` says that the answer
    in the prompt is not whole; it shapes no verdict.
    """

    prompt: str
    kind: Kind = "logprobs"
    system: str | None = None
    images: tuple[str, ...] = ()
    max_tokens: int = 1
    temperature: float = 0.0
    top_logprobs: int = 5
    lookup: tuple[str, ...] = ()
    cut: bool = False

    @property
    def top(self) -> int | None:
        """How many log-probabilities it asks for; None where it wants a written answer."""
        return self.top_logprobs if self.kind == "logprobs" else None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the judge said, or why it said nothing.

    `status` is "ok" or "judge_failed" (then `reason` says why and the other fields are empty). `top_logprobs` holds
    `(token, natural log of its probability)`, most likely first. `model` is the name the server itself reported.
    `cached` says that no request was made for it, `seconds` is how long the successful request took.
    """

    status: Literal["ok", "judge_failed"]
    text: str = ""
    top_logprobs: tuple[tuple[str, float], ...] = ()
    model: str | None = None
    reason: str | None = None
    cached: bool = False
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0

    @property
    def ok(self) -> bool:
        """Whether the judge answered."""
        return self.status == "ok"


def failed(reason: str) -> Verdict:
    """The verdict of a judgement that could not be had."""
    return Verdict("judge_failed", reason=printable(reason))
