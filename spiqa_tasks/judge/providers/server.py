"""What providers with a server share: requests over HTTP, batches through their SDK, pictures in messages.

An SDK sends our own headers alone, to one host alone, and its errors become one sentence.
"""

from __future__ import annotations

import base64
import mimetypes
import time
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from spiqa_tasks.errors import JudgeError
from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.providers.declaration import BatchApi, BatchError
from spiqa_tasks.judge.retry import AskError
from spiqa_tasks.judge.types import JudgeRequest

LONGEST_LIST, LONGEST_LINE, LONGEST_DOWNLOAD = 10_000, 16 << 20, 3600.0
"""Newest batches of a server's list, bytes of one response and seconds for all; no honest ones are longer."""
RETRIES = 2
_PLAIN = frozenset({"accept", "accept-encoding", "connection", "content-length", "content-type", "host", "user-agent"})


class ServerApi(BatchApi):
    """Asks one server by JSON under the judge's base URL, or through its batches."""

    fingerprint = ""

    def __init__(self, config: JudgeConfig) -> None:
        from spiqa_tasks.judge.providers.http_client import JsonClient

        self._config = config
        self._extra = config.extra_fields
        self._client = JsonClient(config, self.headers(config))

    @staticmethod
    @abstractmethod
    def headers(config: JudgeConfig) -> dict[str, str]:
        """Return the headers of every request, with the judge's key."""

    @staticmethod
    @abstractmethod
    def image_part(url: str) -> dict[str, Any]:
        """Return the part of a message that shows a picture."""

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    def content_of(self, request: JudgeRequest) -> str | list[dict[str, Any]]:
        """Return the prompt, or its part after those of the pictures.

        Half a surrogate pair, which is no text and which servers refuse, becomes a question mark.
        """
        prompt = request.prompt.encode("utf-8", "replace").decode()
        if not request.images:
            return prompt
        return [*(self.image_part(_url(image)) for image in request.images), {"type": "text", "text": prompt}]

    def sdk_options(self, http_client: Callable[..., Any]) -> dict[str, Any]:
        """Return what every SDK's client is made with beside its address.

        Whatever an SDK finds in the environment stays here: a request has the plain headers of HTTP and our own, and
        goes to the judge's host, wherever an answer points.
        """
        config = self._config

        def check(request: Any) -> None:
            url, ours = request.url, type(request.url)(config.url)
            if (url.scheme, url.host, url.port) != (ours.scheme, ours.host, ours.port):
                raise BatchError(config.name, f"an answer that points to another host, {url.host}")
            for name in set(request.headers) - _PLAIN:
                if not name.startswith("x-stainless-"):  # the SDK reads them again
                    del request.headers[name]
            request.headers.update(self.headers(config))

        client = http_client(follow_redirects=False, event_hooks={"request": [check]}, timeout=config.timeout)
        return {"api_key": config.api_key or "none", "max_retries": RETRIES, "http_client": client}

    def lines_of(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """Yield the lines of a download; BatchError where it has no end."""
        rest, end = b"", time.monotonic() + LONGEST_DOWNLOAD
        for chunk in chunks:
            *lines, rest = (rest + chunk).split(b"\n")
            yield from lines
            if len(rest) > LONGEST_LINE or time.monotonic() > end:
                raise BatchError(self._config.name, "responses without end")
        yield rest

    def unanswered(self, *said: Any) -> AskError:
        """Return what a response without an answer raises."""
        reason = " ".join(str(each) for each in said if each) or "no answer"
        return AskError(self._config.redact(f"in the batch: {reason}")[:300], retryable=False)


def listed(page: Any) -> Iterator[Any]:
    """Yield the batches of a list from its first page on; TypeError where that is none."""
    if not isinstance(page.data, list):
        raise TypeError("no list of batches")
    return islice(page, LONGEST_LIST)


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


def _url(image: str) -> str:
    """A URL as it is; a local picture as a data URL, of the media type that its name has, else image/png."""
    if image.startswith(("http://", "https://", "data:")):
        return image
    media_type = mimetypes.guess_type(image)[0] or "image/png"
    return f"data:{media_type};base64,{base64.b64encode(Path(image).read_bytes()).decode()}"
