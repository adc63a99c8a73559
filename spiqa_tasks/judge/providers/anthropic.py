"""Anthropic's messages API, for written verdicts only: it returns no token log-probabilities."""

from collections.abc import Callable, Mapping
from typing import Any

from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.providers.provider import AskError
from spiqa_tasks.judge.providers.sdk import SdkJudge, answered, text_of
from spiqa_tasks.judge.types import WITHOUT_LOGPROBS, JudgeRequest, Verdict


class AnthropicJudge(SdkJudge):
    """Asks for messages: text and pictures in, text out."""

    name = "anthropic"
    url = "https://api.anthropic.com/v1"
    key_variable = "ANTHROPIC_API_KEY"
    extra = "anthropic"
    path = "/messages"

    @classmethod
    def cannot(cls, _model: str, request: JudgeRequest) -> str | None:
        reason = f"Anthropic's API returns no token log-probabilities; {WITHOUT_LOGPROBS}"
        return None if request.top_logprobs is None else reason

    async def ask(self, request: JudgeRequest) -> Verdict:
        return verdict_of(await self.post(self.body(request)))

    def body(self, request: JudgeRequest) -> dict[str, Any]:
        limit, temperature = request.max_tokens + request.thoughts, float(request.draws > 0)
        return {**self.common_body(request), "max_tokens": limit, "temperature": temperature}

    @staticmethod
    def classes() -> tuple[Callable[..., Any], Callable[..., Any]]:
        import anthropic

        return anthropic.AsyncAnthropic, anthropic.DefaultAioHttpClient

    @staticmethod
    def headers(config: JudgeConfig) -> dict[str, str]:
        return {"anthropic-version": "2023-06-01"} | (
            {"x-api-key": config.api_key} if config.api_key else {}
        )

    @staticmethod
    def image_part(url: str) -> dict[str, Any]:
        media_type, is_data, data = url.removeprefix("data:").partition(";base64,")
        source = (
            {"type": "base64", "media_type": media_type, "data": data}
            if is_data
            else {"type": "url", "url": url}
        )
        return {"type": "image", "source": source}

    def line(self, key: str, request: JudgeRequest) -> dict[str, Any]:
        return {"custom_id": key, "params": self.body(request)}

    def verdict(self, response: Mapping[str, Any], _top: int | None) -> Verdict:
        result = response.get("result")
        kind, message = (
            (result.get("type"), result.get("message"))
            if isinstance(result, dict)
            else (None, None)
        )
        if kind == "succeeded" and isinstance(message, dict):
            return verdict_of(message)
        raise self.unanswered(kind, isinstance(result, dict) and result.get("error"))


def verdict_of(answer: dict[str, Any]) -> Verdict:
    """Return the verdict of a message; raises AskError if it is none."""
    try:
        text, stop = text_of(answer["content"]), answer.get("stop_reason")
    except (KeyError, TypeError, AttributeError):
        raise AskError("the server's answer is no message", retryable=False) from None
    return answered(answer, text, stop, [], None, "input_tokens", "output_tokens")
