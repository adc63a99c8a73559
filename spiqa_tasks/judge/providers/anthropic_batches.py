"""Request and response lines of Anthropic's message batches, and the batches, through the official SDK."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.providers.anthropic import AnthropicApi, headers_of, verdict_of
from spiqa_tasks.judge.providers.declaration import BatchApi, BatchError, BatchLook
from spiqa_tasks.judge.providers.sdk import client_options, lines_of, listed, unanswered
from spiqa_tasks.judge.types import JudgeRequest, Verdict


class AnthropicBatches(BatchApi):
    """For written verdicts, as there are no log-probabilities."""

    def __init__(self, config: JudgeConfig) -> None:
        self._config = config
        self._body = AnthropicApi(config).body

    @cached_property
    def _client(self) -> Any:
        import anthropic

        options = client_options(self._config, anthropic.DefaultHttpxClient, headers_of(self._config))
        return anthropic.Anthropic(base_url=self._config.url.removesuffix("/v1"), **options)

    def request(self, key: str, request: JudgeRequest) -> dict[str, Any]:
        return {"custom_id": key, "params": self._body(request)}

    def verdict(self, response: Mapping[str, Any], top: int | None) -> Verdict:  # noqa: ARG002 - always a written one
        result = response.get("result")
        kind, message = (result.get("type"), result.get("message")) if isinstance(result, dict) else (None, None)
        if kind == "succeeded" and isinstance(message, dict):
            return verdict_of(message)
        raise unanswered(self._config, kind, isinstance(result, dict) and result.get("error"))

    def create(self, lines: Sequence[Mapping[str, Any]], tag: str) -> str:  # noqa: ARG002 - it keeps no tags
        return str(self._client.with_options(max_retries=0).messages.batches.create(requests=list(lines)).id)

    def find(self, tag: str, keys: Collection[str], others: Collection[str]) -> str | None:  # noqa: ARG002
        """Return the id of the newest batch of as many requests, the first of whose responses is to one of them."""
        for batch in listed(self._client.messages.batches.list(limit=100)):
            if batch.id in others or _done(batch) + batch.request_counts.processing != len(keys):
                continue
            if batch.processing_status != "ended":
                return ""
            if json.loads(next(self._lines(batch.id))).get("custom_id") in keys:
                return str(batch.id)
        return None

    def look(self, batch: str) -> BatchLook:
        found = self._client.messages.batches.retrieve(batch)
        ended = found.processing_status == "ended"
        if ended and not found.results_url:
            raise BatchError(self._config.name, "results that were deleted", 404)
        return BatchLook(_done(found), self._lines(batch) if ended else None)

    def _lines(self, batch: str) -> Iterator[bytes]:
        with self._client.messages.batches.with_streaming_response.results(batch) as response:
            yield from lines_of(self._config, response.iter_bytes())


def _done(batch: Any) -> int:
    counts = batch.request_counts
    return int(counts.succeeded + counts.errored + counts.canceled + counts.expired)
