"""Anthropic's messages API, for written verdicts only: it returns no token log-probabilities."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.providers.declaration import BatchError, BatchLook, Provider, served_model
from spiqa_tasks.judge.providers.server import ServerApi, listed
from spiqa_tasks.judge.retry import AskError
from spiqa_tasks.judge.types import JudgeRequest, Verdict, token_count

API_VERSION = "2023-06-01"


class AnthropicApi(ServerApi):
    """Asks `/messages` under the judge's base URL, or through its batches; text and pictures in, text out."""

    async def ask(self, request: JudgeRequest) -> Verdict:
        """Ask for one message."""
        return verdict_of(await self._client.post("/messages", self.body(request)))

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
    def headers(config: JudgeConfig) -> dict[str, str]:
        """Return the headers of every request, with the judge's key."""
        return {"anthropic-version": API_VERSION} | ({"x-api-key": config.api_key} if config.api_key else {})

    @staticmethod
    def image_part(url: str) -> dict[str, Any]:
        """Return the part of a message that shows a picture."""
        media_type, is_data, data = url.removeprefix("data:").partition(";base64,")
        source = {"type": "base64", "media_type": media_type, "data": data} if is_data else {"type": "url", "url": url}
        return {"type": "image", "source": source}

    @cached_property
    def _sdk(self) -> Any:
        import anthropic

        options = self.sdk_options(anthropic.DefaultHttpxClient)
        return anthropic.Anthropic(base_url=self._config.url.removesuffix("/v1"), **options)

    def request(self, key: str, request: JudgeRequest) -> dict[str, Any]:
        return {"custom_id": key, "params": self.body(request)}

    def verdict(self, response: Mapping[str, Any], top: int | None) -> Verdict:  # noqa: ARG002 - always a written one
        result = response.get("result")
        kind, message = (result.get("type"), result.get("message")) if isinstance(result, dict) else (None, None)
        if kind == "succeeded" and isinstance(message, dict):
            return verdict_of(message)
        raise self.unanswered(kind, isinstance(result, dict) and result.get("error"))

    def create(self, lines: Sequence[Mapping[str, Any]], tag: str) -> str:  # noqa: ARG002 - it keeps no tags
        return str(self._sdk.with_options(max_retries=0).messages.batches.create(requests=list(lines)).id)

    def find(self, tag: str, keys: Collection[str], others: Collection[str]) -> str | None:  # noqa: ARG002
        """Return the id of the newest batch of as many requests, the first of whose responses is to one of them."""
        for batch in listed(self._sdk.messages.batches.list(limit=100)):
            if batch.id in others or _done(batch) + batch.request_counts.processing != len(keys):
                continue
            if batch.processing_status != "ended":
                return ""
            if json.loads(next(self._lines(batch.id))).get("custom_id") in keys:
                return str(batch.id)
        return None

    def look(self, batch: str) -> BatchLook:
        found = self._sdk.messages.batches.retrieve(batch)
        ended = found.processing_status == "ended"
        if ended and not found.results_url:
            raise BatchError(self._config.name, "results that were deleted", 404)
        return BatchLook(_done(found), self._lines(batch) if ended else None)

    def _lines(self, batch: str) -> Iterator[bytes]:
        with self._sdk.messages.batches.with_streaming_response.results(batch) as response:
            yield from self.lines_of(response.iter_bytes())


def verdict_of(answer: dict[str, Any]) -> Verdict:
    """Return the verdict in a message; raises AskError where there is none."""
    try:
        text = "".join(part["text"] for part in answer["content"] if part.get("type") == "text")
        usage = answer.get("usage") or {}
        counts = token_count(usage.get("input_tokens")), token_count(usage.get("output_tokens"))
    except (KeyError, TypeError, AttributeError):
        raise AskError("the server's answer is no message", retryable=True) from None
    return Verdict("ok", text, (), served_model(answer), None, False, *counts)


def _done(batch: Any) -> int:
    counts = batch.request_counts
    return int(counts.succeeded + counts.errored + counts.canceled + counts.expired)


PROVIDER = Provider(
    name="anthropic",
    url="https://api.anthropic.com/v1",
    key_variable="ANTHROPIC_API_KEY",
    make_client=AnthropicApi,
    why_no_logprobs=lambda _model: "Anthropic's API returns no token log-probabilities",
    sees_pictures=True,
    make_batches=AnthropicApi,
)
