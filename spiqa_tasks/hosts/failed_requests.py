"""Detect the marks that hosts log in place of an answer if a request failed."""

import re

from spiqa_tasks.benchmarks.record import Response

# Beginnings of texts that the hosts themselves write.
#
# Texts that only look like an error are answers: `HTTP 404` and `Error: 512` are right ones to some
# questions.
FAILURE_MARKERS = (
    # lmms-eval: the model's API gave up, or the budget of tokens was spent
    "[LMMS_EVAL_REQUEST_FAILED",
    "[LMMS_EVAL_BUDGET_EXCEEDED",
    # VLMEvalKit, whose APIs also write one for an empty answer
    "Failed to obtain answer",
    "Fail to obtain answer",
)

# What lmms-eval's `async_openai` makes of a null, such as of a model that only reasoned.
NULL = 'Error: can only concatenate str (not "NoneType") to str'

# The beginning of a server's error, which has one of the words of `_CAUSE`; a number alone is the
# right answer to some questions.
_ERROR = re.compile(
    r"\W*(?:[\w.]+ ?)?(?:error|exception|failed|failure|http|timeout|[45]\d\d)\b", re.IGNORECASE
)
_CAUSE = re.compile(
    r"rate.?limit|too many requests|quota|timed? ?out|timeout|connection|overloaded|api.?key"
    r"|unauthorized|bad gateway|unavailable|internal server|error code",
    re.IGNORECASE,
)
# Characters in which a server names the cause.
_FIRST = 150

# Characters kept of an error message, which may be a page of HTML.
LONGEST_REASON = 300


def is_request_failure(text: str) -> bool:
    """Return whether `text` begins with a host's failure marker."""
    return text.lstrip().startswith(FAILURE_MARKERS)


def reads_like_failure(text: str) -> bool:
    """Return whether an answer reads like the error of a server: people decide whether it is."""
    return bool(_ERROR.match(text) and _CAUSE.search(text[:_FIRST]))


def response_of(
    text: str, shown: tuple[str, ...] | None = None, truncated: bool | None = None
) -> Response:
    """Return the response of a host's text: the answer, '' for a null, or the failure of its
    request.
    """
    if is_request_failure(text):
        return Response("", text[:LONGEST_REASON], shown)
    return Response("" if text == NULL else text, None, shown, truncated)
