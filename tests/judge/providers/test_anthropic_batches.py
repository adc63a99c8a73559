"""Anthropic's message batches, each call against a server that speaks them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from batch_server import BatchServer

from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.engine import Engine
from spiqa_tasks.judge.providers.anthropic_batches import AnthropicBatches
from spiqa_tasks.judge.providers.declaration import BatchProgress
from spiqa_tasks.judge.types import JudgeRequest

REQUESTS = {str(place) * 64: JudgeRequest(f"Write {place}.", top_logprobs=None, max_tokens=9) for place in range(4)}


@pytest.fixture
def batching() -> Iterator[BatchServer]:
    """A server whose batches end at the first look."""
    with BatchServer() as running:
        running.behaviour.text = "C"
        yield running


@pytest.fixture
def config(batching: BatchServer) -> JudgeConfig:
    """A judge at that server."""
    return JudgeConfig("anthropic", "claude", batching.url, "sk-secret-0123456789", cache=False)


@pytest.fixture
def api(config: JudgeConfig) -> AnthropicBatches:
    """Its batch interface."""
    return AnthropicBatches(config)


def _entries(api: AnthropicBatches) -> list[dict[str, Any]]:
    return [api.entry(key, request) for key, request in REQUESTS.items()]


def test_the_parameters_are_those_of_single_requests(
    api: AnthropicBatches, config: JudgeConfig, batching: BatchServer
) -> None:
    """One entry for each request, under its key."""
    assert api.submit(_entries(api), "tag") == "msgbatch_0"
    engine = Engine(replace(config, concurrency=1))
    engine.map(REQUESTS.values())
    engine.close()
    sent = [request["body"] for request in batching.requests]
    (batch,) = batching.batches
    assert [entry["custom_id"] for entry in batch.entries] == list(REQUESTS)
    assert [entry["params"] for entry in batch.entries] == sent


def test_verdicts_are_written_ones_by_their_keys(api: AnthropicBatches, batching: BatchServer) -> None:
    """Texts, the served model and tokens; an entry that met an error is a failure, and others are passed over."""
    batching.refused = {1}
    batch = api.submit(_entries(api), "tag")
    keys = list(REQUESTS)
    found = dict(api.verdicts(batch, dict.fromkeys(keys[:3])))
    assert list(found) == keys[:3]
    first = found[keys[0]]
    assert (first.text, first.model, first.prompt_tokens, first.completion_tokens) == ("C", "claude", 3, 2)
    assert (found[keys[1]].ok, found[keys[1]].reason) == (False, "in the batch: errored: too long")


@pytest.mark.parametrize(
    ("answer", "reason"),
    [({"type": "text"}, "the server's answer is no message"), ({"type": "text", "text": "B"}, None)],
)
def test_a_message_without_a_text_is_a_failure(
    api: AnthropicBatches,
    batching: BatchServer,
    monkeypatch: pytest.MonkeyPatch,
    answer: dict[str, str],
    reason: str | None,
) -> None:
    """Though its entry succeeded."""
    message = {"id": "m", "type": "message", "role": "assistant", "model": "c", "content": [answer], "usage": {}}
    monkeypatch.setattr(batching, "_whole_message", lambda _: message)
    batch = api.submit(_entries(api)[:1], "tag")
    ((_, verdict),) = api.verdicts(batch, dict.fromkeys(REQUESTS))
    assert verdict.reason == reason


def test_how_far_a_batch_is_told(api: AnthropicBatches, batching: BatchServer) -> None:
    """None done while it is in progress, all when it has ended."""
    batching.ends_at = 2
    batch = api.submit(_entries(api), "tag")
    assert api.progress(batch) == BatchProgress(False, 0)
    assert api.progress(batch) == BatchProgress(True, 4)


def test_a_batch_is_found_by_its_size_and_time(api: AnthropicBatches, batching: BatchServer) -> None:
    """There are no tags: the newest one of as many entries since then is it."""
    start = time.time()
    for size in (4, 3, 4, 2):
        api.submit(_entries(api)[:size], "tag")
    assert api.find("tag", 4, start) == "msgbatch_2"
    assert api.find("tag", 1, start) is None
    for batch in batching.batches[:3]:
        batch.made = start - 3600
    assert api.find("tag", 4, start) is None
    assert api.find("tag", 2, start) == "msgbatch_3"
