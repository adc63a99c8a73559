"""Judges as people met them: adapted to what the refusal says, or refused in words that name the
way out.
"""

import asyncio
import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from threading import Lock
from typing import Any

import pytest
from judge_forms import (
    WITHOUT_LOGPROBS,
    Form,
    FormServer,
    Refusal,
    anthropic_of_today,
    gives_three_logprobs,
    openai_error,
    reasons_and_is_wrapped,
    refuses,
    takes_no_temperature,
    through_openrouter,
    wants_max_completion_tokens,
    wants_sixteen_tokens,
)
from openai_server import Behaviour, OpenAIServer, TopLogprobs

from spiqa_tasks.errors import JudgeError
from spiqa_tasks.judge.judge import Judge, JudgeClient
from spiqa_tasks.judge.providers.openai import OpenAIJudge
from spiqa_tasks.judge.providers.provider import Adaptation
from spiqa_tasks.judge.rules import L3ScoreRule, Rule, SampledRule
from spiqa_tasks.judge.types import JudgeConfig, JudgeRequest, Verdict


def judge_at(server: OpenAIServer, rule: Rule, provider: str = "openai") -> Judge:
    """A judge at a local server, without a cache."""
    config = JudgeConfig(provider, "gpt-5.2", server.url, "sk-secret-0123456789", timeout=10)
    return Judge(config, rule, report=False)


L3, DRAWS = L3ScoreRule(), SampledRule(draws=2)
SURE = {"logprobs": True, "top_logprobs": 5}


@pytest.mark.parametrize(
    ("form", "sent", "signed"),
    [
        (
            wants_max_completion_tokens,
            {"max_completion_tokens": 1, "temperature": 0.0, **SURE},
            "max_completion_tokens",
        ),
        (
            through_openrouter,
            {"max_completion_tokens": 1, "temperature": 0.0, **SURE},
            "max_completion_tokens",
        ),
        (
            wants_sixteen_tokens,
            {"max_tokens": 16, "temperature": 0.0, **SURE},
            "16 tokens at least",
        ),
        (takes_no_temperature, {"max_tokens": 1, **SURE}, "no temperature"),
        (
            gives_three_logprobs,
            {"max_tokens": 1, "temperature": 0.0, "logprobs": True, "top_logprobs": 3},
            "top_logprobs 3 at most",
        ),
        (
            reasons_and_is_wrapped,
            {"max_completion_tokens": 16, "logprobs": True, "top_logprobs": 3},
            "max_completion_tokens, 16 tokens at least, top_logprobs 3 at most, no temperature",
        ),
    ],
)
def test_a_refused_parameter_is_sent_as_the_refusal_says(
    form: Form, sent: dict[str, Any], signed: str
) -> None:
    """Learned by the first test question, kept for all that follow, and in the signature."""
    with FormServer(form) as server:
        judge = judge_at(server, L3)
        judge.preflight()
        refused = len(server.requests) - server.counts["ok"]
        judge.verdicts([JudgeRequest("one"), JudgeRequest("two")])
    bodies = [request["body"] for request in server.requests]
    plain = {name: value for name, value in bodies[-1].items() if name not in ("model", "messages")}
    assert plain == sent
    assert refused == signed.count(",") + 1
    assert len(server.requests) == refused + 2 + 2
    assert judge.signature["judge_adapted"] == signed


def test_anthropics_models_of_today_are_asked_without_a_temperature() -> None:
    """Which draws need none of."""
    text = lambda body: "Yes" if "Candidate answer: Blue" in str(body["messages"]) else "No"  # noqa: E731
    with FormServer(anthropic_of_today, Behaviour(text=text)) as server:
        judge = judge_at(server, DRAWS, "anthropic")
        judge.preflight()
    assert "temperature" in server.requests[0]["body"]
    assert not any("temperature" in request["body"] for request in server.requests[1:])
    assert len(server.requests) == 1 + 4


@pytest.mark.parametrize("message", ["too many tokens: 9 of 5", "max_tokens must be at least"])
def test_a_refusal_that_says_nothing_to_do_is_final(message: str) -> None:
    """The request is not made again."""
    with FormServer(refuses(openai_error(message))) as server:
        (verdict,) = JudgeClient(judge_at(server, L3).config).verdicts([JudgeRequest("p")])
    assert verdict.reason == f"HTTP 400: {message}"
    assert len(server.requests) == 1


def test_no_request_is_adapted_for_ever() -> None:
    """A server that names another least number each time is asked five times."""

    def form(body: Mapping[str, Any]) -> Refusal:
        return openai_error(f"max_tokens: expected at least {body['max_tokens'] + 1}")

    with FormServer(form) as server:
        (verdict,) = JudgeClient(judge_at(server, L3).config).verdicts([JudgeRequest("p")])
    assert "expected at least 6" in str(verdict.reason)
    assert len(server.requests) == 5


