"""Pictures and prompt on the way to a judge's server."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.providers.openai import OpenAIApi
from spiqa_tasks.judge.types import JudgeRequest

API = OpenAIApi(JudgeConfig("openai", "m", "http://h/v1", "k" * 20))


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.png", "image/png"),
        ("a.jpg", "image/jpeg"),
        ("A.JPEG", "image/jpeg"),
        ("a.b.gif", "image/gif"),
        ("figure", "image/png"),
        ("figure.unknown", "image/png"),
    ],
)
def test_the_type_is_told_by_the_name_and_the_bytes_arrive(tmp_path: Path, name: str, kind: str) -> None:
    """What has no known ending goes out as a PNG; any bytes come back from the text."""
    content = bytes(range(256)) * 3
    (tmp_path / name).write_bytes(content)
    picture, text = API.content_of(JudgeRequest("p", images=(str(tmp_path / name),)))
    head, _, data = picture["image_url"]["url"].partition(",")  # type: ignore[union-attr]
    assert head == f"data:{kind};base64"
    assert base64.b64decode(data, validate=True) == content
    assert text == {"type": "text", "text": "p"}


def test_a_url_stays_and_a_prompt_alone_is_a_text() -> None:
    """Pictures come before the prompt, in their order."""
    urls = ("https://h/a.png", "http://h/b.png", "data:image/gif;base64,AA==")
    *parts, _ = API.content_of(JudgeRequest("p", images=urls))
    assert parts == [{"type": "image_url", "image_url": {"url": url}} for url in urls]
    assert API.content_of(JudgeRequest("p")) == "p"


def test_half_a_surrogate_pair_is_a_question_mark() -> None:
    """It is no text, and servers refuse a request with it; any other text is sent as it is."""
    assert API.content_of(JudgeRequest("a\ud800b é 🙂")) == "a?b é 🙂"
