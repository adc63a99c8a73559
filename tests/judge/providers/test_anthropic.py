"""What goes over the wire to Anthropic's API: text and pictures in, text out."""

from __future__ import annotations

import asyncio
import base64
import contextlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from openai_server import OpenAIServer

from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.providers.anthropic import PROVIDER, AnthropicApi, verdict_of
from spiqa_tasks.judge.providers.declaration import BatchError
from spiqa_tasks.judge.retry import AskError
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
    verdict = _ask(server, JudgeRequest("p", top_logprobs=None, max_tokens=9))
    sent = server.requests[0]
    assert sent["path"] == "/v1/messages"
    assert sent["headers"]["x-api-key"] == KEY
    assert "authorization" not in sent["headers"]
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


def _api(**sdk: Any) -> AnthropicApi:
    """The judge with an SDK that answers so; `results` maps a batch to the bytes of its responses."""
    api = AnthropicApi(JudgeConfig("anthropic", "claude", "http://h/v1", KEY, extra='{"top_k": 1}'))

    @contextlib.contextmanager
    def results(batch: str) -> Iterator[SimpleNamespace]:
        yield SimpleNamespace(iter_bytes=lambda: iter([sdk["results"][batch]]))

    batches = SimpleNamespace(**sdk, with_streaming_response=SimpleNamespace(results=results))
    client = SimpleNamespace(messages=SimpleNamespace(batches=batches))
    client.with_options = lambda **options: client if options == {"max_retries": 0} else None
    api.__dict__["_sdk"] = client
    return api


def _batch(name: str, status: str = "ended", **counts: int) -> SimpleNamespace:
    """A batch with these counts, of which the others are 0."""
    kinds = ("processing", "succeeded", "errored", "canceled", "expired")
    return SimpleNamespace(
        id=name,
        processing_status=status,
        results_url=f"http://h/{name}",
        request_counts=SimpleNamespace(**{kind: counts.get(kind, 0) for kind in kinds}),
    )


class Page(list[Any]):
    """A page of a list that goes on by itself."""

    @property
    def data(self) -> list[Any]:
        return list(self)


def test_what_is_sent_is_the_message_with_the_users_own_fields() -> None:
    """In a batch under its key."""
    body = {"top_k": 1, "model": "claude", "max_tokens": 9, "temperature": 0.0}
    body |= {"messages": [{"role": "user", "content": "p"}]}
    request = JudgeRequest("p", top_logprobs=None, max_tokens=9)
    assert _api().body(request) == body
    assert _api().request("k", request) == {"custom_id": "k", "params": body}
    config = JudgeConfig("anthropic", "claude", "http://h/v1", KEY)
    assert AnthropicApi.headers(config) == {"anthropic-version": "2023-06-01", "x-api-key": KEY}
    assert AnthropicApi.headers(replace(config, api_key=None)) == {"anthropic-version": "2023-06-01"}


def test_a_message_is_its_texts_with_the_model_and_the_counts() -> None:
    """Parts of other kinds do not count."""
    parts = [{"type": "text", "text": "A"}, {"type": "thinking", "thinking": "x"}, {"type": "text", "text": "B"}]
    message = {"content": parts, "model": "claude-1", "usage": {"input_tokens": 5, "output_tokens": 2}}
    expected = Verdict("ok", "AB", (), "claude-1", None, False, 5, 2)
    assert verdict_of(message) == expected
    assert _api().verdict({"result": {"type": "succeeded", "message": message}}, None) == expected
    assert verdict_of({"content": []}) == Verdict("ok")


@pytest.mark.parametrize("message", [{}, {"content": None}, {"content": [5]}, {"content": [{"type": "text"}]}])
def test_what_is_no_message_is_asked_again(message: dict[str, Any]) -> None:
    """The reason says so."""
    with pytest.raises(AskError) as error:
        verdict_of(message)
    assert (error.value.reason, error.value.retryable) == ("the server's answer is no message", True)


@pytest.mark.parametrize(
    ("response", "reason"),
    [
        ({}, "in the batch: no answer"),
        ({"result": "x"}, "in the batch: no answer"),
        ({"result": {"type": "expired"}}, "in the batch: expired"),
        ({"result": {"type": "errored", "error": {"a": 1}, "message": {}}}, "in the batch: errored {'a': 1}"),
        ({"result": {"type": "succeeded", "message": "x"}}, "in the batch: succeeded"),
    ],
)
def test_a_response_without_an_answer_has_its_reason(response: dict[str, Any], reason: str) -> None:
    """The kind of its result and the error."""
    with pytest.raises(AskError) as error:
        _api().verdict(response, None)
    assert (error.value.reason, error.value.retryable) == (reason, False)


def test_a_batch_is_created_without_a_second_try() -> None:
    """Of the lines as they are."""
    made: list[Any] = []
    api = _api(create=lambda requests: made.append(requests) or SimpleNamespace(id="b"))
    assert api.create(({"custom_id": "a"},), "tag") == "b"
    assert made == [[{"custom_id": "a"}]]


def test_a_batch_is_found_by_its_size_and_its_first_response() -> None:
    """One that goes on may be it; batches of others, of other sizes and of other requests are not."""
    keys = {"k1", "k2"}
    sizes = [_batch("other", succeeded=2), _batch("large", succeeded=2, errored=1), _batch("foreign", canceled=2)]
    asked: list[int] = []

    def find(*batches: SimpleNamespace) -> str | None:
        api = _api(
            list=lambda limit: asked.append(limit) or Page([*sizes, *batches]),
            results={"foreign": b'{"custom_id": "x"}\n', "mine": b'{"custom_id": "k2"}\n{"custom_id": "k1"}'},
        )
        return api.find("tag", keys, ["other"])

    assert find() is None
    assert find(_batch("mine", expired=1, errored=1)) == "mine"
    assert find(_batch("open", "in_progress", processing=1, succeeded=1), _batch("mine", succeeded=2)) == ""
    assert asked == [100] * 3


def test_a_look_at_a_batch_has_its_responses_once_it_has_ended() -> None:
    """All that is not processing is done; results that were deleted are gone."""
    counts = {"processing": 5, "succeeded": 4, "errored": 3, "canceled": 2, "expired": 1}
    open_ = _api(retrieve=lambda name: _batch(name, "in_progress", **counts)).look("b")
    assert (open_.done, open_.responses) == (10, None)
    ended = _api(retrieve=_batch, results={"b": b"1\n2"}).look("b")
    assert list(ended.responses or ()) == [b"1", b"2"]
    deleted = _batch("b")
    deleted.results_url = None
    with pytest.raises(BatchError, match="found results that were deleted") as error:
        _api(retrieve=lambda _: deleted).look("b")
    assert error.value.gone
