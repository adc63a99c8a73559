"""What goes over the wire to servers of the OpenAI protocol, and what is read from it."""

import asyncio
import base64
import math
from pathlib import Path
from typing import Any

import pytest
from openai_server import OpenAIServer

from spiqa_tasks.judge.providers.openai import OpenAIJudge
from spiqa_tasks.judge.providers.provider import RequestError
from spiqa_tasks.judge.types import JudgeConfig, JudgeRequest, Verdict

KEY = "sk-secret-0123456789"


def verdict_of(answer: dict[str, Any], top: int | None) -> Verdict:
    """Return the verdict that an answer to a request for some log-probabilities becomes."""
    return OpenAIJudge.verdict_of(answer, JudgeRequest("p", top_logprobs=top))


def _ask(client: OpenAIJudge, *requests: JudgeRequest) -> list[Verdict]:
    """Return the verdicts on requests, asked one after another."""

    async def run() -> list[Verdict]:
        try:
            return [await client.ask(request) for request in requests]
        finally:
            await client.aclose()

    return asyncio.run(run())


def test_the_judging_request_is_the_papers(server: OpenAIServer, config: JudgeConfig) -> None:
    """One token at temperature 0 with its five most likely alternatives, and the key as a bearer
    token.
    """
    _ask(OpenAIJudge(config), JudgeRequest("the prompt"))
    sent = server.requests[0]
    assert sent["path"] == "/v1/chat/completions"
    assert sent["headers"]["authorization"] == f"Bearer {KEY}"
    assert sent["body"] == {
        "model": "gpt-4o",
        "messages": [{"role": "user", "content": "the prompt"}],
        "max_tokens": 1,
        "temperature": 0.0,
        "logprobs": True,
        "top_logprobs": 5,
    }


def test_images_go_out_as_data_urls_before_the_text(
    server: OpenAIServer, config: JudgeConfig, tmp_path: Path
) -> None:
    """They are embedded, in the type of their file."""
    (tmp_path / "a.png").write_bytes(b"pixels")
    (tmp_path / "b.jpg").write_bytes(b"jpeg")
    images = (str(tmp_path / "a.png"), str(tmp_path / "b.jpg"))
    _ask(OpenAIJudge(config), JudgeRequest("p", top_logprobs=None, images=images))
    content = server.requests[0]["body"]["messages"][0]["content"]
    encoded = [base64.b64encode(pixels).decode() for pixels in (b"pixels", b"jpeg")]
    assert [part["type"] for part in content] == ["image_url", "image_url", "text"]
    assert content[0]["image_url"]["url"] == f"data:image/png;base64,{encoded[0]}"
    assert content[1]["image_url"]["url"] == f"data:image/jpeg;base64,{encoded[1]}"


def test_max_completion_tokens_is_learned_once(server: OpenAIServer, config: JudgeConfig) -> None:
    """A server that refuses max_tokens is asked again with max_completion_tokens, and from then
    on at once.
    """
    server.behaviour.sticky = "max_tokens"
    verdicts = _ask(OpenAIJudge(config), JudgeRequest("a"), JudgeRequest("b"))
    assert all(verdict.ok for verdict in verdicts)
    names = [
        next(name for name in sent["body"] if name.startswith("max_")) for sent in server.requests
    ]
    assert names == ["max_tokens", "max_completion_tokens", "max_completion_tokens"]


def test_azure_gets_its_own_header_and_version(server: OpenAIServer) -> None:
    """On an Azure host the key is sent as api-key; the query of the base URL goes behind the
    path.
    """
    azure = JudgeConfig("openai", "gpt-4o", "https://me.openai.azure.com/openai/deployments/d", KEY)
    assert OpenAIJudge.headers(azure) == {"api-key": KEY}
    config = JudgeConfig("openai", "m", server.url + "?api-version=2024-06-01", KEY)
    _ask(OpenAIJudge(config), JudgeRequest("p"))
    assert server.requests[0]["path"] == "/v1/chat/completions?api-version=2024-06-01"


def answer(*pairs: tuple[Any, Any], **usage: Any) -> dict[str, Any]:
    """Return a chat completion with these first tokens."""
    listed = [{"token": token, "logprob": logprob} for token, logprob in pairs]
    choice = {"message": {"content": "Yes"}, "logprobs": {"content": [{"top_logprobs": listed}]}}
    return {"choices": [choice], "usage": usage}


