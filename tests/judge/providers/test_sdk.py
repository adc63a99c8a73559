"""What goes to a judge's server through an SDK and what comes back: every failure becomes one
classified error.
"""

import asyncio
import json
import socket
import socketserver
import threading
import time
from dataclasses import replace
from typing import Any

import pytest
from openai_server import OpenAIServer

from spiqa_tasks.judge.providers.anthropic import AnthropicJudge
from spiqa_tasks.judge.providers.openai import OpenAIJudge
from spiqa_tasks.judge.providers.provider import RequestError
from spiqa_tasks.judge.providers.sdk import SdkJudge
from spiqa_tasks.judge.types import JudgeConfig, JudgeRequest, Verdict

JUDGES: dict[str, type[SdkJudge]] = {"openai": OpenAIJudge, "anthropic": AnthropicJudge}
TEXT = JudgeRequest("p", top_logprobs=None, max_tokens=9)


@pytest.fixture(params=sorted(JUDGES))
def judge(request: pytest.FixtureRequest, config: JudgeConfig) -> JudgeConfig:
    """A judge of each provider with an SDK, at the local server."""
    return replace(config, provider=request.param, timeout=20)


def ask(config: JudgeConfig, *requests: JudgeRequest) -> list[Verdict]:
    """The answers to requests one after another, through one client."""

    async def run() -> list[Verdict]:
        client: Any = JUDGES[config.provider](config)
        try:
            return [await client.ask(request) for request in requests or (TEXT,)]
        finally:
            await client.aclose()

    return asyncio.run(run())


def failure(config: JudgeConfig) -> RequestError:
    with pytest.raises(RequestError) as caught:
        ask(config)
    return caught.value


def test_draws_are_sampled_and_all_else_is_greedy(server: OpenAIServer, judge: JudgeConfig) -> None:
    """At temperature 1 a single draw, too; thoughts come on top of the answer's tokens."""
    draw = JudgeRequest("\ud800p", top_logprobs=None, max_tokens=9, draws=1, thoughts=5)
    ask(judge, TEXT, draw)
    bodies = [request["body"] for request in server.requests]
    assert [body["temperature"] for body in bodies] == [0.0, 1.0]
    assert [body["max_tokens"] for body in bodies] == [9, 14]
    assert bodies[1]["messages"] == [{"role": "user", "content": "?p"}]  # half a pair is no text


def test_the_model_and_tokens_are_those_that_the_server_counts(judge: JudgeConfig) -> None:
    """Under the names that each provider has for them."""
    (verdict,) = ask(judge, JudgeRequest("p" * 40, top_logprobs=None, max_tokens=9))
    counted = {"openai": (10, 1), "anthropic": (3, 2)}[judge.provider]
    assert (verdict.prompt_tokens, verdict.completion_tokens) == counted
    assert verdict.model


@pytest.mark.parametrize("end", ["", "?api-version=2024-06-01", "/deployments/b?x=1&y=2"])
def test_the_path_goes_under_the_base_url_before_its_query(
    server: OpenAIServer, judge: JudgeConfig, end: str
) -> None:
    """As Azure's addresses have it."""
    ask(replace(judge, url=server.url + end))
    path, mark, query = f"/v1{end}".partition("?")
    assert server.requests[0]["path"] == f"{path}{JUDGES[judge.provider].path}{mark}{query}"


ENVIRONMENT = {
    "OPENAI_API_KEY": "leak-openai-key",
    "OPENAI_ORG_ID": "leak-organisation",
    "OPENAI_PROJECT_ID": "leak-project",
    "OPENAI_ADMIN_KEY": "leak-admin",
    "OPENAI_CUSTOM_HEADERS": "X-Leak: leak-header",
    "OPENAI_BASE_URL": "http://leak.invalid/v1",
    "ANTHROPIC_API_KEY": "leak-anthropic-key",
    "ANTHROPIC_AUTH_TOKEN": "leak-token",
    "ANTHROPIC_CUSTOM_HEADERS": "X-Leak: leak-header",
    "ANTHROPIC_BASE_URL": "http://leak.invalid",
    "ANTHROPIC_PROFILE": "leak-profile",
}


