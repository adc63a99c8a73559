"""What the providers declare, held against what the rest of the package makes of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.engine import Engine
from spiqa_tasks.judge.providers import PROVIDERS
from spiqa_tasks.judge.resolve import parse_judge
from spiqa_tasks.judge.types import JudgeRequest, Verdict

PICTURE = JudgeRequest("p", top_logprobs=None, images=("data:image/png;base64,AAAA",))
WORDS = JudgeRequest("p", lookup=("yes",))


class Echo:
    """A judge that repeats what it is asked."""

    fingerprint = ""

    def __init__(self, config: JudgeConfig) -> None:
        self.config = config

    async def ask(self, request: JudgeRequest) -> Verdict:
        """Repeat the prompt."""
        return Verdict("ok", request.prompt)

    async def aclose(self) -> None:
        """There is nothing to close."""


@pytest.mark.parametrize(
    ("judge", "logprobs", "pictures", "words"),
    [
        ("openai:gpt-4o", True, True, False),
        ("openai:o3", False, True, False),
        ("anthropic:claude", False, True, False),
        ("hf:m", True, False, True),
    ],
)
def test_what_cannot_be_asked_is_told_by_the_declaration(
    judge: str, logprobs: bool, pictures: bool, words: bool
) -> None:
    """Log-probabilities, pictures and lookups each have their sentence where they are not given; text is for all."""
    config = parse_judge(judge, api_key="k", environ={})
    asked = (JudgeRequest("p"), PICTURE, WORDS, JudgeRequest("p", top_logprobs=None))
    provider = PROVIDERS[config.provider]
    assert [provider.cannot(config.model, request) is None for request in asked] == [logprobs, pictures, words, True]


def test_the_engine_fails_such_a_request_with_the_sentence_and_asks_nothing() -> None:
    """The verdict has the declaration's reason; what can be asked is asked."""

    class Deaf(Echo):
        async def ask(self, request: JudgeRequest) -> Verdict:
            assert not request.images
            return await super().ask(request)

    engine = Engine(JudgeConfig("hf", "m", cache=False), Deaf)
    verdicts = engine.map([PICTURE, JudgeRequest("said", top_logprobs=None)])
    engine.close()
    assert [verdict.reason for verdict in verdicts] == ["hf: judges see no pictures", None]
    assert verdicts[1].text == "said"


def test_a_provider_is_added_by_its_declaration_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """A declared provider is parsed, gets its own key at its own address only, is priced nowhere and answers."""
    toy = replace(
        PROVIDERS["anthropic"],
        name="toy",
        url="https://toy/v1",
        key_variable="TOY_KEY",
        make_client=Echo,
        why_no_logprobs=lambda _model: None,
        logprob_judges="toy:<any>",
    )
    monkeypatch.setitem(PROVIDERS, "toy", toy)
    environ = {"TOY_KEY": "t", "OPENAI_API_KEY": "o"}
    config = parse_judge("toy:m", environ=environ)
    assert (config.url, config.api_key) == ("https://toy/v1", "t")
    assert parse_judge("toy:m@http://elsewhere/v1", environ=environ).api_key is None
    engine = Engine(replace(config, cache=False))
    assert engine.map([JudgeRequest("said")])[0].text == "said"
    engine.close()
