"""What goes over the wire to Anthropic's API: text and pictures in, text out."""

from __future__ import annotations

import asyncio
import base64
from pathlib import Path

from openai_server import OpenAIServer

from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.providers.anthropic import PROVIDER, AnthropicApi
from spiqa_tasks.judge.types import JudgeRequest, Verdict

KEY = "sk-ant-0123456789"


def _ask(server: OpenAIServer, request: JudgeRequest) -> Verdict:
    async def run() -> Verdict:
        client = AnthropicApi(JudgeConfig("anthropic", "claude", server.url, KEY))
        try:
            return await client.ask(request)
        finally:
            await client.aclose()

    return asyncio.run(run())


def test_anthropic_writes_text(server: OpenAIServer) -> None:
    """The messages API gets its own headers and gives text and token counts."""
    server.behaviour.text = "B"
    verdict = _ask(server, JudgeRequest("p", top_logprobs=None, max_tokens=9, system="s"))
    sent = server.requests[0]
    assert sent["path"] == "/v1/messages"
    assert sent["headers"]["x-api-key"] == KEY
    assert "authorization" not in sent["headers"]
    assert sent["body"]["system"] == "s"
    assert (verdict.text, verdict.prompt_tokens, verdict.completion_tokens) == ("B", 3, 2)


def test_no_model_gives_logprobs() -> None:
    """The declaration says so for any model, before anything is asked."""
    assert "Anthropic" in (PROVIDER.cannot("claude", JudgeRequest("p")) or "")
    assert PROVIDER.cannot("claude", JudgeRequest("p", top_logprobs=None, images=("a.png",))) is None


def test_pictures_precede_the_text(server: OpenAIServer, tmp_path: Path) -> None:
    """A local picture and a data URL go out as base64, an address as such, each as a block before the text."""
    (tmp_path / "a.jpg").write_bytes(b"jpeg")
    images = (str(tmp_path / "a.jpg"), "data:image/png;base64,AAAA", "https://x/y.png")

    assert _ask(server, JudgeRequest("rank", top_logprobs=None, images=images, max_tokens=9)).text == "A plain answer."
    (content,) = (message["content"] for message in server.requests[0]["body"]["messages"])
    assert [block.get("source") for block in content] == [
        {"type": "base64", "media_type": "image/jpeg", "data": base64.b64encode(b"jpeg").decode()},
        {"type": "base64", "media_type": "image/png", "data": "AAAA"},
        {"type": "url", "url": "https://x/y.png"},
        None,
    ]
    assert content[-1] == {"type": "text", "text": "rank"}
