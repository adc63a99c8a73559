"""Batches behind the OpenAI protocol, each call against a server that speaks files and batches."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from batch_server import BatchServer

from spiqa_tasks.errors import JudgeError
from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.engine import Engine
from spiqa_tasks.judge.providers.declaration import BatchProgress
from spiqa_tasks.judge.providers.openai_batches import OpenAIBatches
from spiqa_tasks.judge.types import JudgeRequest

KEY = "sk-secret-0123456789"
REQUESTS = {
    "a" * 64: JudgeRequest("Ground-truth answer: red\nCandidate answer: red", top_logprobs=3),
    "b" * 64: JudgeRequest("Write it.", top_logprobs=None, system="Be brief.", max_tokens=9),
    "c" * 64: JudgeRequest("Ground-truth answer: red\nCandidate answer: blue"),
}
TOPS = {"a" * 64: 3, "b" * 64: None, "c" * 64: 5}


@pytest.fixture
def batching() -> Iterator[BatchServer]:
    """A server whose batches end at the first look."""
    with BatchServer() as running:
        yield running


@pytest.fixture
def config(batching: BatchServer) -> JudgeConfig:
    """A judge at that server."""
    return JudgeConfig("openai", "gpt-4o", batching.url, KEY, cache=False)


@pytest.fixture
def api(config: JudgeConfig) -> OpenAIBatches:
    """Its batch interface."""
    return OpenAIBatches(config)


def _entries(api: OpenAIBatches) -> list[dict[str, Any]]:
    return [api.entry(key, request) for key, request in REQUESTS.items()]


def test_a_file_has_a_line_for_each_request_with_its_body(
    api: OpenAIBatches, config: JudgeConfig, batching: BatchServer
) -> None:
    """The bodies are those of single requests, and the batch carries the tag."""
    assert api.submit(_entries(api), "tag-1") == "batch_0"
    (lines,) = batching.files.values()
    assert [json.loads(line)["custom_id"] for line in lines.splitlines()] == list(REQUESTS)
    assert batching.batches[0].metadata == {"spiqa_tasks": "tag-1"}
    engine = Engine(replace(config, concurrency=1))
    engine.map(REQUESTS.values())
    engine.close()
    assert [json.loads(line)["body"] for line in lines.splitlines()] == [sent["body"] for sent in batching.requests]


def test_verdicts_come_by_their_keys(api: OpenAIBatches, batching: BatchServer) -> None:
    """Log-probabilities as many as were asked for, texts without any; a refused one says why, a lost one nothing."""
    batch = api.submit(_entries(api), "t")
    found = dict(api.verdicts(batch, TOPS))
    assert found.keys() == REQUESTS.keys()
    assert [(verdict.text, len(verdict.top_logprobs)) for _, verdict in sorted(found.items())] == [
        ("Yes", 3),
        ("A plain answer.", 0),
        ("No", 5),
    ]
    batching.refused, batching.silent = {0}, {1}
    found = dict(api.verdicts(batch, TOPS))
    assert {key[0]: verdict.reason for key, verdict in found.items()} == {
        "a": "in the batch: HTTP 400: too long",
        "c": None,
    }


def test_lines_of_other_requests_are_passed_over(api: OpenAIBatches) -> None:
    """Only keys that are asked for count."""
    batch = api.submit(_entries(api), "t")
    assert [key for key, _ in api.verdicts(batch, {"c" * 64: 5})] == ["c" * 64]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ({"error": {"code": "batch_expired", "message": "It expired."}}, "in the batch: It expired."),
        ({"response": {"status_code": 429, "body": "slow down"}}, "in the batch: HTTP 429: slow down"),
        ({"response": {"status_code": 500, "body": None}}, "in the batch: HTTP 500"),
        ({}, "in the batch: no answer"),
        ({"response": {"status_code": 200, "body": {"choices": []}}}, "the server's answer is no chat completion"),
    ],
)
def test_a_line_without_an_answer_is_a_failure_with_its_reason(
    api: OpenAIBatches, batching: BatchServer, monkeypatch: pytest.MonkeyPatch, line: dict[str, Any], reason: str
) -> None:
    """In each form that a server has for it."""
    monkeypatch.setattr(batching, "_lines", lambda _: {"error": [json.dumps({"custom_id": "k", **line})]})
    ((key, verdict),) = api.verdicts(api.submit(_entries(api), "t"), {"k": 5})
    assert (key, verdict.ok, verdict.reason) == ("k", False, reason)


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "[" * 200_000,
        "[]",
        "5",
        '{"custom_id": ["k"]}',
        '{"custom_id": {"k": 1}, "response": {}}',
        '{"custom_id": "k", "response": "text"}',
        '{"custom_id": "k", "response": [1]}',
        "",
    ],
)
def test_no_line_breaks_the_reading_of_the_others(
    api: OpenAIBatches, batching: BatchServer, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    """What is no line of an answer says nothing, and those before and after it are read."""
    good = [json.dumps({"custom_id": key, "error": {"message": key}}) for key in ("first", "last")]
    monkeypatch.setattr(batching, "_lines", lambda _: {"output": [good[0], line, good[1]]})
    found = api.verdicts(api.submit(_entries(api), "t"), {"first": 5, "k": 5, "last": None})
    assert [key for key, _ in found] == ["first", "last"]


def test_how_far_a_batch_is_told(api: OpenAIBatches, batching: BatchServer) -> None:
    """How many requests are done, whether it ended, and nothing else while all is well."""
    batching.ends_at = 2
    batch = api.submit(_entries(api), "t")
    assert api.progress(batch) == BatchProgress(False, 1)
    assert api.progress(batch) == BatchProgress(True, 2)


@pytest.mark.parametrize(
    ("status", "fault"),
    [
        ("failed", "the batch failed; a line is no request"),
        ("expired", "the batch expired"),
        ("cancelled", "the batch cancelled"),
    ],
)
def test_a_batch_that_ended_early_says_why(api: OpenAIBatches, batching: BatchServer, status: str, fault: str) -> None:
    """Its status, and what the server adds."""
    batching.status = status
    progress = api.progress(api.submit(_entries(api), "t"))
    assert (progress.ended, progress.fault) == (True, fault)


def test_a_batch_is_found_by_its_tag_and_time(api: OpenAIBatches, batching: BatchServer) -> None:
    """The newest one with the tag; one from before is not it, nor is one with another tag."""
    start = time.time()
    for tag in ("t", "u", "t", "v"):
        api.submit(_entries(api), tag)
    assert api.find("t", 3, start) == "batch_2"
    assert api.find("w", 3, start) is None
    batching.batches[2].made = batching.batches[0].made = start - 3600
    assert api.find("t", 3, start) is None


def test_a_refusal_is_a_judge_error_without_the_key(api: OpenAIBatches, batching: BatchServer) -> None:
    """The server repeats the key, the sentence does not."""
    batching.behaviour.sticky = "401"
    with pytest.raises(JudgeError, match=r"no batches for Bearer \[key\]") as caught:
        api.submit(_entries(api), "t")
    assert KEY not in str(caught.value)
