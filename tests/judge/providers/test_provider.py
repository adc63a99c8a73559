"""What the providers declare, held against what the rest of the package makes of it."""

from dataclasses import replace

import pytest
from openai_server import OpenAIServer

from spiqa_tasks.judge.judge import JudgeClient
from spiqa_tasks.judge.providers import PROVIDERS
from spiqa_tasks.judge.providers.openai import OpenAIJudge
from spiqa_tasks.judge.providers.provider import Provider
from spiqa_tasks.judge.providers.sdk import with_usage
from spiqa_tasks.judge.resolve import parse_judge
from spiqa_tasks.judge.types import JudgeConfig, JudgeRequest, Verdict

PICTURE = JudgeRequest("p", top_logprobs=None, images=("figure.png",))


class Echo(Provider):
    """A judge that repeats what it is asked."""

    name = "toy"
    url = "https://toy/v1"
    key_variable = "TOY_KEY"

    async def ask(self, request: JudgeRequest) -> Verdict:
        """Repeat the prompt."""
        return Verdict(request.prompt)


@pytest.mark.parametrize(
    ("judge", "logprobs", "written"),
    [
        ("openai:gpt-4o", True, True),
        ("openai:o3", True, True),
        ("anthropic:claude", False, True),
        ("hf:m", True, False),
    ],
)
def test_what_cannot_be_asked_is_told_by_the_declaration(
    judge: str, logprobs: bool, written: bool
) -> None:
    """Log-probabilities and written answers, with or without pictures, have their sentence where
    they are not given.
    """
    config = parse_judge(judge, api_key="k", environ={})
    asked = (JudgeRequest("p"), PICTURE, JudgeRequest("p", top_logprobs=None))
    provider = PROVIDERS[config.provider]
    assert [provider.cannot(request) is None for request in asked] == [
        logprobs,
        written,
        written,
    ]


def test_a_provider_is_added_by_its_declaration_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """A declared provider is parsed, gets its own key at its own address only, is priced nowhere
    and answers.
    """
    monkeypatch.setitem(PROVIDERS, "toy", Echo)
    environ = {"TOY_KEY": "t", "OPENAI_API_KEY": "o"}
    config = parse_judge("toy:m", environ=environ)
    assert (config.url, config.api_key) == ("https://toy/v1", "t")
    assert parse_judge("toy:m@http://elsewhere/v1", environ=environ).api_key is None
    assert (
        JudgeClient(replace(config, cache_dir=None)).verdicts([JudgeRequest("said")])[0].text
        == "said"
    )


def test_a_provider_may_have_the_api_and_sdk_of_another(
    server: OpenAIServer, config: JudgeConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A router that is asked as OpenAI is, under a name that no package has."""

    class Router(OpenAIJudge):
        name = "no_such_package"
        url = "https://router/v1"
        key_variable = "ROUTER_KEY"

    monkeypatch.setitem(PROVIDERS, Router.name, Router)
    judge = JudgeClient(replace(config, provider=Router.name, cache_dir=None))
    (verdict,) = judge.verdicts([JudgeRequest("p")])
    assert verdict.ok, verdict.reason
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("answer", "model"),
    [
        ({"model": "gpt-4o"}, "gpt-4o"),
        ({"model": ""}, None),
        ({"model": ["m"]}, None),
        ({}, None),
        ({"model": "x" * 2000}, "x" * 1000),
    ],
)
def test_the_served_model_is_a_text_of_bounded_length(
    answer: dict[str, object], model: str | None
) -> None:
    """Printable, too."""
    verdict = Verdict("yes")
    assert with_usage(verdict, answer).model == model
    assert "\x1b" not in (with_usage(verdict, {"model": "m\x1b[31m"}).model or "")
