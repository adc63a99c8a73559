"""Requests through OpenAI's SDK, to any server: no retries, redirects or headers but ours."""

import asyncio
import base64
import json
import logging
import mimetypes
import re
import ssl
from abc import abstractmethod
from dataclasses import replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import parse_qsl, urlsplit
from urllib.request import getproxies, proxy_bypass

from spiqa_tasks.judge.providers.provider import (
    Json,
    Provider,
    RequestError,
    http_error,
    retry_after_seconds,
)
from spiqa_tasks.judge.types import JudgeConfig, JudgeRequest, Verdict
from spiqa_tasks.printable import printable

# Characters of a server's error message that are shown.
LONGEST_MESSAGE = 300

# Characters of the name that a server gives its model: far beyond any name.
_LONGEST_NAME = 1_000

# Times that one request is asked again in other parameters.
MOST_ADAPTATIONS = 4

# Headers of HTTP itself; an SDK's others stay here, as they may hold what its environment has.
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
    """Asks one server by JSON, in the parameters that the server takes (`Adaptation`).

    A provider whose API is another's is a subclass of that one's class, with its own `name`, `url`
    and `key_variable`.
    """

    path: ClassVar[str]
    """Path of requests under the base URL."""

    @staticmethod
    @abstractmethod
    def headers(config: JudgeConfig) -> dict[str, str]:
        """Return the headers with the key: `{"Authorization": "Bearer ..."}`; {} without one."""

    @staticmethod
    @abstractmethod
    def image_part(media_type: str, data: str) -> Json:
        """Return a picture, its file in base64, as part of a message."""

    @staticmethod
    @abstractmethod
    def verdict_of(answer: Json, request: JudgeRequest) -> Verdict:
        """Return the verdict of a server's answer; raises RequestError if it is none."""

    def body(self, request: JudgeRequest) -> Json:
        """Return the parameters of a request as the rule wants it, extra fields first.

        Half a surrogate pair, which is no text and which servers refuse, becomes a question mark.
        """
        content: Any = request.prompt.encode("utf-8", "replace").decode()
        if request.images:
            pictures = [self.image_part(*_encoded(image)) for image in request.images]
            content = [*pictures, {"type": "text", "text": content}]
        return {
            **self._config.extra_fields,
            "model": self._config.model,
            "messages": [{"role": "user", "content": content}],
            "max_tokens": request.max_tokens + request.thoughts,
            "temperature": float(request.draws > 0),
        }

    async def ask(self, request: JudgeRequest) -> Verdict:
        """Return the judge's verdict; send a request again without what the server complains about.

        Raises RequestError: it failed for another reason.
        """
        body = self.body(request)
        adaptation = self._adaptation
        for _ in range(MOST_ADAPTATIONS):
            sent = adaptation.applied(body)
            try:
                return await self._ask(sent, request)
            except RequestError as error:
                if not error.complaint:
                    raise
                adaptation.learn(error.complaint, sent)
                if adaptation.applied(body) == sent:
                    raise  # nothing was learned
        return await self._ask(adaptation.applied(body), request)

    async def _ask(self, body: Json, request: JudgeRequest) -> Verdict:
        """Return the verdict on one body, with the parameters that the server made us change."""
        verdict = self.verdict_of(await self.post(body), request)
        return replace(verdict, adapted=self._adaptation.text)

    async def aclose(self) -> None:
        if "_client" in vars(self):  # made for the first request
            await self._client.close()

    async def post(self, body: Json) -> Json:
        """Return the JSON object that the server answers with; raises RequestError.

        The SDK's models take anything a server says, so that its raw answer is read instead.
        """
        import httpx2

        try:
            # not `with_raw_response`, which needs a header of the SDK sent
            sent = self._client.post(self.path, cast_to=httpx2.Response, body=body)
            # an SDK would limit single reads, and a server that drips is never done
            response = await asyncio.wait_for(sent, self._config.timeout)
        except asyncio.TimeoutError:
            reason = f"no answer within {self._config.timeout:g} s"
            raise RequestError(reason, retryable=True, silent=True) from None
        except Exception as error:
            raise self._failure(error) from None

        answer = _parsed(response.content)
        if not isinstance(answer, dict):
            raise RequestError("the server's answer is not a JSON object", retryable=True)
        if answer.get("error"):
            raise self._http_error(response)
        return answer

    @cached_property
    def _client(self) -> Any:
        """Return the SDK's client, which neither retries nor follows redirects: the loop does."""
        import httpx2
        import openai

        logging.getLogger("httpx2").setLevel(logging.WARNING)  # it logs a line for every request
        _refuse_socks(self._config.url)
        # no connection is kept: it may hold a second response to the request before
        limits = httpx2.Limits(max_connections=self._config.concurrency + 1, keepalive_expiry=0)
        http_client = openai.DefaultAioHttpClient(
            follow_redirects=False,
            event_hooks={"request": [self._send_ours]},
            timeout=None,
            limits=limits,
            verify=_trusted(),
        )
        base, _, query = self._config.url.partition("?")
        return openai.AsyncOpenAI(
            base_url=base,
            default_query=dict(parse_qsl(query, keep_blank_values=True)),
            api_key=self._config.api_key or "none",
            max_retries=0,
            http_client=http_client,
            timeout=None,
        )

    async def _send_ours(self, request: Any) -> None:
        """Send the judge's key, and nothing that an SDK finds in the environment."""
        for name in set(request.headers) - _PLAIN:
            del request.headers[name]
        request.headers.update(self.headers(self._config))
        request.headers.update(self._config.headers)

    def _failure(self, error: Exception) -> RequestError:
        """Classify the error of an SDK; one that is no failure of the request is raised again."""
        import aiohttp
        import httpx2

        response = getattr(error, "response", None)
        if isinstance(response, httpx2.Response):
            return self._http_error(response)

        causes = _causes(error)
        kinds = (httpx2.HTTPError, aiohttp.ClientError, OSError)
        if not any(isinstance(cause, kinds) for cause in causes):
            raise error
        for cause in causes:
            if isinstance(cause, aiohttp.ClientHttpProxyError):
                return http_error(cause.status, f"the proxy answered {cause.message}")

        # the SDK's own words say nothing about the cause
        texts = [str(cause) for cause in causes[1:] if str(cause)]
        text = texts[0] if texts else type(causes[-1]).__name__
        detail = self._config.redact(text.replace(" ssl:default", ""))  # aiohttp's, also for http
        is_final = any(isinstance(cause, ssl.SSLCertVerificationError) for cause in causes)
        return RequestError(f"{detail}; {self._remedy(causes)}", retryable=not is_final)

    def _remedy(self, causes: list[BaseException]) -> str:
        """Return what to do about a server that could not be reached."""
        import aiohttp

        host = urlsplit(self._config.url).hostname
        for cause in causes:
            if isinstance(cause, ssl.SSLCertVerificationError):
                return (
                    "name the file of the authority that signed the server's certificate in"
                    " SSL_CERT_FILE"
                )
            if isinstance(cause, aiohttp.ClientConnectorError) and cause.host != host:
                return (
                    "check the proxy's address (HTTPS_PROXY, HTTP_PROXY as http://host:port), or"
                    " set NO_PROXY"
                )
        return "check the judge's address and that its server runs"

    def _http_error(self, response: Any) -> RequestError:
        """Return the error of a response with a status of failure, its message without keys."""
        body = _parsed(response.content) or response.content.decode(errors="replace")
        message, codes = _message_and_codes(body)
        if target := response.headers.get("Location"):
            message = f"it redirects to {target}"
        status = response.status_code
        for code in codes:
            if status == 200 and re.fullmatch("[45][0-9]{2}", code):
                status = int(code)  # routers answer so

        shown = self._config.redact(" ".join(message.split()))[:LONGEST_MESSAGE]
        error = http_error(status, shown, codes, retry_after_seconds(response.headers))
        if status == 404 and not re.search(r"/v\d", urlsplit(self._config.url).path):
            base = self._config.url.partition("?")[0]
            error.reason += f"; if it has no /v1 yet, try {self._config.redact(base)}/v1"
        return error


