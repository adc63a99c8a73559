"""Anthropic's messages API, for written verdicts only: it returns no token log-probabilities."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from spiqa_tasks.extras import require
from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.providers.declaration import Provider, served_model
from spiqa_tasks.judge.providers.sdk import SdkJudge
from spiqa_tasks.judge.retry import AskError
from spiqa_tasks.judge.types import JudgeRequest, Verdict, token_count

API_VERSION = "2023-06-01"


class AnthropicJudge(SdkJudge):
    """Asks for messages: text and pictures in, text out."""

    path = "/messages"

    async def ask(self, request: JudgeRequest) -> Verdict:
        """Ask for one message."""
        return verdict_of(await self.post(self.body(request)))

    def body(self, request: JudgeRequest) -> dict[str, Any]:
        """Return what is sent for a request."""
        return {
            **self._extra,
            "model": self._config.model,
            "messages": [{"role": "user", "content": self.content_of(request)}],
            "max_tokens": request.max_tokens,
            "temperature": 0.0,
        }

    @staticmethod
    def classes() -> tuple[Callable[..., Any], Callable[..., Any]]:
        """Return those of Anthropic's SDK."""
        import anthropic

        return anthropic.AsyncAnthropic, anthropic.DefaultAioHttpClient

    @staticmethod
    def headers(config: JudgeConfig) -> dict[str, str]:
        """Return the headers of every request, with the judge's key."""
        return {"anthropic-version": API_VERSION} | ({"x-api-key": config.api_key} if config.api_key else {})

    @staticmethod
    def image_part(url: str) -> dict[str, Any]:
        """Return the part of a message that shows a picture."""
        media_type, is_data, data = url.removeprefix("data:").partition(";base64,")
        source = {"type": "base64", "media_type": media_type, "data": data} if is_data else {"type": "url", "url": url}
        return {"type": "image", "source": source}

    def line(self, key: str, request: JudgeRequest) -> dict[str, Any]:
        """Return the line of a request, which becomes an element of a batch's `requests`."""
        return {"custom_id": key, "params": self.body(request)}

    def verdict(self, response: Mapping[str, Any], top: int | None) -> Verdict:  # noqa: ARG002 - always a written one
        """Return the verdict in the line of a response; raises AskError."""
        result = response.get("result")
        kind, message = (result.get("type"), result.get("message")) if isinstance(result, dict) else (None, None)
        if kind == "succeeded" and isinstance(message, dict):
            return verdict_of(message)
        raise self.unanswered(kind, isinstance(result, dict) and result.get("error"))


def verdict_of(answer: dict[str, Any]) -> Verdict:
    """Return the verdict in a message; raises AskError where there is none."""
    try:
        text = "".join(part["text"] for part in answer["content"] if part.get("type") == "text")
        usage = answer.get("usage") or {}
        counts = token_count(usage.get("input_tokens")), token_count(usage.get("output_tokens"))
    except (KeyError, TypeError, AttributeError):
        raise AskError("the server's answer is no message", retryable=True) from None
    return Verdict("ok", text, (), served_model(answer), None, False, *counts)


def make_client(config: JudgeConfig) -> AnthropicJudge:
    """Return a client; MissingPartError without the SDK, which files do not need."""
    require("anthropic", f"The judge {config.name}")
    return AnthropicJudge(config)


PROVIDER = Provider(
    name="anthropic",
    url="https://api.anthropic.com/v1",
    key_variable="ANTHROPIC_API_KEY",
    make_client=make_client,
    why_no_logprobs=lambda _model: "Anthropic's API returns no token log-probabilities",
    sees_pictures=True,
    make_files=AnthropicJudge,
)
