"""Pictures and prompt on the way to a judge's server."""

from __future__ import annotations

import asyncio
import base64
import itertools
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from openai_server import OpenAIServer

from spiqa_tasks.errors import JudgeError
from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.providers import server as module
from spiqa_tasks.judge.providers.declaration import BatchError
from spiqa_tasks.judge.providers.openai import OpenAIApi
from spiqa_tasks.judge.providers.server import RETRIES, listed, told
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


class FakeRequest:
    """A request of an SDK's HTTP client, as far as it is looked at."""

    def __init__(self, url: str, **headers: str) -> None:
        httpx = pytest.importorskip("httpx")
        self.url = httpx.URL(url)
        self.headers = httpx.Headers(headers)


def _check(config: JudgeConfig) -> tuple[dict[str, Any], Any, dict[str, Any]]:
    """The options of an SDK, what looks at its requests, and the options of its HTTP client."""
    given: dict[str, Any] = {}

    def client(**options: Any) -> str:
        given.update(options)
        return "client"

    options = OpenAIApi(config).sdk_options(client)
    (check,) = given["event_hooks"]["request"]
    return options, check, given


def test_an_sdk_sends_plain_headers_and_the_judges_own_to_its_host_alone() -> None:
    """Whatever its environment adds; it reads its own fields again, which no server does."""
    config = JudgeConfig("openai", "m", "http://h:81/v1", "k" * 20, timeout=7.0)
    options, check, given = _check(config)
    assert options == {"api_key": "k" * 20, "max_retries": RETRIES, "http_client": "client"}
    assert (given["follow_redirects"], given["timeout"]) == (False, 7.0)
    request = FakeRequest("http://h:81/v1/batches", authorization="Bearer other", accept="a", cookie="c")
    request.headers["x-stainless-lang"] = "python"
    check(request)
    assert dict(request.headers) == {"accept": "a", "x-stainless-lang": "python", "authorization": f"Bearer {'k' * 20}"}
    for elsewhere, host in (("http://h/v1", "h"), ("https://h:81/v1", "h"), ("http://g:81/v1", "g")):
        with pytest.raises(
            BatchError, match=f"judge openai:m to answer, found an answer that points to another host, {host}. Check"
        ):
            check(FakeRequest(elsewhere))
    assert _check(replace(config, api_key=None))[0]["api_key"] == "none"


def test_a_download_is_lines_whatever_its_pieces() -> None:
    """Cut anywhere, with the rest behind the last line end."""
    content = b'{"a": 1}\n\n{"b": 2}\n{"c"'
    for size in (1, 2, 3, 100):
        chunks = [content[at : at + size] for at in range(0, len(content), size)]
        assert list(API.lines_of(chunks)) == [b'{"a": 1}', b"", b'{"b": 2}', b'{"c"']
    assert list(API.lines_of([])) == [b""]


def test_a_download_without_end_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """A line that is too long, or bytes that come for too long; before that everything is given."""
    monkeypatch.setattr(module, "LONGEST_LINE", 10)
    assert list(API.lines_of([b"x" * 10])) == [b"x" * 10]
    with pytest.raises(BatchError, match="the judge openai:m to answer, found responses without end"):
        list(API.lines_of([b"x" * 11]))
    clock = itertools.count(0.0, 900.0)
    monkeypatch.setattr(module.time, "monotonic", lambda: next(clock))
    lines = API.lines_of(itertools.repeat(b"a\n"))
    assert [next(lines) for _ in range(5)] == [b"a"] * 5
    with pytest.raises(BatchError):
        next(lines)


def test_a_response_without_an_answer_says_what_it_has() -> None:
    """Without the key, at most 300 characters, and it is not asked again."""
    error = API.unanswered(429, None, {"message": "k" * 20})
    assert (error.reason, error.retryable) == ("in the batch: 429 {'message': '[key]'}", False)
    assert API.unanswered(None, "").reason == "in the batch: no answer"
    assert len(API.unanswered("x" * 400).reason) == 300


def test_a_list_of_batches_ends_and_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """An endless one is cut; what is no list is told."""

    class Page:
        data: object = []

        def __iter__(self) -> Iterator[int]:
            return itertools.count()

    monkeypatch.setattr(module, "LONGEST_LIST", 3)
    assert list(listed(Page())) == [0, 1, 2]
    Page.data = 5
    with pytest.raises(TypeError, match=r"^no list of batches$"):
        listed(Page())


def test_whatever_an_sdk_raises_is_a_batch_error() -> None:
    """With its status and the first cause in one line, without the key; our own errors stay what they are."""
    config = JudgeConfig("openai", "m", "http://h/v1", "k" * 20)
    cause = OSError(f"no  route\nto {'k' * 20} " + "x" * 400)
    raised = ValueError("wrapped")
    raised.status_code = 503  # type: ignore[attr-defined]
    with pytest.raises(BatchError) as error, told(config):
        raise raised from cause
    assert f"found {('no route to [key] ' + 'x' * 400)[:300]}. Check" in str(error.value)
    assert not error.value.refused
    with pytest.raises(BatchError, match=r"found KeyError\. Check"), told(config):
        raise KeyError
    ours = JudgeError("as it is")
    with pytest.raises(JudgeError) as kept, told(config):
        raise ours
    assert kept.value is ours


def test_requests_go_out_with_the_headers_of_the_provider_until_it_is_closed(server: OpenAIServer) -> None:
    """Over connections of its own."""

    async def run() -> str:
        api = OpenAIApi(JudgeConfig("openai", "m", server.url, "k" * 20, extra='{"seed": 1}'))
        verdict = await api.ask(JudgeRequest("p", top_logprobs=None))
        await api.aclose()
        return verdict.text

    assert asyncio.run(run()) == "A plain answer."
    (sent,) = server.requests
    assert (sent["headers"]["authorization"], sent["body"]["seed"]) == (f"Bearer {'k' * 20}", 1)
