"""Anthropic's messages API, for written verdicts only: it returns no token log-probabilities."""

from __future__ import annotations

import time
from typing import Any

from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.http_client import JsonClient
from spiqa_tasks.judge.retry import AskError
from spiqa_tasks.judge.types import JudgeRequest, Verdict

API_VERSION = "2023-06-01"


class AnthropicApi:
    """Asks `/messages` under the judge's base URL; text in, text out."""

    fingerprint = ""

    def __init__(self, config: JudgeConfig) -> None:
        self._model = config.model
        headers = {"anthropic-version": API_VERSION} | ({"x-api-key": config.api_key} if config.api_key else {})
        self._client = JsonClient(config, headers)

    async def ask(self, request: JudgeRequest) -> Verdict:
        """One message; fails at once for requests with images or for log-probabilities."""
        if request.kind != "text" or request.images:
            raise AskError("anthropic: judges answer text with text only", retryable=False)
        start = time.monotonic()
        body: dict[str, Any] = {
            "model": self._model,
            "messages": [{"role": "user", "content": request.prompt}],
            "max_tokens": request.max_tokens,
            "temperature": request.temperature,
        }
        if request.system:
            body["system"] = request.system
        answer = await self._client.post("/messages", body)
        try:
            text = "".join(part["text"] for part in answer["content"] if part.get("type") == "text")
            usage = answer.get("usage") or {}
            counts = int(usage.get("input_tokens") or 0), int(usage.get("output_tokens") or 0)
        except (KeyError, TypeError, ValueError, AttributeError):
            raise AskError("the server's answer is no message", retryable=True) from None
        return Verdict("ok", text, (), answer.get("model"), None, False, *counts, time.monotonic() - start)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.aclose()
