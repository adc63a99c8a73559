"""How the host marks an answer that is none."""

from __future__ import annotations

from spiqa_tasks.benchmarks.record import Response

FAILURE_MARKERS = ("Failed to obtain answer", "Fail to obtain answer")
"""What an answer begins with whose request failed; an API model's empty answer becomes one, too."""

LONGEST_REASON = 300


def is_request_failure(text: str) -> bool:
    """Return whether `text` is the host's mark of a failed request rather than a model's answer."""
    return text.lstrip().startswith(FAILURE_MARKERS)


def response_of(text: str) -> Response:
    """Return an answer of the host: its text, or why the request for it failed."""
    return Response("", text[:LONGEST_REASON]) if is_request_failure(text) else Response(text)