def test_a_number_in_a_models_name_is_no_number_of_log_probabilities() -> None:
    """Nor is a year, or a larger one."""
    body = {"max_tokens": 1, "top_logprobs": 5, "logprobs": True}
    for message in (
        "logprobs: gpt-4 of 2024-03-14 has none",
        "logprobs: 1 is too few",
        "logprobs: 20",
        "temperature",
    ):
        adaptation = Adaptation()
        adaptation.learn(message, body)
        assert adaptation.text == ""
        assert adaptation.applied(body) == body


@pytest.mark.parametrize(
    ("refusal", "said", "remedy"),
    [
        *((refusal, "logprobs", "--rule sampled") for refusal in WITHOUT_LOGPROBS.values()),
        (
            (404, {"error": {"type": "not_found_error", "message": "model: claude-3-5-haiku"}}),
            "HTTP 404: model: claude-3-5-haiku",
            "check the judge's model and address",
        ),
        ((407, {"message": "who are you"}), "HTTP 407", "the proxy wants a name and a password"),
        (
            (400, {"error": {"message": "Provider returned error", "metadata": {"raw": "Boom"}}}),
            "HTTP 400: Boom",
            "check SPIQA_JUDGE",
        ),
    ],
)
def test_a_judge_that_cannot_be_used_is_refused_before_the_run(
    refusal: Refusal, said: str, remedy: str
) -> None:
    """In the server's words and with what to do; a key is never blamed for log-probabilities."""
    with FormServer(refuses(refusal)) as server, pytest.raises(JudgeError) as caught:
        judge_at(server, L3).preflight()
    message = str(caught.value)
    assert said.lower() in message.lower()
    assert remedy in message
    assert ("judge's key" in message) is False
    assert len(server.requests) == 1


def test_an_address_without_v1_is_told_with_it(server: OpenAIServer) -> None:
    """Where it answers 404; its query, which may be a secret, is not repeated."""
    server.behaviour.sticky = "404"
    config = judge_at(server, L3).config
    (verdict,) = JudgeClient(
        replace(config, url=server.url.removesuffix("/v1") + "?sub=12345678")
    ).verdicts([JudgeRequest("p")])
    assert str(verdict.reason).endswith(f"try {server.url}")
    assert server.requests[0]["path"] == "/chat/completions?sub=12345678"


NOISE: dict[str, TopLogprobs] = {
    "thoughts": [("So", -0.58), ("Got", -0.82), ("Okay", -6.0), ("Yes", -13.1), ("Hm", -14.0)],
    "a line break": [("\n", -0.01), ("Yes", -6.0), ("No", -6.05), (" ", -7.0), ("\n\n", -8.0)],
}


@pytest.mark.parametrize("name", NOISE)
def test_a_judge_that_begins_with_something_else_is_no_judge(
    server: OpenAIServer, name: str
) -> None:
    """Though yes or no is among its first words: a share of almost nothing is noise."""
    server.behaviour.verdict = lambda _prompt: NOISE[name]
    with pytest.raises(JudgeError, match="is no clear yes or no"):
        judge_at(server, L3).preflight()


def listed(token: str, logprob: float, spelled: str | None = None) -> dict[str, Any]:
    bytes_ = None if spelled is None else list(spelled.encode())
    return {"token": token, "logprob": logprob, "bytes": bytes_}


@pytest.mark.parametrize(
    "entry",
    [
        {**listed("Ġyes", -0.1), "top_logprobs": [listed("Ġyes", -0.1), listed("Ġno", -2.5)]},
        {**listed("▁yes", -0.1), "top_logprobs": [listed("▁yes", -0.1), listed("▁no", -2.5)]},
        {
            **listed("token_id:9891", -0.1, " yes"),
            "top_logprobs": [listed("token_id:9891", -0.1, " yes"), listed("no", -2.5)],
        },
        {**listed("yes", -0.1), "top_logprobs": [listed("no", -2.5)]},
    ],
    ids=["byte-level", "sentencepiece", "bytes", "chosen token left out"],
)
def test_tokens_are_read_in_the_spellings_of_servers(entry: dict[str, Any]) -> None:
    """And the chosen one counts where it is not in the list."""
    choice = {"message": {"content": "yes"}, "logprobs": {"content": [entry]}}
    verdict = OpenAIJudge.verdict_of({"choices": [choice]}, JudgeRequest("p"))
    words = [(token.strip(), logprob) for token, logprob in verdict.top_logprobs]
    assert words == [("yes", -0.1), ("no", -2.5)]


