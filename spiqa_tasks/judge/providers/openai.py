"""Judges behind OpenAI's chat completions: OpenAI, Azure, vLLM, SGLang, llama.cpp, Gemini."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.logprobs import Pairs, first_token
from spiqa_tasks.judge.providers.provider import RequestError
from spiqa_tasks.judge.providers.sdk import (
    SdkJudge,
    logprob_verdict,
    text_of,
    with_usage,
    written_verdict,
)
from spiqa_tasks.judge.types import JudgeRequest, Verdict

_AZURE = (".azure.com", ".azure.us", ".azure.cn")
_GATEWAY = ".azure-api.net"
"""Azure API Management, in front of any server: some want Azure's header, some OpenAI's."""


class OpenAIJudge(SdkJudge):
    """Asks for chat completions.

    On an Azure host the key goes out as `api-key`, and the base URL carries the deployment and
    `?api-version=`.
    """

    name = "openai"
    url = "https://api.openai.com/v1"
    key_variable = "OPENAI_API_KEY"
    path = "/chat/completions"

    @staticmethod
    def classes() -> tuple[Callable[..., Any], Callable[..., Any]]:
        import openai

        return openai.AsyncOpenAI, openai.DefaultAioHttpClient

    @staticmethod
    def headers(config: JudgeConfig) -> dict[str, str]:
        if not config.api_key:
            return {}
        host = urlsplit(config.url).hostname or ""
        azure = {"api-key": config.api_key}
        bearer = {"Authorization": f"Bearer {config.api_key}"}
        if host.endswith(_AZURE):
            return azure
        return azure | bearer if host.endswith(_GATEWAY) else bearer

    @staticmethod
    def image_part(url: str) -> dict[str, Any]:
        return {"type": "image_url", "image_url": {"url": url}}

    def body(self, request: JudgeRequest) -> dict[str, Any]:
        body = self.common_body(request)
        body["max_tokens"] = request.max_tokens + request.thoughts
        body["temperature"] = float(request.draws > 0)
        if request.top_logprobs is not None:
            body |= {"logprobs": True, "top_logprobs": request.top_logprobs}
        return body

    @staticmethod
    def verdict_of(answer: dict[str, Any], request: JudgeRequest) -> Verdict:
        """Return the verdict of a chat completion."""
        try:
            choice = answer["choices"][0]
            message, stop = choice["message"], choice.get("finish_reason")
            text = text_of(message.get("content"))
            if refusal := message.get("refusal"):
                text, stop = f"{refusal}", "refusal"
        except (KeyError, IndexError, TypeError, AttributeError):
            reason = "the server's answer is no chat completion"
            raise RequestError(reason, retryable=False) from None

        if request.top_logprobs is None:
            verdict = written_verdict(text, stop)
        else:
            pairs = _first_token(choice)
            if not pairs:
                written_verdict(text, stop)  # a refusal is told as one
            verdict = logprob_verdict(text, pairs, request.top_logprobs)
        return with_usage(verdict, answer, "prompt_tokens", "completion_tokens")


def _first_token(choice: dict[str, Any]) -> Pairs:
    """Return the most likely first tokens; [] of a server without log-probabilities."""
    with suppress(KeyError, IndexError, TypeError, AttributeError):
        return first_token(choice["logprobs"]["content"][0])
    return []
