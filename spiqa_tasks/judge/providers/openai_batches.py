"""Batches behind the OpenAI protocol (files and batches), through the official SDK."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Literal

from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.providers.declaration import BatchProgress
from spiqa_tasks.judge.providers.openai import OpenAIApi, verdict_of
from spiqa_tasks.judge.providers.sdk import client_options, importing, is_before, told
from spiqa_tasks.judge.retry import AskError
from spiqa_tasks.judge.types import JudgeRequest, Verdict, failed

_PATH: Literal["/v1/chat/completions"] = "/v1/chat/completions"
_TAG = "spiqa_tasks"
_EARLY_ENDS = ("failed", "expired", "cancelled")


class OpenAIBatches:
    """Files of requests, handed over once and fetched when they are done, at OpenAI or a server of its protocol.

    Not at Azure, whose deployments have addresses of another form.
    """

    def __init__(self, config: JudgeConfig) -> None:
        with importing("openai"):
            import openai
        self._api = OpenAIApi(config)
        self._told = partial(told, config, openai.OpenAIError)
        self._client = openai.OpenAI(base_url=config.url, **client_options(config))

    def entry(self, key: str, request: JudgeRequest) -> dict[str, Any]:
        """Return one line of the file."""
        return {"custom_id": key, "method": "POST", "url": _PATH, "body": self._api.body(request)}

    def submit(self, entries: Sequence[Mapping[str, Any]], tag: str) -> str:
        """Upload the file and make a batch of it; return its id."""
        content = "\n".join(json.dumps(entry) for entry in entries).encode()
        with self._told():
            file = self._client.files.create(file=(f"{tag}.jsonl", io.BytesIO(content)), purpose="batch")
            batch = self._client.batches.create(
                input_file_id=file.id, endpoint=_PATH, completion_window="24h", metadata={_TAG: tag}
            )
        return batch.id

    def find(self, tag: str, count: int, since: float) -> str | None:  # noqa: ARG002 - the tag is enough here
        """Return the id of the newest batch since then that carries the tag."""
        with self._told():
            for batch in self._client.batches.list():
                if is_before(batch.created_at, since):
                    return None
                if (batch.metadata or {}).get(_TAG) == tag:
                    return batch.id
        return None

    def progress(self, batch: str) -> BatchProgress:
        """Return how far a batch is."""
        with self._told():
            found = self._client.batches.retrieve(batch)
        counts, errors = found.request_counts, (found.errors.data if found.errors else None) or []
        early = found.status in _EARLY_ENDS
        reasons = [f"the batch {found.status}", *(error.message for error in errors if error.message)]
        done = counts.completed + counts.failed if counts else 0
        return BatchProgress(early or found.status == "completed", done, "; ".join(reasons) if early else None)

    def verdicts(self, batch: str, tops: Mapping[str, int | None]) -> Iterator[tuple[str, Verdict]]:
        """Yield what the files of answers and of errors hold."""
        with self._told():
            found = self._client.batches.retrieve(batch)
            for file in filter(None, (found.output_file_id, found.error_file_id)):
                with self._client.files.with_streaming_response.content(file) as response:
                    for line in response.iter_lines():
                        yield from _read(line, tops)


def _read(line: str, tops: Mapping[str, int | None]) -> Iterator[tuple[str, Verdict]]:
    """The key and the verdict of a line; nothing of one that belongs to no entry."""
    try:
        answer = json.loads(line)
        key, response, error = answer["custom_id"], answer.get("response") or {}, answer.get("error")
        status, body = response.get("status_code"), response.get("body")
        if key not in tops:
            return
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return
    if status == 200 and isinstance(body, dict):
        try:
            yield key, verdict_of(body, tops[key])
        except AskError as fault:
            yield key, failed(fault.reason)
    else:
        error = error or (body.get("error") if isinstance(body, dict) else body)
        message = error.get("message") if isinstance(error, dict) else error
        told = [f"HTTP {status}" if status else "", str(message or "")]
        yield key, failed(f"in the batch: {': '.join(filter(None, told)) or 'no answer'}")
