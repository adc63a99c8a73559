"""Detect error messages logged in place of an answer."""

import re

from spiqa_tasks.benchmarks.record import Response

FAILURE_MARKERS = (
    *("[LMMS_EVAL_REQUEST_FAILED", "[LMMS_EVAL_BUDGET_EXCEEDED"),
    *("Failed to obtain answer", "Fail to obtain answer"),
)
"""Prefixes by lmms-eval and by VLMEvalKit, whose APIs also write one for an empty answer."""
_NAMES = (
    "(?:API|APIConnection|APIStatus|APITimeout|Authentication|BadRequest|Connect|Connection|HTTP|HTTPStatus"
    "|InternalServer|JSONDecode|NotFound|OutOfMemory|Overloaded|PermissionDenied|RateLimit|RemoteProtocol|SSL|Timeout"
    "|UnprocessableEntity)(?:Error|Exception)"
    "|ConnectTimeout|DeadlineExceeded|ReadTimeout|ResourceExhausted|ServiceUnavailable|TooManyRequests"
)
"""Exception names of HTTP and model clients."""
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
"""Errors of clients and servers at the start of a text; only there, as answers may quote them."""

LONGEST_REASON = 300
"""Characters kept of an error message, which may be a page of HTML."""


def is_request_failure(text: str) -> bool:
    """Return whether `text` is a host's failure marker or an error message instead of an answer."""
    start = text.lstrip()
    return start.startswith(FAILURE_MARKERS) or _ERROR.match(start) is not None


def response_of(
    text: str, shown: tuple[str, ...] | None = None, truncated: bool | None = None
) -> Response:
    """Return the response of a logged text: the answer, or the failure of its request."""
    if is_request_failure(text):
        return Response("", text[:LONGEST_REASON], shown)
    return Response(text, None, shown, truncated)
