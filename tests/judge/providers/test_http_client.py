"""JSON over HTTP to a judge's server: what comes back, and the one error that every failure becomes."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import pytest
from openai_server import OpenAIServer

from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.providers.http_client import LARGEST_ANSWER, JsonClient, _parsed, _proxy
from spiqa_tasks.judge.retry import AskError, HttpError

BODY = {"model": "m", "messages": [{"role": "user", "content": "hello"}]}
PATH = "/chat/completions"


def _post(config: JudgeConfig, *paths: str, headers: dict[str, str] | None = None) -> list[dict[str, Any]]:
    """The answers to posts one after another, through one client."""

    async def run() -> list[dict[str, Any]]:
        client = JsonClient(config, headers or {})
        try:
            return [await client.post(path, BODY) for path in paths]
        finally:
            await client.aclose()
            await client.aclose()

    return asyncio.run(run())


def _failure(config: JudgeConfig) -> AskError:
    with pytest.raises(AskError) as caught:
        _post(config, PATH)
    return caught.value


def test_the_answer_is_the_servers_json_object(server: OpenAIServer, config: JudgeConfig) -> None:
    """The body goes out as JSON with the headers that the provider wants."""
    (answer,) = _post(config, PATH, headers={"X-Mine": "yes"})
    assert answer["choices"][0]["message"]["content"] == "A plain answer."
    (sent,) = server.requests
    assert (sent["body"], sent["headers"]["x-mine"]) == (BODY, "yes")
    assert sent["headers"]["content-type"].startswith("application/json")


@pytest.mark.parametrize("end", ["", "/", "?api-version=2024-06-01", "/deployments/a%2Fb?x=1"])
def test_the_path_goes_under_the_base_url_before_its_query(server: OpenAIServer, config: JudgeConfig, end: str) -> None:
    """A slash at the end does not double, and what is percent-encoded stays so."""
    _post(replace(config, url=server.url + end), PATH)
    path, mark, query = f"/v1{end}".partition("?")
    assert server.requests[0]["path"] == path.rstrip("/") + PATH + mark + query


def test_connections_are_kept_open_and_at_most_so_many(server: OpenAIServer, config: JudgeConfig) -> None:
    """Twelve posts at once through two connections: never more than two are in work."""
    server.behaviour.latency = 0.02

    async def run() -> None:
        client = JsonClient(replace(config, concurrency=2, timeout=10), {})
        await asyncio.gather(*(client.post(PATH, BODY) for _ in range(12)))
        await client.aclose()

    asyncio.run(run())
    assert (len(server.requests), server.most_active) == (12, 2)


@pytest.mark.parametrize(
    ("fault", "reason", "retryable"),
    [
        ("timeout", "no answer within 0.2 s", True),
        ("not_json", "the server's answer is not a JSON object", True),
        ("truncated", "the server's answer is not a JSON object", True),
        ("deep", "the server's answer is not a JSON object", True),
        ("huge", "the server's answer is larger than 16 MB", False),
        ("500", "HTTP 500: fault 500", True),
        ("400", "HTTP 400: fault 400", False),
    ],
)
def test_every_failure_is_one_reason(
    server: OpenAIServer, config: JudgeConfig, fault: str, reason: str, retryable: bool
) -> None:
    """It says what was wrong, and whether the same post may succeed later."""
    server.behaviour.sticky = fault
    error = _failure(replace(config, timeout=0.2 if fault == "timeout" else 10))
    assert (error.reason, error.retryable, error.refused) == (reason, retryable, False)
    assert LARGEST_ANSWER == 16 * 1024 * 1024


def test_a_refusal_tells_how_long_to_wait(server: OpenAIServer, config: JudgeConfig) -> None:
    """The seconds of Retry-After come with the error; without that header there are none."""
    server.behaviour.sticky = "429"
    for header, seconds in (("7", 7.0), (None, None)):
        server.behaviour.retry_after = header
        error = _failure(config)
        assert (error.refused, error.retryable, error.retry_after) == (True, True, seconds)


def test_a_number_as_code_does_not_hide_an_empty_account(server: OpenAIServer, config: JudgeConfig) -> None:
    """`insufficient_quota` as the type is final beside a code that is a number."""
    server.behaviour.sticky = "quota"
    error = _failure(config)
    assert not error.retryable
    assert error.reason.startswith("HTTP 429: No credit.; the account's quota is used up")


def test_a_redirection_is_not_followed(server: OpenAIServer, config: JudgeConfig) -> None:
    """The key would go along; the reason says where it leads and what to set."""
    server.behaviour.sticky = "redirect"
    error = _failure(config)
    assert isinstance(error, HttpError)
    assert (error.status, error.message) == (308, "it redirects to https://elsewhere.example/v1")
    assert "SPIQA_JUDGE_BASE_URL" in error.reason


def test_a_server_that_repeats_the_key_does_not_get_it_into_the_reason(
    server: OpenAIServer, config: JudgeConfig
) -> None:
    """In its place stands [key]."""
    server.behaviour.sticky = "echo_key"
    with pytest.raises(HttpError, match=r"Incorrect API key provided: Bearer \[key\]\.") as caught:
        _post(config, PATH, headers={"Authorization": f"Bearer {config.api_key}"})
    assert str(config.api_key) not in f"{caught.value.reason} {caught.value!r}"


def test_where_nobody_listens_the_remedy_is_the_address(config: JudgeConfig) -> None:
    """The connection may come later, so another try is worth it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    error = _failure(replace(config, url=f"http://127.0.0.1:{port}/v1"))
    assert error.retryable
    assert error.reason.endswith("check the judge's address (SPIQA_JUDGE_BASE_URL) and that its server runs")


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({"error": {"message": "in\n  two   lines"}}, "in two lines"),
        ({"error": "a text"}, "a text"),
        ({"error": {"message": {"a": [1]}}}, '{"a": [1]}'),
        ({"error": {"message": "x" * 1000}}, "x" * 300),
    ],
)
def test_an_error_with_status_200_is_an_error(
    server: OpenAIServer, config: JudgeConfig, monkeypatch: pytest.MonkeyPatch, answer: dict[str, Any], said: str
) -> None:
    """Some gateways answer so; the message is one line of at most 300 characters, whatever its form."""
    told: Callable[..., dict[str, Any]] = lambda *_: answer  # noqa: E731
    monkeypatch.setattr(server, "_chat", told)
    error = _failure(config)
    assert (error.reason, error.retryable) == (f"the server answered with an error: {said}", True)


