"""Anthropic's messages API, for written verdicts only: it returns no token log-probabilities."""

from __future__ import annotations

from typing import Any

from spiqa_tasks.judge.answer_checks import token_count
from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.providers.content import content_of
from spiqa_tasks.judge.providers.declaration import BatchApi, Provider, served_model
from spiqa_tasks.judge.retry import AskError
from spiqa_tasks.judge.types import JudgeRequest, Verdict

API_VERSION = "2023-06-01"


class AnthropicApi:
    """Asks `/messages` under the judge's base URL; text and pictures in, text out."""

    fingerprint = ""

    def __init__(self, config: JudgeConfig) -> None:
        from spiqa_tasks.judge.providers.http_client import JsonClient

        self._model = config.model
        self._extra = config.extra_fields
        self._client = JsonClient(config, headers_of(config))

    async def ask(self, request: JudgeRequest) -> Verdict:
        """Ask for one message."""
        return verdict_of(await self._client.post("/messages", self.body(request)))

    def body(self, request: JudgeRequest) -> dict[str, Any]:
        """Return what is sent for a request."""
        system = {"system": request.system} if request.system else {}
        return {
            **self._extra,
            "model": self._model,
            "messages": [{"role": "user", "content": content_of(request, _image_part)}],
            "max_tokens": request.max_tokens,
            "temperature": request.temperature,
            **system,
        }

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.aclose()


def headers_of(config: JudgeConfig) -> dict[str, str]:
    """Return the headers of every request, with the judge's key."""
    return {"anthropic-version": API_VERSION} | ({"x-api-key": config.api_key} if config.api_key else {})


def verdict_of(answer: dict[str, Any]) -> Verdict:
    """Return the verdict in a message; raises AskError where there is none."""
    try:
        text = "".join(part["text"] for part in answer["content"] if part.get("type") == "text")
        usage = answer.get("usage") or {}
        counts = token_count(usage.get("input_tokens")), token_count(usage.get("output_tokens"))
    except (KeyError, TypeError, AttributeError):
        raise AskError("the server's answer is no message", retryable=True) from None
    return Verdict("ok", text, (), served_model(answer), None, False, *counts)


def _make_batches(config: JudgeConfig) -> BatchApi:
    from spiqa_tasks.judge.providers.anthropic_batches import AnthropicBatches

    return AnthropicBatches(config)


def _image_part(url: str) -> dict[str, Any]:
    media_type, is_data, data = url.removeprefix("data:").partition(";base64,")
    source = {"type": "base64", "media_type": media_type, "data": data} if is_data else {"type": "url", "url": url}
    return {"type": "image", "source": source}


PROVIDER = Provider(
    name="anthropic",
    url="https://api.anthropic.com/v1",
    key_variable="ANTHROPIC_API_KEY",
    make_client=AnthropicApi,
    why_no_logprobs=lambda _model: "Anthropic's API returns no token log-probabilities",
    sees_pictures=True,
    make_batches=_make_batches,
)
