"""Judges behind Anthropic's API see pictures, for rankings of captions."""

from __future__ import annotations

import asyncio
import base64
from pathlib import Path

from openai_server import OpenAIServer

from spiqa_tasks.judge.anthropic_api import AnthropicApi
from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.types import JudgeRequest


def test_pictures_precede_the_text(server: OpenAIServer, tmp_path: Path) -> None:
    """A local picture and a data URL go out as base64, an address as such, each as a block before the text."""
    (tmp_path / "a.jpg").write_bytes(b"jpeg")
    images = (str(tmp_path / "a.jpg"), "data:image/png;base64,AAAA", "https://x/y.png")

    async def ask() -> str:
        provider = AnthropicApi(JudgeConfig("anthropic", "claude", server.url, "key"))
        verdict = await provider.ask(JudgeRequest("rank", kind="text", images=images, max_tokens=9))
        await provider.aclose()
        return verdict.text

    assert asyncio.run(ask()) == "A plain answer."
    (content,) = (message["content"] for message in server.requests[0]["body"]["messages"])
    assert [block.get("source") for block in content] == [
        {"type": "base64", "media_type": "image/jpeg", "data": base64.b64encode(b"jpeg").decode()},
        {"type": "base64", "media_type": "image/png", "data": "AAAA"},
        {"type": "url", "url": "https://x/y.png"},
        None,
    ]
    assert content[-1] == {"type": "text", "text": "rank"}