def test_the_environments_proxy_is_used_but_for_the_hosts_that_it_names(
    server: OpenAIServer, config: JudgeConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A judge behind HTTP_PROXY is asked through it, one in NO_PROXY directly."""
    proxy = server.url.removesuffix("/v1")
    for name in ("http_proxy", "no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HTTP_PROXY", proxy)
    away = replace(config, url="http://judge.invalid/v1")
    assert _post(away, PATH)[0]["choices"]
    assert server.requests[-1]["headers"]["host"] == "judge.invalid"
    monkeypatch.setenv("NO_PROXY", "judge.invalid")
    assert "judge.invalid" in _failure(away).reason
    assert len(server.requests) == 1


def _client(key: str | None = "k" * 20) -> JsonClient:
    return JsonClient(JudgeConfig("openai", "m", "http://127.0.0.1:1/v1", key), {})


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"error": {"message": "no\n  credit"}}, "no credit"),
        ({"error": {"code": 5}}, '{"code": 5}'),
        ({"error": "bad " + "k" * 20}, "bad [key]"),
        ({"message": "as it is"}, "as it is"),
        ({"detail": "x"}, '{"detail": "x"}'),
        (["x"], '["x"]'),
        ("<html>" + "x" * 400, "<html>" + "x" * 294),
        (None, "null"),
    ],
)
def test_the_message_of_an_error_is_found_in_every_form(body: Any, message: str) -> None:
    """In one line of at most 300 characters, without the key."""
    assert _client()._message(body) == message


@dataclass
class Response:
    """A response with an error status, as far as it is looked at."""

    status: int
    headers: Mapping[str, str]


def test_an_error_status_has_its_codes_and_its_target() -> None:
    """Both the code and the type count where they are texts; a target only of a redirection."""
    client, headers = _client(), {"Location": "http://elsewhere/" + "x" * 400, "retry-after": "3"}
    error = client._http_error(Response(429, headers), {"error": {"code": "insufficient_quota", "message": "m"}})  # type: ignore[arg-type]
    assert (error.retryable, error.message, error.retry_after, error.status) == (False, "m", 3.0, 429)
    error = client._http_error(Response(429, {}), {"error": {"type": "billing_not_active", "code": 7}})  # type: ignore[arg-type]
    assert (error.retryable, error.retry_after) == (False, None)
    assert client._http_error(Response(429, {}), {"error": "x"}).retryable  # type: ignore[arg-type]
    assert client._http_error(Response(500, {}), ["x"]).message == '["x"]'  # type: ignore[arg-type]
    for status, is_told in ((299, False), (300, True), (399, True), (400, False)):
        message = client._http_error(Response(status, headers), "body").message  # type: ignore[arg-type]
        assert message == (("it redirects to " + headers["Location"][:300]) if is_told else "body")
    assert client._http_error(Response(308, {}), "body").message == "body"  # type: ignore[arg-type]


def test_the_proxy_is_that_of_the_environment_for_the_scheme(monkeypatch: pytest.MonkeyPatch) -> None:
    """None for hosts that it leaves out."""
    monkeypatch.setenv("HTTP_PROXY", "http://proxy:1")
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy:2")
    monkeypatch.setenv("NO_PROXY", "inside")
    urls = ("http://h/v1", "https://h/v1", "http://inside/v1", "http://inside:8/v1", "ftp://h", "")
    assert [_proxy(url) for url in urls] == ["http://proxy:1", "http://proxy:2", None, None, None, None]


def test_what_is_no_json_is_nothing() -> None:
    """Nor is what is nested too deeply."""
    assert _parsed(b'{"a": [1]}') == {"a": [1]}
    assert [_parsed(content) for content in (b"{", b"", b"\xff", b"[" * 200_000)] == [None] * 4