def _message_and_codes(body: Any) -> tuple[str, list[str]]:
    """Return what an error's body says, and its codes; OpenRouter wraps another server's."""
    error = body.get("error", body) if isinstance(body, dict) else body
    if not isinstance(error, dict):
        return _as_text(error), []
    codes = [
        str(error[name]) for name in ("code", "type") if isinstance(error.get(name), str | int)
    ]

    metadata = error.get("metadata")
    raw = metadata.get("raw") if isinstance(metadata, dict) else None
    if raw:
        inner = _parsed(raw.encode()) if isinstance(raw, str) else raw
        message, inner_codes = _message_and_codes(inner or raw)
        return message, codes + inner_codes
    return _as_text(error.get("message", error)), codes


def _as_text(value: Any) -> str:
    """Return an error's message as text; an object as JSON."""
    return value if isinstance(value, str) else json.dumps(value)


@cache
def _trusted() -> ssl.SSLContext:
    """Return the trusted certificates: reading them takes 16 ms, which each client would pay."""
    import httpx2

    return httpx2.create_ssl_context()


def _refuse_socks(url: str) -> None:
    """Raise RequestError for a judge behind a SOCKS proxy, which the HTTP client cannot use."""
    proxies = getproxies()
    parts = urlsplit(url)
    proxy = proxies.get(parts.scheme) or proxies.get("all") or ""
    if proxy.startswith("socks") and not proxy_bypass(parts.hostname or ""):
        raise RequestError(
            "the judge is behind a SOCKS proxy, which is not supported; "
            "set HTTPS_PROXY to an HTTP proxy, or NO_PROXY to the judge's host",
            retryable=False,
        )


def text_of(content: Any) -> str:
    """Return the text of a message or of its text parts.

    Raises TypeError, KeyError or AttributeError for anything else.
    """
    if isinstance(content, str):
        return content
    return "".join(part["text"] for part in content or () if part.get("type") == "text")


def with_usage(verdict: Verdict, answer: Json) -> Verdict:
    """Return the verdict with the answer's model and token counts, if plausible."""
    usage, model = answer.get("usage"), answer.get("model")
    counts = usage if isinstance(usage, dict) else {}
    return replace(
        verdict,
        model=printable(model[:_LONGEST_NAME]) if model and isinstance(model, str) else None,
        prompt_tokens=_count(counts, "prompt_tokens", "input_tokens"),
        completion_tokens=_count(counts, "completion_tokens", "output_tokens"),
    )


def _count(counts: Json, openai: str, anthropic: str) -> int:
    """Return a count of tokens by its name at OpenAI or at Anthropic; 0 if it is no number."""
    value = counts.get(openai, counts.get(anthropic))
    return value if isinstance(value, int) else 0


def _causes(error: BaseException) -> list[BaseException]:
    """Return an error, the one it was raised from, and so on, the first cause last."""
    causes = [error]
    while (cause := causes[-1].__cause__ or causes[-1].__context__) is not None:
        causes.append(cause)
    return causes


def _parsed(content: bytes) -> Any:
    """Return a JSON value, or None if the text is none."""
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return None


def _encoded(image: str) -> tuple[str, str]:
    """Return a picture's media type, `image/png`, and its file in base64."""
    media_type = mimetypes.guess_type(image)[0] or "image/png"
    return media_type, base64.b64encode(Path(image).read_bytes()).decode()
