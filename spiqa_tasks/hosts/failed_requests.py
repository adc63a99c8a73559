"""Answers that are none: what hosts and clients write in the place of an answer whose request failed."""

from __future__ import annotations

import re

from spiqa_tasks.benchmarks.record import Response

FAILURE_MARKERS = (
    *("[LMMS_EVAL_REQUEST_FAILED", "[LMMS_EVAL_BUDGET_EXCEEDED"),
    *("Failed to obtain answer", "Fail to obtain answer"),
)
"""What lmms-eval and VLMEvalKit begin such an answer with; of VLMEvalKit's APIs an empty answer becomes one, too."""
_NAMES = (
    "(?:API|APIConnection|APIStatus|APITimeout|Authentication|BadRequest|Connect|Connection|HTTP|HTTPStatus"
    "|InternalServer|JSONDecode|NotFound|OutOfMemory|Overloaded|PermissionDenied|RateLimit|RemoteProtocol|SSL|Timeout"
    "|UnprocessableEntity)(?:Error|Exception)"
    "|ConnectTimeout|DeadlineExceeded|ReadTimeout|ResourceExhausted|ServiceUnavailable|TooManyRequests"
)
"""Exceptions of clients."""
_ERROR = re.compile(
    r"(?:error code: [45]\d\d\b"
    r"|(?:http(?: ?error)?|status(?: code)?|error)[ :]{1,2}[45]\d\d\b"
    r"|[45]\d\d (?:client error|server error|too many requests|bad gateway|service unavailable|internal server error"
    r"|gateway time-?out)"
    rf"|(?:\w+\.){{0,5}}(?:{_NAMES})[(:]"
    r"|traceback \(most recent call last\)|cuda out of memory|cuda error:"
    r"|[{]\s*['\"]error['\"]\s*:|<!doctype html|<html"
    r"|(?:connection error|request timed out|rate limit (?:exceeded|reached))(?:$|[.:]))",
    re.IGNORECASE,
)
"""What a client's or server's error reads like at the beginning of a text."""

LONGEST_REASON = 300


def is_request_failure(text: str) -> bool:
    """Return whether `text` is a host's mark of a failed request, or the text of an error, and no model's answer."""
    start = text.lstrip()
    return start.startswith(FAILURE_MARKERS) or _ERROR.match(start) is not None


def response_of(text: str, shown: tuple[str, ...] | None = None, truncated: bool | None = None) -> Response:
    """Return an answer: its text, or why the request for it failed."""
    if is_request_failure(text):
        return Response("", text[:LONGEST_REASON], shown)
    return Response(text, None, shown, truncated)