@pytest.mark.parametrize("key", ["sk-secret-0123456789", None])
def test_nothing_of_the_environment_goes_to_the_judge(
    server: OpenAIServer, judge: JudgeConfig, key: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No organisation, project, key, header or address; a request has the plain headers of HTTP
    and the judge's key.
    """
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    ask(replace(judge, api_key=key))
    (sent,) = server.requests
    assert "leak" not in repr(sent)
    own = JUDGES[judge.provider].headers(replace(judge, api_key=key))
    plain = {
        "accept",
        "accept-encoding",
        "connection",
        "content-length",
        "content-type",
        "host",
        "user-agent",
    }
    assert sent["headers"].keys() - plain == {name.lower() for name in own}
    assert sum(value.endswith("0123456789") for value in sent["headers"].values()) == (
        key is not None
    )


@pytest.mark.parametrize(
    ("fault", "reason", "retryable"),
    [
        ("timeout", "no answer within 0.3 s", True),
        ("drip", "no answer within 0.3 s", True),
        ("not_json", "the server's answer is not a JSON object", True),
        ("truncated", "the server's answer is not a JSON object", True),
        ("deep", "the server's answer is not a JSON object", True),
        ("500", "HTTP 500: fault 500", True),
        ("400", "HTTP 400: fault 400", False),
    ],
)
def test_every_failure_is_one_reason(
    server: OpenAIServer, judge: JudgeConfig, fault: str, reason: str, retryable: bool
) -> None:
    """It says what was wrong, and whether the same request may succeed later; nothing is tried
    twice.
    """
    server.behaviour.sticky = fault
    error = failure(replace(judge, timeout=0.3 if "within" in reason else 20))
    assert (error.reason, error.retryable, error.refused) == (reason, retryable, False)
    assert len(server.requests) == 1


def test_a_refusal_tells_how_long_to_wait(server: OpenAIServer, judge: JudgeConfig) -> None:
    """The seconds of Retry-After come with the error; without that header there are none."""
    server.behaviour.sticky = "429"
    for header, seconds in (("7", 7.0), (None, None)):
        server.behaviour.retry_after = header
        error = failure(judge)
        assert (error.refused, error.retryable, error.retry_after) == (True, True, seconds)


def test_a_number_as_code_does_not_hide_an_empty_account(
    server: OpenAIServer, judge: JudgeConfig
) -> None:
    """`insufficient_quota` as the type is final beside a code that is a number."""
    server.behaviour.sticky = "quota"
    error = failure(judge)
    assert not error.retryable
    assert error.reason.startswith("HTTP 429: No credit.; the account's quota is used up")


def test_a_redirection_is_not_followed(server: OpenAIServer, judge: JudgeConfig) -> None:
    """The key would go along; the reason says where it leads and what to set."""
    server.behaviour.sticky = "redirect"
    error = failure(judge)
    assert error.reason.startswith(
        "HTTP 308: it redirects to https://elsewhere.example/v1; set SPIQA_JUDGE_BASE_URL"
    )


def test_where_nobody_listens_the_remedy_is_the_address(judge: JudgeConfig) -> None:
    """The server may come later, so another try is worth it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    error = failure(replace(judge, url=f"http://127.0.0.1:{port}/v1"))
    assert error.retryable
    assert str(port) in error.reason
    assert error.reason.endswith("check the judge's address and that its server runs")


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ({"error": {"message": "in\n  two   lines"}}, "in two lines"),
        ({"error": "a text"}, "a text"),
        ({"error": {"message": {"a": [1]}}}, '{"a": [1]}'),
        ({"error": {"message": "x" * 1000}}, "x" * 300),
        ({"error": {"code": 5}}, '{"code": 5}'),
        ({"error": {"code": 699}}, '{"code": 699}'),
    ],
)
def test_an_error_with_status_200_is_an_error(
    server: OpenAIServer,
    config: JudgeConfig,
    monkeypatch: pytest.MonkeyPatch,
    answer: dict[str, Any],
    message: str,
) -> None:
    """Some gateways answer so; the message is one line of at most 300 characters, whatever its
    form.
    """
    monkeypatch.setattr(server, "_chat", lambda *_: answer)
    error = failure(replace(config, timeout=20))
    assert (error.reason, error.retryable) == (
        f"the server answered with an error: {message}",
        True,
    )


