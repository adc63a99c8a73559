"""What judges of every rule share: the test questions before the run, and the sentence where they fail."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from openai_server import Behaviour, OpenAIServer

from spiqa_tasks.errors import JudgeError
from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.engine import Engine, shared_engine
from spiqa_tasks.judge.resolve import parse_judge
from spiqa_tasks.judge.rule_judge import RuleJudge
from spiqa_tasks.judge.types import JudgeRequest, Verdict

MakeEngine = Callable[..., Engine]
WITHOUT = "go without it by SWITCH=off"
TESTS = (JudgeRequest("one"), JudgeRequest("two"))


def _judge(judge: JudgeConfig | Engine) -> RuleJudge:
    return RuleJudge(judge, TESTS, WITHOUT)


def test_the_test_questions_are_asked_past_the_cache(server: OpenAIServer, engine_of: MakeEngine) -> None:
    """Each preflight asks all of them in their order, returns the verdicts, and counts nothing."""
    judge = _judge(engine_of())
    judge.engine.map(TESTS, progress=False)
    for _ in range(2):
        assert [verdict.text for verdict in judge.preflight()] == ["No", "No"]
    assert [request["body"]["messages"][0]["content"] for request in server.requests[2:]] == ["one", "two"] * 2
    assert judge.engine.summary().judged == 2


@pytest.mark.parametrize(
    ("fault", "said", "remedy"),
    [
        ("401", "HTTP 401", "SPIQA_JUDGE_API_KEY"),
        ("404", "HTTP 404", "model and address"),
        ("redirect", "redirects to https://elsewhere.example/v1", "SPIQA_JUDGE_BASE_URL"),
        ("quota", "No credit", "add credit"),
        ("too_large", "Request too large", "too long"),
        ("no_logprobs", "no token log-probabilities", "SPIQA_JUDGE_BASE_URL"),
        ("429", "HTTP 429", "SPIQA_JUDGE"),
    ],
)
def test_preflight_stops_with_the_remedy(
    server: OpenAIServer, engine_of: MakeEngine, fault: str, said: str, remedy: str
) -> None:
    """Every cause is an error that says what to do about it, and how to do without a judge."""
    server.behaviour.sticky = fault
    with pytest.raises(JudgeError, match=said) as caught:
        _judge(engine_of()).preflight()
    assert remedy in str(caught.value)
    assert str(caught.value).endswith(f", or {WITHOUT}.")
    assert len(server.requests) <= 3


def test_preflight_says_when_nobody_listens(engine_of: MakeEngine) -> None:
    """A wrong URL is named by host and port."""
    with OpenAIServer(Behaviour()) as gone:
        url = gone.url
    with pytest.raises(JudgeError, match=url.split("/")[2]):
        _judge(engine_of(url=url)).preflight()


def test_a_public_judge_without_a_key_is_told_when_it_is_asked() -> None:
    """The judge is set up without a key; the test question needs one and says what to set."""
    judge = _judge(parse_judge("openai:gpt-4o", environ={}))
    with pytest.raises(JudgeError, match=r"needs a key.*SPIQA_JUDGE_API_KEY \(or OPENAI_API_KEY\)"):
        judge.preflight()


def test_what_a_rule_makes_of_the_verdicts_can_refuse_a_judge(server: OpenAIServer, engine_of: MakeEngine) -> None:
    """The fault that a rule finds stands in the sentence, with the judge's name and host and the way without it."""

    class Strict(RuleJudge):
        def fault(self, verdicts: Sequence[Verdict]) -> str | None:
            return None if verdicts[0].text == "Yes" else f"it says {verdicts[0].text}; choose another judge"

    host = server.url.split("/")[2]
    with pytest.raises(JudgeError) as caught:
        Strict(engine_of(), TESTS, WITHOUT).preflight()
    assert str(caught.value) == (
        f"The judge openai:gpt-4o at {host} cannot be used: it says No; choose another judge, or {WITHOUT}."
    )
    server.behaviour.verdict = lambda _prompt: [("Yes", -0.1)]
    assert len(Strict(engine_of(), TESTS, WITHOUT).preflight()) == 2


def test_a_config_is_asked_through_the_processs_engine(config: JudgeConfig) -> None:
    """Two judges of one config share it."""
    first, second = _judge(config), _judge(config)
    assert first.engine is second.engine is shared_engine(config)
