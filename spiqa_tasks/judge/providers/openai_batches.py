"""Batch files of OpenAI's form, and the files and batches behind its protocol, through the official SDK."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.providers.declaration import BatchApi, BatchLook
from spiqa_tasks.judge.providers.openai import OpenAIApi, auth_headers, verdict_of
from spiqa_tasks.judge.providers.sdk import client_options, lines_of, listed, unanswered
from spiqa_tasks.judge.types import JudgeRequest, Verdict

_PATH = "/v1/chat/completions"
_TAG = "spiqa_tasks"
_EARLY_ENDS = ("failed", "expired", "cancelled")


class OpenAIBatches(BatchApi):
    """For OpenAI and whoever reads its files: vLLM, Azure, a server of its protocol."""

    def __init__(self, config: JudgeConfig) -> None:
        self._config = config
        self._body = OpenAIApi(config).body

    @cached_property
    def _client(self) -> Any:
        import openai

        options = client_options(self._config, openai.DefaultHttpxClient, auth_headers(self._config))
        return openai.OpenAI(base_url=self._config.url, **options)

    def request(self, key: str, request: JudgeRequest) -> dict[str, Any]:
        return {"custom_id": key, "method": "POST", "url": _PATH, "body": self._body(request)}

    def verdict(self, response: Mapping[str, Any], top: int | None) -> Verdict:
        answer = response.get("response")
        status, body = (answer.get("status_code"), answer.get("body")) if isinstance(answer, dict) else (None, None)
        if status == 200 and isinstance(body, dict):
            return verdict_of(body, top)
        raise unanswered(self._config, status, response.get("error") or body)

    def create(self, lines: Sequence[Mapping[str, Any]], tag: str) -> str:
        content = "\n".join(map(json.dumps, lines)).encode()
        file = self._client.files.create(file=(f"{tag}.jsonl", content), purpose="batch")
        batches = self._client.with_options(max_retries=0).batches
        given = {"input_file_id": file.id, "endpoint": _PATH, "completion_window": "24h", "metadata": {_TAG: tag}}
        return str(batches.create(**given).id)

    def find(self, tag: str, keys: Collection[str], others: Collection[str]) -> str | None:  # noqa: ARG002
        """Return the id of the batch that carries the tag."""
        batches = listed(self._client.batches.list(limit=100))
        return next((batch.id for batch in batches if (batch.metadata or {}).get(_TAG) == tag), None)

    def look(self, batch: str) -> BatchLook:
        found = self._client.batches.retrieve(batch)
        counts, errors = found.request_counts, (found.errors.data if found.errors else None) or []
        done = (counts.completed or 0) + (counts.failed or 0) if counts else 0
        files = [file for file in (found.output_file_id, found.error_file_id) if file]
        if found.status in _EARLY_ENDS:
            reasons = [f"the batch {found.status}", *(str(error.message) for error in errors)]
            return BatchLook(done, self._lines(files), "; ".join(reasons))
        return BatchLook(done, self._lines(files) if files and found.status == "completed" else None)

    def _lines(self, files: Sequence[str]) -> Iterator[bytes]:
        for file in files:
            with self._client.files.with_streaming_response.content(file) as response:
                yield from lines_of(self._config, response.iter_bytes())
