"""JSON over HTTP to a judge's server; every way it can fail becomes one classified `AskError`."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp
from yarl import URL

from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.retry import AskError, HttpError, retry_after_seconds

LARGEST_ANSWER = 16 << 20
"""Bytes of an answer's body that are read; no honest one is larger."""

_FINAL_ERRORS = (aiohttp.InvalidURL, aiohttp.ClientConnectorCertificateError)


class JsonClient:
    """Posts JSON to paths under the judge's base URL, over at most `concurrency` connections that are kept open.

    aiohttp, because at 64 connections it needs a third of the processor time per request that the SDKs' clients need
    (docs/judge.md has the figures). The connections belong to the loop that makes the
    first request.
    """

    def __init__(self, config: JudgeConfig, headers: Mapping[str, str]) -> None:
        self._config = config
        self._headers = headers
        self._session: aiohttp.ClientSession | None = None
        self._proxy = _proxy(config.url)

    async def post(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """The JSON object that the server answers with; raises AskError (HttpError for an error status)."""
        try:
            session = self._open()
            async with session.post(self._url(path), json=body, proxy=self._proxy, allow_redirects=False) as response:
                content = await _content(response)
        except asyncio.TimeoutError:
            raise AskError(f"no answer within {self._config.timeout:g} s", retryable=True) from None
        except (aiohttp.ClientError, OSError) as error:
            detail = self._config.redact(str(error)) or type(error).__name__
            remedy = "check the judge's address (SPIQA_JUDGE_BASE_URL) and that its server runs"
            if isinstance(error, aiohttp.ClientConnectorCertificateError):
                remedy = "name the file of the authority that signed the server's certificate in SSL_CERT_FILE"
            reason = f"{detail}; {remedy}"
            raise AskError(reason, retryable=not isinstance(error, _FINAL_ERRORS)) from None
        answer = _parsed(content)
        if not 200 <= response.status < 300:
            raise self._http_error(response, answer if answer is not None else content.decode(errors="replace"))
        if not isinstance(answer, dict):
            raise AskError("the server's answer is not a JSON object", retryable=True)
        if answer.get("error"):
            raise AskError(f"the server answered with an error: {self._message(answer)}", retryable=True)
        return answer

    async def aclose(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    def _open(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=self._config.concurrency),
                headers=self._headers,
                timeout=aiohttp.ClientTimeout(total=self._config.timeout),
            )
        return self._session

    def _url(self, path: str) -> URL:
        base = urlsplit(self._config.url)
        return URL(base._replace(path=base.path.rstrip("/") + path).geturl(), encoded=True)

    def _http_error(self, response: aiohttp.ClientResponse, body: Any) -> HttpError:
        error = body.get("error") if isinstance(body, dict) else None
        codes = [error.get("code"), error.get("type")] if isinstance(error, dict) else []
        target = response.headers.get("Location", "") if 300 <= response.status < 400 else ""
        return HttpError(
            response.status,
            self._config.redact(f"it redirects to {target[:300]}") if target else self._message(body),
            codes=[code for code in codes if isinstance(code, str)],
            retry_after=retry_after_seconds(response.headers, time.time()),
        )

    def _message(self, body: Any) -> str:
        error = body.get("error", body) if isinstance(body, dict) else body
        message = error.get("message", error) if isinstance(error, dict) else error
        text = message if isinstance(message, str) else json.dumps(message)
        return self._config.redact(" ".join(text.split()))[:300]


def _proxy(url: str) -> str | None:
    """The proxy that the environment (HTTP_PROXY, HTTPS_PROXY, NO_PROXY) names for `url`; None where it names none.

    Looked up once: aiohttp's own `trust_env` does so in a thread for every request.
    """
    parts = urlsplit(url)
    return None if proxy_bypass(parts.hostname or "") else getproxies().get(parts.scheme)


async def _content(response: aiohttp.ClientResponse) -> bytes:
    """The whole body, unpacked; AskError where it is larger than `LARGEST_ANSWER`."""
    content = bytearray()
    async for piece in response.content.iter_any():
        content += piece
        if len(content) > LARGEST_ANSWER:
            raise AskError(f"the server's answer is larger than {LARGEST_ANSWER >> 20} MB", retryable=False)
    return bytes(content)


def _parsed(content: bytes) -> Any:
    """The JSON value; None where it is none, or nested too deeply to be read."""
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return None