@pytest.mark.parametrize(
    ("pairs", "fault"),
    [
        ([], "no token log-probabilities"),
        ([("Yes", False), ("No", -3.0)], "a log-probability that is none: False"),
        ([("Yes", math.nan), ("No", -3.0)], "a log-probability that is none: nan"),
        ([("Yes", -(10**400)), ("No", -3.0)], "a log-probability that is none: -1000"),
    ],
)
def test_impossible_log_probabilities_are_final(pairs: list[tuple[Any, Any]], fault: str) -> None:
    """An answer whose first tokens cannot be scored has a reason, and is not asked for again."""
    with pytest.raises(RequestError, match=fault) as caught:
        verdict_of(answer(*pairs), 2)
    assert not caught.value.retryable


def test_impossible_words_are_no_fault() -> None:
    """Servers give those -inf or -9999, round a certain one above 0, and list more than was
    asked for in any order.
    """
    pairs = [("No", -9999.0), ("Yes", 0.004), ("Maybe", -math.inf)]
    assert verdict_of(answer(*pairs), 2).top_logprobs == (("Yes", 0.004), ("No", -9999.0))
    assert verdict_of(answer(*pairs), 3).top_logprobs[2] == ("Maybe", -9999.0)  # JSON has no -inf


@pytest.mark.parametrize("count", ["9", 1.5, None, {}])
def test_a_count_that_is_none_is_not_counted(count: Any) -> None:
    """The verdict stays, its price is not known."""
    assert (
        verdict_of(answer(("Yes", -0.1), prompt_tokens=count, completion_tokens=3), 1).prompt_tokens
        == 0
    )
    assert (
        verdict_of(
            answer(("Yes", -0.1), prompt_tokens=count, completion_tokens=3), 1
        ).completion_tokens
        == 3
    )


@pytest.mark.parametrize(
    "body", [{}, {"choices": []}, {"choices": [{"message": None}]}, {"choices": 5}]
)
def test_what_is_no_chat_completion_is_final(body: dict[str, Any]) -> None:
    """Also if the content is no text: it was paid for."""
    for found in (body, {"choices": [{"message": {"content": ["x"]}}]}):
        with pytest.raises(RequestError) as error:
            verdict_of(found, None)
        assert (error.value.reason, error.value.retryable) == (
            "the server's answer is no chat completion",
            False,
        )


def written(content: Any, stop: str = "stop", **message: Any) -> dict[str, Any]:
    """A chat completion of this content."""
    return {"choices": [{"message": {"content": content, **message}, "finish_reason": stop}]}


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (
            written("", "length"),
            "the judge's answer was cut off before a verdict, ''; give its thoughts more room",
        ),
        (
            written(None, "content_filter"),
            "the judge refused to answer (content_filter): ''; choose another judge",
        ),
        (written("B", "content_filter"), "the judge refused to answer (content_filter): 'B'"),
        (written(None, refusal="I cannot."), "the judge refused to answer (refusal): 'I cannot.'"),
        (
            written("<think> Is it B?", "length"),
            "the judge's answer was cut off before a verdict, '<think> Is it B?'; give",
        ),
    ],
)
def test_a_written_answer_without_a_verdict_has_its_reason(
    body: dict[str, Any], reason: str
) -> None:
    """The end that the server names stands in it, and the answer is not asked for again."""
    with pytest.raises(RequestError) as error:
        verdict_of(body, None)
    assert error.value.reason.startswith(reason)
    assert not error.value.retryable


def test_parts_and_odd_counts_cost_nothing() -> None:
    """A content of parts is the text of its text parts; a usage that is no object leaves the
    price unknown.
    """
    parts = [{"type": "thinking", "thinking": "A?"}, {"type": "text", "text": "B"}]
    assert verdict_of(written(parts) | {"usage": "12 tokens"}, None) == Verdict("B")
    body = answer(("Yes", -0.1)) | {"usage": "x"}
    body["choices"][0]["message"]["content"] = parts
    assert (verdict_of(body, 1).text, verdict_of(body, 1).prompt_tokens) == ("B", 0)