@pytest.mark.parametrize(
    ("error", "reason", "retryable"),
    [
        (
            {"code": 402, "message": "Pay."},
            "HTTP 402: Pay.; the account's quota is used up: add credit",
            False,
        ),
        ({"code": "429", "message": "Slow."}, "HTTP 429: Slow.", True),
        (
            {"type": "insufficient_quota", "message": "Pay."},
            "the server answered with an error: Pay.; the acc",
            False,
        ),
    ],
)
def test_an_error_with_status_200_is_classified_as_its_code(
    server: OpenAIServer,
    config: JudgeConfig,
    monkeypatch: pytest.MonkeyPatch,
    error: Any,
    reason: str,
    retryable: bool,
) -> None:
    """A used-up account ends at once, whatever the status."""
    monkeypatch.setattr(server, "_chat", lambda *_: {"error": error})
    found = failure(replace(config, timeout=20))
    assert found.reason.startswith(reason)
    assert (found.retryable, found.refused) == (retryable, "429" in reason)


def test_the_environments_proxy_is_used_but_for_the_hosts_that_it_names(
    server: OpenAIServer, config: JudgeConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A judge behind HTTP_PROXY is asked through it, one in NO_PROXY directly."""
    for name in ("http_proxy", "no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HTTP_PROXY", server.url.removesuffix("/v1"))
    away = replace(config, url="http://judge.invalid/v1", timeout=10)
    assert ask(away)[0].ok
    assert server.requests[-1]["headers"]["host"] == "judge.invalid"
    monkeypatch.setenv("NO_PROXY", "judge.invalid")
    assert "judge.invalid" in failure(away).reason
    assert len(server.requests) == 1


def test_a_proxy_that_is_not_there_is_named(
    config: JudgeConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if its address has no scheme; the judge's own address is not at fault."""
    for name in ("http_proxy", "no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HTTP_PROXY", "proxy.invalid:8080")
    reason = failure(replace(config, url="http://judge.invalid/v1", timeout=10)).reason
    assert reason.startswith("Cannot connect to host proxy.invalid:8080 [")
    assert "check the proxy's address (HTTPS_PROXY, HTTP_PROXY" in reason


class Stuttering(socketserver.StreamRequestHandler):
    """A server that answers every request with its prompt, and again a moment later."""

    def handle(self) -> None:
        while self.rfile.readline():
            length = 0
            while (line := self.rfile.readline()) not in (b"\r\n", b""):
                length = (
                    int(line.split()[1]) if line.lower().startswith(b"content-length") else length
                )
            prompt = json.loads(self.rfile.read(length))["messages"][0]["content"]
            body = json.dumps(
                {"choices": [{"message": {"content": prompt}, "finish_reason": "stop"}]}
            ).encode()
            for _ in range(2):
                self.wfile.write(
                    b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)
                )
                time.sleep(0.02)


def test_a_second_response_is_never_the_next_ones_answer(config: JudgeConfig) -> None:
    """Of a server or proxy that answers a request twice."""
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Stuttering) as running:
        running.daemon_threads = True
        threading.Thread(target=running.serve_forever, daemon=True).start()
        asked = [JudgeRequest(f"p{place}", top_logprobs=None) for place in range(4)]
        found = ask(replace(config, url=f"http://127.0.0.1:{running.server_address[1]}/v1"), *asked)
        running.shutdown()
    assert [verdict.text for verdict in found] == [request.prompt for request in asked]
