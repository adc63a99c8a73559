"""Requests through a provider's SDK: no retries, no redirects, no headers but ours; every failure is an `AskError`."""

import asyncio
import base64
import json
import logging
import mimetypes
import re
import ssl
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import urlsplit

from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.providers.provider import (
    AskError,
    Provider,
    http_error,
    retry_after_seconds,
    written_fault,
)
from spiqa_tasks.judge.types import LONGEST_TOKEN, JudgeRequest, Verdict, logprobs_fault
from spiqa_tasks.printable import printable

LONGEST_MESSAGE = 300
"""Characters of a server's error message that are shown."""
_PLAIN = frozenset(
    {
        "accept",
        "accept-encoding",
        "connection",
        "content-length",
        "content-type",
        "host",
        "user-agent",
    }
)


class SdkJudge(Provider):
    """Asks one server by JSON; its requests and responses may also be lines of files, for the provider's batches."""

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
        """Return a picture at an address, or in a data URL, as part of a message."""

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
        """Return the JSON object that the server answers with; raises AskError.

        The SDK's models take anything a server says, so that its raw answer is read instead.
        """
        import httpx2

        try:
            asking = self._sdk.post(self.path, cast_to=httpx2.Response, body=body)
            response = await asyncio.wait_for(
                asking, self._config.timeout
            )  # an SDK would limit single reads
        except asyncio.TimeoutError:
            raise AskError(
                f"no answer within {self._config.timeout:g} s", retryable=True, silent=True
            ) from None
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
        return AskError(
            self._config.redact(f"in the file: {reason}")[:LONGEST_MESSAGE], retryable=False
        )

    @cached_property
    def _sdk(self) -> Any:
        import httpx2

        logging.getLogger("httpx2").setLevel(logging.WARNING)  # it logs a line for every request
        make, make_http = self.classes()
        hooks = {"request": [self._send_ours]}
        # no connection is kept: it may hold a second response to the request before
        limits = httpx2.Limits(max_connections=self._config.concurrency + 1, keepalive_expiry=0)
        base, _, query = self._config.url.partition("?")
        return make(
            base_url=base,
            default_query=dict(pair.partition("=")[::2] for pair in query.split("&") if pair),
            api_key=self._config.api_key or "none",
            max_retries=0,
            http_client=make_http(
                follow_redirects=False, event_hooks=hooks, timeout=None, limits=limits
            ),
            timeout=None,
        )

    async def _send_ours(self, request: Any) -> None:
        """Send the judge's key, and nothing that an SDK finds in the environment."""
        for name in set(request.headers) - _PLAIN:
            del request.headers[name]
        request.headers.update(self.headers(self._config))

    def _failure(self, error: Exception) -> AskError:
        """The error of an SDK, classified; one that is no failure of the request is raised again."""
        import aiohttp
        import httpx2

        if isinstance(response := getattr(error, "response", None), httpx2.Response):
            return self._http_error(response)
        causes = list(_causes(error))
        if not any(
            isinstance(cause, httpx2.HTTPError | aiohttp.ClientError | OSError) for cause in causes
        ):
            raise error
        detail = (
            next((str(cause) for cause in causes[1:] if str(cause)), "")
            or type(causes[-1]).__name__
        )
        refused = any(isinstance(cause, ssl.SSLCertVerificationError) for cause in causes)
        remedy = "check the judge's address (SPIQA_JUDGE_BASE_URL) and that its server runs"
        reached = {
            cause.host for cause in causes if isinstance(cause, aiohttp.ClientConnectorError)
        }
        if reached - {urlsplit(self._config.url).hostname}:
            remedy = "check the proxy's address (HTTPS_PROXY, HTTP_PROXY as http://host:port), or set NO_PROXY"
        if refused:
            remedy = "name the file of the authority that signed the server's certificate in SSL_CERT_FILE"
        return AskError(f"{self._config.redact(detail)}; {remedy}", retryable=not refused)

    def _http_error(self, response: Any) -> AskError:
        body = _parsed(response.content) or response.content.decode(errors="replace")
        error = body.get("error", body) if isinstance(body, dict) else body
        about = error if isinstance(error, dict) else {}
        message = about.get("message", error)
        text = message if isinstance(message, str) else json.dumps(message)
        if target := response.headers.get("Location"):
            text = f"it redirects to {target}"
        status = response.status_code
        if status == 200 and re.fullmatch("[45][0-9]{2}", str(about.get("code"))):
            status = int(about["code"])  # routers answer so
        codes = [code for code in (about.get("code"), about.get("type")) if isinstance(code, str)]
        said = self._config.redact(" ".join(text.split()))[:LONGEST_MESSAGE]
        return http_error(status, said, codes, retry_after_seconds(response.headers))


def text_of(content: Any) -> str:
    """Return a message's text, or that of its text parts; TypeError, KeyError or AttributeError if it is neither."""
    if isinstance(content, str):
        return content
    return "".join(part["text"] for part in content or () if part.get("type") == "text")


def answered(
    answer: Mapping[str, Any],
    text: str,
    stop: Any,
    pairs: list[tuple[Any, Any]],
    top: int | None,
    *counts: str,
) -> Verdict:
    """Return the verdict of a server's answer, with its model and its token counts of these names if plausible.

    `stop` is the server's reason for its end; `pairs` are the most likely first tokens with their log-probabilities, of
    which `top` were asked for (None: a written answer).

    Raises AskError, not retryable, for an answer that is no verdict: it was paid for, and would be the same again.
    """
    fault = None if pairs else written_fault(text, stop)
    fault = fault or (logprobs_fault(pairs, top) if top else None)
    if fault is not None:
        raise AskError(fault, retryable=False)
    usage, model = answer.get("usage"), answer.get("model")
    served = printable(model[:LONGEST_TOKEN]) if isinstance(model, str) and model else None
    used = (usage.get(name) if isinstance(usage, dict) else 0 for name in counts)
    plain = (count if isinstance(count, int) else 0 for count in used)
    tokens = sorted(
        ((token, float(logprob)) for token, logprob in pairs), key=lambda pair: -pair[1]
    )
    return Verdict("ok", text, tuple(tokens[:top]), served, None, False, *plain)


def _causes(error: BaseException) -> Iterator[BaseException]:
    current: BaseException | None = error
    while current is not None:
        yield current
        current = current.__cause__ or current.__context__


def _parsed(content: bytes) -> Any:
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return None


def _url(image: str) -> str:
    """A URL as it is; a local picture as a data URL."""
    if image.startswith(("http://", "https://", "data:")):
        return image
    media_type = mimetypes.guess_type(image)[0] or "image/png"
    return f"data:{media_type};base64,{base64.b64encode(Path(image).read_bytes()).decode()}"
