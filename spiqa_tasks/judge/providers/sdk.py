"""The official SDKs, which batches go through: one host and our own headers alone, their errors as one sentence."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from typing import Any

from spiqa_tasks.errors import JudgeError
from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.providers.declaration import BatchError
from spiqa_tasks.judge.retry import AskError

LONGEST_LIST, LONGEST_LINE, LONGEST_DOWNLOAD = 10_000, 16 << 20, 3600.0
"""Newest batches of a server's list, bytes of one response and seconds for all; no honest ones are longer."""
RETRIES = 2
_PLAIN = frozenset({"accept", "accept-encoding", "connection", "content-length", "content-type", "host", "user-agent"})


@contextmanager
def told(config: JudgeConfig) -> Iterator[None]:
    """Turn whatever an SDK raises, also on answers of an unknown shape, into a BatchError without the key."""
    try:
        yield
    except JudgeError:
        raise
    except Exception as error:
        cause = error.__cause__ or error
        reason = config.redact(" ".join(str(cause).split()))[:300] or type(cause).__name__
        raise BatchError(config.name, reason, getattr(error, "status_code", None)) from None


def client_options(config: JudgeConfig, http_client: Callable[..., Any], headers: Mapping[str, str]) -> dict[str, Any]:
    """Return what every SDK's client is made with beside its address.

    Whatever an SDK finds in the environment stays here: a request has the plain headers of HTTP and `headers`, and
    goes to the judge's host, wherever an answer points.
    """

    def check(request: Any) -> None:
        url, ours = request.url, type(request.url)(config.url)
        if (url.scheme, url.host, url.port) != (ours.scheme, ours.host, ours.port):
            raise BatchError(config.name, f"an answer that points to another host, {url.host}")
        for name in set(request.headers) - _PLAIN:
            if not name.startswith("x-stainless-"):  # the SDK reads them again
                del request.headers[name]
        request.headers.update(headers)

    client = http_client(follow_redirects=False, event_hooks={"request": [check]}, timeout=config.timeout)
    return {"api_key": config.api_key or "none", "max_retries": RETRIES, "http_client": client}


def listed(page: Any) -> Iterator[Any]:
    """Yield the batches of a list from its first page on; TypeError where that is none."""
    if not isinstance(page.data, list):
        raise TypeError("no list of batches")
    return islice(page, LONGEST_LIST)


def lines_of(config: JudgeConfig, chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the lines of a download; BatchError where it has no end."""
    rest, end = b"", time.monotonic() + LONGEST_DOWNLOAD
    for chunk in chunks:
        *lines, rest = (rest + chunk).split(b"\n")
        yield from lines
        if len(rest) > LONGEST_LINE or time.monotonic() > end:
            raise BatchError(config.name, "responses without end")
    yield rest


def unanswered(config: JudgeConfig, *said: Any) -> AskError:
    """Return what a response without an answer raises."""
    reason = " ".join(str(each) for each in said if each) or "no answer"
    return AskError(config.redact(f"in the batch: {reason}")[:300], retryable=False)
