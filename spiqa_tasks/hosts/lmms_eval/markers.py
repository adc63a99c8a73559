"""How the host marks an answer that is none."""

from __future__ import annotations

from spiqa_tasks.benchmarks.record import Response

FAILURE_MARKERS = ("[LMMS_EVAL_REQUEST_FAILED", "[LMMS_EVAL_BUDGET_EXCEEDED")
"""What an answer begins with whose request failed, or was not made because the budget was spent."""

LONGEST_REASON = 300


def is_request_failure(text: str) -> bool:
    """Return whether `text` is the host's marker of a failed request rather than a model's answer."""
    return text.lstrip().startswith(FAILURE_MARKERS)


def response_of(text: str, shown: tuple[str, ...] | None = None, truncated: bool | None = None) -> Response:
    """Return an answer of the host: its text, or why the request for it failed."""
    if is_request_failure(text):
        return Response("", text[:LONGEST_REASON], shown)
    return Response(text, None, shown, truncated)
