"""Requests through a provider's SDK: no retries, no redirects, no headers but ours; every failure is an `AskError`."""

import asyncio
import base64
import json
import logging
import mimetypes
import re
import ssl
import sys
import time
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import urlsplit

from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.providers.provider import (
    AskError,
    HttpError,
    Provider,
    retry_after_seconds,
    written_fault,
)
from spiqa_tasks.judge.types import LONGEST_TOKEN, JudgeRequest, Verdict, logprobs_fault, token_count
from spiqa_tasks.printable import printable

LARGEST_ANSWER = 16 << 20
"""Bytes of an answer's body that are read; no honest one is larger."""
LONGEST_MESSAGE = 300
"""Characters of a server's error message that are shown."""
_PLAIN = frozenset({"accept", "accept-encoding", "connection", "content-length", "content-type", "host", "user-agent"})


class SdkJudge(Provider):
    """Asks one server by JSON; its requests and responses may also be lines of files, for the provider's batches."""

    sees_pictures = True
    path: ClassVar[str]
    """Path of requests under the base URL."""

    @staticmethod
    @abstractmethod
    def classes() -> tuple[Callable[..., Any], Callable[..., Any]]:
        """Return the SDK's classes of asynchronous clients, and of HTTP clients over aiohttp, the fastest there are."""

    @staticmethod
    @abstractmethod
    def headers(config: JudgeConfig) -> dict[str, str]:
        """Return the headers of every request, with the judge's key."""

    @staticmethod
    @abstractmethod
    def image_part(url: str) -> dict[str, Any]:
        """Return a picture as part of a message."""

    @abstractmethod
    def line(self, key: str, request: JudgeRequest) -> dict[str, Any]:
        """Return the line of a request, under its key of 64 hexadecimal digits as `custom_id`."""

    @abstractmethod
    def verdict(self, response: Mapping[str, Any], top: int | None) -> Verdict:
        """Return the verdict in the line of a response to a request for `top` log-probabilities; raises AskError."""

    async def aclose(self) -> None:
        """Close the connections."""
        if "_sdk" in vars(self):
            await self._sdk.close()

    async def post(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Return the JSON object that the server answers with; raises AskError (HttpError for an error status).

        The SDK's models take anything a server says, so that its raw answer is read instead.
        """
        import httpx2

        try:
            asking = self._sdk.post(self.path, cast_to=httpx2.Response, body=body)
            response = await asyncio.wait_for(asking, self._config.timeout)  # an SDK would limit single reads
        except asyncio.TimeoutError:
            raise AskError(f"no answer within {self._config.timeout:g} s", retryable=True, silent=True) from None
        except Exception as error:
            raise self._failure(error) from None
        answer = _parsed(response.content)
        if not isinstance(answer, dict):
            raise AskError("the server's answer is not a JSON object", retryable=True)
        if answer.get("error"):
            raise self._http_error(response)
        return answer

    def common_body(self, request: JudgeRequest) -> dict[str, Any]:
        """Return extra fields, model and message: the prompt, behind the pictures if any.

        Half a surrogate pair, which is no text and which servers refuse, becomes a question mark.
        """
        content: Any = request.prompt.encode("utf-8", "replace").decode()
        if request.images:
            pictures = (self.image_part(_url(image)) for image in request.images)
            content = [*pictures, {"type": "text", "text": content}]
        messages = [{"role": "user", "content": content}]
        return {**self._config.extra_fields, "model": self._config.model, "messages": messages}

    def unanswered(self, *reasons: Any) -> AskError:
        """Return the error of a response's line without an answer."""
        reason = " ".join(str(reason) for reason in reasons if reason) or "no answer"
        return AskError(self._config.redact(f"in the file: {reason}")[:LONGEST_MESSAGE], retryable=False)

    @cached_property
    def _sdk(self) -> Any:
        import httpx2

        logging.getLogger("httpx2").setLevel(logging.WARNING)  # it logs a line for every request
        hooks = {"request": [self._send_ours], "response": [_read_whole]}
        make, make_http = self.classes()
        # no connection is kept: it may hold a second response to the request before
        limits = httpx2.Limits(max_connections=self._config.concurrency + 1, keepalive_expiry=0)
        base, _, query = self._config.url.partition("?")
        return make(
            base_url=base,
            default_query=dict(pair.partition("=")[::2] for pair in query.split("&") if pair),
            api_key=self._config.api_key or "none",
            max_retries=0,
            http_client=make_http(follow_redirects=False, event_hooks=hooks, timeout=None, limits=limits),
            timeout=None,
        )

    async def _send_ours(self, request: Any) -> None:
        """Keep whatever an SDK finds in the environment here, and the key with the judge's host."""
        ours = urlsplit(self._config.url)
        if (request.url.scheme, request.url.host) != (ours.scheme, ours.hostname):
            raise AskError(f"the SDK would ask another host, {request.url.host}", retryable=False)
        for name in set(request.headers) - _PLAIN:
            del request.headers[name]
        request.headers.update(self.headers(self._config))

    def _failure(self, error: Exception) -> AskError:
        """The error of an SDK, classified; one that is no failure of the request is raised again."""
        import aiohttp
        import httpx2

        causes = list(_causes(error))
        for cause in causes:
            if isinstance(cause, AskError):
                return cause
            if isinstance(response := getattr(cause, "response", None), httpx2.Response):
                return self._http_error(response)
        if not any(isinstance(cause, httpx2.HTTPError | aiohttp.ClientError | OSError) for cause in causes):
            raise error
        detail = next((str(cause) for cause in causes[1:] if str(cause)), "") or type(causes[-1]).__name__
        refused = any(isinstance(cause, ssl.SSLCertVerificationError) for cause in causes)
        remedy = "check the judge's address (SPIQA_JUDGE_BASE_URL) and that its server runs"
        reached = {cause.host for cause in causes if isinstance(cause, aiohttp.ClientConnectorError)}
        if reached - {urlsplit(self._config.url).hostname}:
            remedy = (
                "check the proxy's address (HTTPS_PROXY, HTTP_PROXY as http://host:port) or name the host in NO_PROXY"
            )
        if refused:
            remedy = "name the file of the authority that signed the server's certificate in SSL_CERT_FILE"
        return AskError(f"{self._config.redact(detail)}; {remedy}", retryable=not refused)

    def _http_error(self, response: Any) -> HttpError:
        parsed = _parsed(response.content)
        body = response.content.decode(errors="replace") if parsed is None else parsed
        error = body.get("error") if isinstance(body, dict) else None
        codes = [error.get("code"), error.get("type")] if isinstance(error, dict) else []
        status = response.status_code
        if status == 200 and isinstance(error, dict) and re.fullmatch("[45][0-9]{2}", str(error.get("code"))):
            status = int(error["code"])  # routers answer so
        target = response.headers.get("Location", "") if 300 <= response.status_code < 400 else ""
        return HttpError(
            status,
            self._config.redact(f"it redirects to {target[:LONGEST_MESSAGE]}") if target else self._message(body),
            codes=[code for code in codes if isinstance(code, str)],
            retry_after=retry_after_seconds(response.headers, time.time()),
        )

    def _message(self, body: Any) -> str:
        error = body.get("error", body) if isinstance(body, dict) else body
        message = error.get("message", error) if isinstance(error, dict) else error
        text = message if isinstance(message, str) else json.dumps(message)
        return self._config.redact(" ".join(text.split()))[:LONGEST_MESSAGE]


def text_of(content: Any) -> str:
    """Return a message's text, or that of its text parts; TypeError, KeyError or AttributeError if it is neither."""
    if isinstance(content, str):
        return content
    return "".join(part["text"] for part in content or () if part.get("type") == "text")


def answered(
    answer: Mapping[str, Any], text: str, stop: Any, pairs: list[tuple[Any, Any]], top: int | None, *counts: str
) -> Verdict:
    """Return the verdict of a server's answer, with its model and its token counts of these names if plausible.

    Args:
        stop: why the answer ended there, in the server's word.
        pairs: the most likely first tokens with their log-probabilities, of which `top` were asked for; None asked for
            a written answer.

    Raises AskError, not retryable, for an answer that is no verdict: it was paid for, and would be the same again.
    """
    with suppress(TypeError):  # values that cannot be compared are at fault anyway
        pairs.sort(key=lambda pair: -pair[1])
    fault = None if pairs else written_fault(text, stop)
    fault = fault or (logprobs_fault(pairs, top) if top else None)
    if fault is not None:
        raise AskError(fault, retryable=False)
    usage, model = answer.get("usage"), answer.get("model")
    served = sys.intern(printable(model[:LONGEST_TOKEN])) if isinstance(model, str) and model else None
    used = (token_count(usage.get(name)) if isinstance(usage, dict) else 0 for name in counts)
    tokens = tuple((sys.intern(token), float(logprob)) for token, logprob in pairs[:top])
    return Verdict("ok", text, tokens, served, None, False, *used)


async def _read_whole(response: Any) -> None:
    """Read a body, unpacked, up to `LARGEST_ANSWER`; the SDKs read without a limit."""
    content = bytearray()
    async for piece in response.aiter_bytes():
        content += piece
        if len(content) > LARGEST_ANSWER:
            raise AskError(f"the server's answer is larger than {LARGEST_ANSWER >> 20} MB", retryable=False)
    response._content = bytes(content)  # where httpx2 looks whether a body has been read


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The error, what it was raised from, and so on."""
    current: BaseException | None = error
    while current is not None:
        yield current
        current = current.__cause__ or current.__context__


def _parsed(content: bytes) -> Any:
    """The JSON value; None where it is none, or nested too deeply to be read."""
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return None


def _url(image: str) -> str:
    """A URL as it is; a local picture as a data URL, of the media type that its name has, else image/png."""
    if image.startswith(("http://", "https://", "data:")):
        return image
    media_type = mimetypes.guess_type(image)[0] or "image/png"
    return f"data:{media_type};base64,{base64.b64encode(Path(image).read_bytes()).decode()}"
