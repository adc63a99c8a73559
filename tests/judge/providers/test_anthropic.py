"""What goes over the wire to Anthropic's API: text and pictures in, text out."""

import asyncio
import base64
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from openai_server import OpenAIServer

from spiqa_tasks.judge.providers.anthropic import AnthropicJudge
from spiqa_tasks.judge.providers.provider import RequestError
from spiqa_tasks.judge.types import JudgeConfig, JudgeRequest, Verdict

KEY = "sk-ant-0123456789"
TEXT = JudgeRequest("p", top_logprobs=None, max_tokens=9)


def _ask(server: OpenAIServer, request: JudgeRequest) -> Verdict:
    """Return the verdict on a request."""

    async def run() -> Verdict:
        client = AnthropicJudge(JudgeConfig("anthropic", "claude", server.url, KEY))
        try:
            return await client.ask(request)
        finally:
            await client.aclose()

    return asyncio.run(run())


def test_anthropic_writes_text(server: OpenAIServer) -> None:
    """The messages API gets its own headers and gives text and token counts."""
    server.behaviour.text = "B"
    verdict = _ask(server, JudgeRequest("p", top_logprobs=None, max_tokens=9))
    sent = server.requests[0]
    assert sent["path"] == "/v1/messages"
    assert sent["headers"]["x-api-key"] == KEY
    assert "authorization" not in sent["headers"]
    assert (verdict.text, verdict.prompt_tokens, verdict.completion_tokens) == ("B", 3, 2)


def test_pictures_precede_the_text(server: OpenAIServer, tmp_path: Path) -> None:
    """Each goes out as base64, as a block before the text."""
    (tmp_path / "a.jpg").write_bytes(b"jpeg")
    (tmp_path / "b.png").write_bytes(b"png")
    images = (str(tmp_path / "a.jpg"), str(tmp_path / "b.png"))

    assert (
        _ask(server, JudgeRequest("rank", top_logprobs=None, images=images, max_tokens=9)).text
        == "A plain answer."
    )
    (content,) = (message["content"] for message in server.requests[0]["body"]["messages"])
    assert [block.get("source") for block in content] == [
        {"type": "base64", "media_type": "image/jpeg", "data": base64.b64encode(b"jpeg").decode()},
        {"type": "base64", "media_type": "image/png", "data": base64.b64encode(b"png").decode()},
        None,
    ]
    assert content[-1] == {"type": "text", "text": "rank"}


def _api() -> AnthropicJudge:
    return AnthropicJudge(
        JudgeConfig("anthropic", "claude", "http://h/v1", KEY, extra='{"top_k": 1}')
    )


def test_what_is_sent_is_the_message_with_the_users_own_fields() -> None:
    """Beside model and prompt."""
    body = {"top_k": 1, "model": "claude", "max_tokens": 9, "temperature": 0.0}
    body |= {"messages": [{"role": "user", "content": "p"}]}
    request = JudgeRequest("p", top_logprobs=None, max_tokens=9)
    assert _api().body(request) == body
    config = JudgeConfig("anthropic", "claude", "http://h/v1", KEY)
    assert AnthropicJudge.headers(config) == {"anthropic-version": "2023-06-01", "x-api-key": KEY}
    assert AnthropicJudge.headers(replace(config, api_key=None)) == {
        "anthropic-version": "2023-06-01"
    }


def test_a_message_is_its_texts_with_the_model_and_the_counts() -> None:
    """Parts of other kinds do not count."""
    parts = [
        {"type": "text", "text": "A"},
        {"type": "thinking", "thinking": "x"},
        {"type": "text", "text": "B"},
    ]
    message = {
        "content": parts,
        "model": "claude-1",
        "usage": {"input_tokens": 5, "output_tokens": 2},
    }
    expected = Verdict("AB", (), "claude-1", None, False, 5, 2)
    assert AnthropicJudge.verdict_of(message, TEXT) == expected


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ({}, "the server's answer is no message"),
        ({"content": [5]}, "the server's answer is no message"),
        ({"content": [{"type": "text"}]}, "the server's answer is no message"),
        (
            {"content": [], "stop_reason": "refusal"},
            "the judge refused to answer (refusal): ''; choose another judge",
        ),
        (
            {"content": [], "stop_reason": "max_tokens"},
            "the judge's answer was cut off before a verdict, ''; give its thoughts more room",
        ),
    ],
)
def test_what_is_no_verdict_has_its_reason(message: dict[str, Any], reason: str) -> None:
    """It was paid for and is not asked for again."""
    with pytest.raises(RequestError) as error:
        AnthropicJudge.verdict_of(message, TEXT)
    assert error.value.reason.startswith(reason)
    assert not error.value.retryable
