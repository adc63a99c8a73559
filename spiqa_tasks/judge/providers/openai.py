"""Judges behind the OpenAI chat-completions protocol: OpenAI, Azure, vLLM, SGLang, llama.cpp, Gemini's endpoint."""

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.providers.provider import AskError
from spiqa_tasks.judge.providers.sdk import SdkJudge, answered, text_of
from spiqa_tasks.judge.types import WITHOUT_LOGPROBS, JudgeRequest, Verdict

_REASONING = re.compile(r"^(?:o[134](?:$|-)|gpt-5)", re.IGNORECASE)


class OpenAIJudge(SdkJudge):
    """Asks for chat completions.

    On an Azure host the key goes out as `api-key`, and the base URL carries the deployment and `?api-version=`.
    A server that refuses `max_tokens` or a temperature (reasoning models) is asked again without it, and from then on.
    """

    name = "openai"
    url = "https://api.openai.com/v1"
    key_variable = "OPENAI_API_KEY"
    path = "/chat/completions"

    def __init__(self, config: JudgeConfig) -> None:
        super().__init__(config)
        reasons = config.url == self.url and self.thinks(config.model)
        self._limit_name = "max_completion_tokens" if reasons else "max_tokens"
        self._send_temperature = not reasons

    @classmethod
    def thinks(cls, model: str) -> bool:
        return _REASONING.match(model.rsplit("/", 1)[-1]) is not None

    @classmethod
    def cannot(cls, model: str, request: JudgeRequest) -> str | None:
        if request.top_logprobs is None or not cls.thinks(model):
            return None
        return f"the reasoning model {model} returns no token log-probabilities; {WITHOUT_LOGPROBS}"

    async def ask(self, request: JudgeRequest) -> Verdict:
        while True:
            body = self.body(request)
            try:
                return verdict_of(await self.post(body), request.top_logprobs)
            except AskError as error:
                if not error.reason.startswith("HTTP 400") or not self._adapt(error.reason, body):
                    raise

    @staticmethod
    def classes() -> tuple[Callable[..., Any], Callable[..., Any]]:
        import openai

        return openai.AsyncOpenAI, openai.DefaultAioHttpClient

    @staticmethod
    def headers(config: JudgeConfig) -> dict[str, str]:
        if not config.api_key:
            return {}
        if (urlsplit(config.url).hostname or "").endswith((".azure.com", ".azure.us", ".azure.cn")):
            return {"api-key": config.api_key}
        return {"Authorization": f"Bearer {config.api_key}"}

    @staticmethod
    def image_part(url: str) -> dict[str, Any]:
        return {"type": "image_url", "image_url": {"url": url}}

    def body(self, request: JudgeRequest) -> dict[str, Any]:
        body = {
            **self.common_body(request),
            self._limit_name: request.max_tokens + request.thoughts,
        }
        if self._send_temperature:
            body["temperature"] = float(request.draws > 0)
        if request.top_logprobs is not None:
            body |= {"logprobs": True, "top_logprobs": request.top_logprobs}
        return body

    def _adapt(self, message: str, sent: Mapping[str, Any]) -> bool:
        """Leave out or rename the field that a 400 names; return whether the request just sent had it."""
        if "max_completion_tokens" in message and "max_tokens" in sent:
            self._limit_name = "max_completion_tokens"
            return True
        if "temperature" in message and "temperature" in sent:
            self._send_temperature = False
            return True
        return False

    def line(self, key: str, request: JudgeRequest) -> dict[str, Any]:
        return {
            "custom_id": key,
            "method": "POST",
            "url": f"/v1{self.path}",
            "body": self.body(request),
        }

    def verdict(self, response: Mapping[str, Any], top: int | None) -> Verdict:
        answer = response.get("response")
        status, body = (
            (answer.get("status_code"), answer.get("body"))
            if isinstance(answer, dict)
            else (None, None)
        )
        if status == 200 and isinstance(body, dict):
            return verdict_of(body, top)
        raise self.unanswered(status, response.get("error") or body)


def verdict_of(answer: dict[str, Any], top: int | None) -> Verdict:
    """Return the verdict of a chat completion; raises AskError if it is none.

    `top` is the number of log-probabilities asked for, None for a written answer.
    """
    try:
        choice = answer["choices"][0]
        message, stop = choice["message"], choice.get("finish_reason")
        text = text_of(message.get("content"))
        if refusal := message.get("refusal"):
            text, stop = f"{refusal}", "refusal"
    except (KeyError, IndexError, TypeError, AttributeError):
        raise AskError("the server's answer is no chat completion", retryable=False) from None
    pairs = []
    with suppress(KeyError, IndexError, TypeError):  # a server without log-probabilities
        pairs = [
            (entry["token"], entry["logprob"])
            for entry in choice["logprobs"]["content"][0]["top_logprobs"]
        ]
    return answered(
        answer, text, stop, pairs if top else [], top, "prompt_tokens", "completion_tokens"
    )