def cut_off(share: int) -> Behaviour:
    """Return a thinking judge of whose draws about each question `share` in five end without an
    answer.
    """
    lock = Lock()
    draws: Counter[bool] = Counter()

    def text(body: dict[str, Any]) -> str:
        is_right = "Candidate answer: Blue" in str(body["messages"])
        # counted for each question: draws about both arrive at once, in any order
        with lock:
            draws[is_right] += 1
            has_no_answer = draws[is_right] % 5 < share
        if has_no_answer:
            return "<think>Is it so?"
        return "Yes" if is_right else "No"

    return Behaviour(text=text)


class Thinker(OpenAIServer):
    """A server that ends thoughts without an answer by the limit of tokens."""

    def _chat(self, body: dict[str, Any], logprobs: bool) -> dict[str, Any]:
        answer = super()._chat(body, logprobs)
        choice = answer["choices"][0]
        if choice["message"]["content"].startswith("<think>"):
            choice["finish_reason"] = "length"
        return answer


@pytest.mark.parametrize("share", [1, 5])
def test_a_judge_whose_draws_are_cut_off_ends_the_run_at_the_test_question(share: int) -> None:
    """Also one of five: two answers in three would fail. The sentence names the option that gives
    them room.
    """
    rule = SampledRule(draws=5, thoughts=100)
    with Thinker(cut_off(share)) as server:
        judge = judge_at(server, rule)
        with pytest.raises(JudgeError, match=r"cut off before a verdict.*--thinking-tokens"):
            judge.preflight()
    assert {request["body"]["max_tokens"] for request in server.requests} == {116}


def ask(config: JudgeConfig) -> Verdict:
    (verdict,) = JudgeClient(config).verdicts([JudgeRequest("p", top_logprobs=None)])
    return verdict


def test_a_header_of_ones_own_is_sent_and_written_nowhere(
    server: OpenAIServer, config: JudgeConfig
) -> None:
    """Beside the key, and hidden like it."""
    server.behaviour.text = "the tenant is secret-tenant"
    own = replace(config, headers=(("X-Tenant", "secret-tenant"),), timeout=10)
    assert ask(own).text == "the tenant is [key]"
    assert server.requests[0]["headers"]["x-tenant"] == "secret-tenant"
    assert "secret-tenant" not in repr(own)


def test_a_gateway_of_azure_gets_the_key_both_ways() -> None:
    """It may stand before a server of either protocol."""
    gateway = JudgeConfig("openai", "m", "https://acme.azure-api.net/openai/v1", "k")
    assert OpenAIJudge.headers(gateway) == {"api-key": "k", "Authorization": "Bearer k"}


def test_a_socks_proxy_is_refused_in_a_sentence(
    config: JudgeConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """But for the hosts that it is not for."""
    for name in ("http_proxy", "HTTP_PROXY", "no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:1")
    config = replace(config, timeout=10)
    assert "behind a SOCKS proxy" in str(ask(config).reason)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    assert ask(config).ok


def test_a_proxy_that_wants_a_password_is_named(
    config: JudgeConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its 407 is not the judge's."""

    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
        await writer.drain()
        writer.close()

    async def run() -> Verdict:
        proxy = await asyncio.start_server(refuse, "127.0.0.1", 0)
        port = proxy.sockets[0].getsockname()[1]
        monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{port}")
        monkeypatch.setenv("NO_PROXY", "")
        async with proxy:
            client = OpenAIJudge(replace(config, url="https://judge.invalid/v1", timeout=10))
            try:
                return await client.ask(JudgeRequest("p"))
            finally:
                await client.aclose()

    with pytest.raises(Exception, match=r"407.*the proxy wants a name and a password"):
        asyncio.run(run())


@pytest.mark.parametrize(
    ("model", "url", "cost"),
    [
        ("gpt-4o", "https://api.openai.com/v1", 7.5),
        ("gpt-4o-2024-05-13", "https://api.openai.com/v1", 12.5),
        ("openai/gpt-4o", "https://openrouter.ai/api/v1", 7.5),
        ("unheard-of", "https://api.openai.com/v1", None),
        ("gpt-4o", "http://127.0.0.1:8000/v1", None),
        ("gpt-4o", "", None),
    ],
)
def test_a_price_is_the_list_price_of_the_address(model: str, url: str, cost: float | None) -> None:
    """US dollars; not known for a server of one's own, or a model in this process."""
    pytest.importorskip("genai_prices")
    found = JudgeConfig("openai", model, url).cost(1_000_000, 500_000)
    assert found == (None if cost is None else pytest.approx(cost))
    assert math.isfinite(found or 0.0)
