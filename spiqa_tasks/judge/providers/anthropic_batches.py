"""Anthropic's message batches, through the official SDK; for written verdicts, as it gives no log-probabilities."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.providers.anthropic import AnthropicApi, verdict_of
from spiqa_tasks.judge.providers.declaration import BatchProgress
from spiqa_tasks.judge.providers.sdk import client_options, importing, is_before, told
from spiqa_tasks.judge.retry import AskError
from spiqa_tasks.judge.types import JudgeRequest, Verdict, failed


class AnthropicBatches:
    """Lists of requests, handed over once and fetched when they are done."""

    def __init__(self, config: JudgeConfig) -> None:
        with importing("anthropic"):
            import anthropic
        self._api = AnthropicApi(config)
        self._told = partial(told, config, anthropic.AnthropicError)
        client = anthropic.Anthropic(base_url=config.url.removesuffix("/v1"), **client_options(config))
        self._batches = client.messages.batches

    def entry(self, key: str, request: JudgeRequest) -> dict[str, Any]:
        """Return one entry of the list."""
        return {"custom_id": key, "params": self._api.body(request)}

    def submit(self, entries: Sequence[Mapping[str, Any]], tag: str) -> str:  # noqa: ARG002 - it keeps no tags
        """Hand the list over; return the batch's id."""
        given: Any = list(entries)
        with self._told():
            return self._batches.create(requests=given).id

    def find(self, tag: str, count: int, since: float) -> str | None:  # noqa: ARG002 - it keeps no tags
        """Return the id of the newest batch of that many entries since then."""
        with self._told():
            for batch in self._batches.list():
                if is_before(batch.created_at.timestamp(), since):
                    return None
                if sum(batch.request_counts.model_dump().values()) == count:
                    return batch.id
        return None

    def progress(self, batch: str) -> BatchProgress:
        """Return how far a batch is."""
        with self._told():
            found = self._batches.retrieve(batch)
        counts = found.request_counts.model_dump()
        return BatchProgress(found.processing_status == "ended", sum(counts.values()) - counts["processing"])

    def verdicts(self, batch: str, tops: Mapping[str, int | None]) -> Iterator[tuple[str, Verdict]]:
        """Yield what the list of results holds."""
        with self._told():
            for result in self._batches.results(batch):
                if result.custom_id in tops:
                    yield result.custom_id, _read(result.result.model_dump())


def _read(result: Mapping[str, Any]) -> Verdict:
    """The verdict of a result that succeeded, was canceled, expired, or met an error."""
    if result.get("type") != "succeeded":
        error = (result.get("error") or {}).get("error") or {}
        return failed(": ".join(filter(None, [f"in the batch: {result.get('type')}", error.get("message")])))
    try:
        return verdict_of(result["message"])
    except AskError as fault:
        return failed(fault.reason)
