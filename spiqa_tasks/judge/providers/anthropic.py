"""Anthropic's messages API, for written verdicts only: it returns no token log-probabilities."""

from spiqa_tasks.judge.providers.provider import (
    WITHOUT_LOGPROBS,
    Json,
    RequestError,
    written_verdict,
)
from spiqa_tasks.judge.providers.sdk import SdkJudge, text_of, with_usage
from spiqa_tasks.judge.types import JudgeConfig, JudgeRequest, Verdict


class AnthropicJudge(SdkJudge):
    """Asks for messages: text and pictures in, text out."""

    name = "anthropic"
    url = "https://api.anthropic.com/v1"
    key_variable = "ANTHROPIC_API_KEY"
    path = "/messages"

    @classmethod
    def cannot(cls, request: JudgeRequest) -> str | None:
        if request.top_logprobs is None:
            return None
        return f"Anthropic's API returns no token log-probabilities; {WITHOUT_LOGPROBS}"

    @staticmethod
    def headers(config: JudgeConfig) -> dict[str, str]:
        headers = {"anthropic-version": "2023-06-01"}
        if config.api_key:
            headers["x-api-key"] = config.api_key
        return headers

    @staticmethod
    def image_part(media_type: str, data: str) -> Json:
        source = {"type": "base64", "media_type": media_type, "data": data}
        return {"type": "image", "source": source}

    @staticmethod
    def verdict_of(answer: Json, _request: JudgeRequest) -> Verdict:
        """Return the verdict of a message."""
        try:
            text, stop = text_of(answer["content"]), answer.get("stop_reason")
        except (KeyError, TypeError, AttributeError):
            raise RequestError("the server's answer is no message", retryable=False) from None
        return with_usage(written_verdict(text, stop), answer)
