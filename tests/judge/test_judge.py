"""A judge of any rule: the test questions before the run and the sentences where they fail,
verdicts, signatures.
"""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from openai_server import OpenAIServer, agreeing

from spiqa_tasks.errors import JudgeError
from spiqa_tasks.judge.judge import Judge, JudgeClient, make_judge
from spiqa_tasks.judge.resolve import judge_from_environ, parse_judge
from spiqa_tasks.judge.rules import RULES, Candidate, Rule, SampledRule
from spiqa_tasks.judge.types import JudgeConfig, JudgeRequest, Verdict

WITHOUT = "go without it by SWITCH=off"
REQUESTS = [JudgeRequest("one"), JudgeRequest("two")]


class Plain(Rule):
    """A rule whose question is the answer itself."""

    name = "plain"
    tests = (Candidate("one"), Candidate("two"))
    remedy = WITHOUT

    def request(self, candidate: Candidate, /) -> JudgeRequest:
        return JudgeRequest(candidate.prediction)

    def score(self, _candidate: Candidate, verdict: Verdict, /) -> float | None:
        return float(verdict.text == "Yes") if verdict.ok else None

    def signature(self) -> dict[str, str]:
        return {"prompt": "plain:1", "rule": ""}


def _judge(judge: JudgeConfig) -> Judge:
    return Judge(judge, Plain())


def test_the_test_questions_are_asked_past_the_cache(
    server: OpenAIServer, config: JudgeConfig
) -> None:
    """Each preflight asks all of them, returns the verdicts in their order, and counts nothing."""
    judge = _judge(config)
    judge.verdicts(REQUESTS)
    for _ in range(2):
        assert [verdict.text for verdict in judge.preflight()] == ["No", "No"]
    asked = [request["body"]["messages"][0]["content"] for request in server.requests[2:]]
    assert sorted(asked) == ["one", "one", "two", "two"]
    assert ": 2 judged," in judge.summary()


@pytest.mark.parametrize(
    ("fault", "said", "remedy"),
    [
        ("401", "HTTP 401", "SPIQA_JUDGE_API_KEY"),
        ("404", "HTTP 404", "model and address"),
        ("redirect", "redirects to https://elsewhere.example/v1", "SPIQA_JUDGE_BASE_URL"),
        ("quota", "No credit", "add credit"),
        ("too_large", "Request too large", "too long"),
        ("no_logprobs", "no token log-probabilities", "--rule sampled"),
        ("429", "HTTP 429", "try again later"),
    ],
)
def test_preflight_stops_with_the_remedy(
    server: OpenAIServer, config: JudgeConfig, fault: str, said: str, remedy: str
) -> None:
    """Every cause is an error that says what to do about it, and how to do without a judge."""
    server.behaviour.sticky = fault
    with pytest.raises(JudgeError, match=said) as caught:
        _judge(config).preflight()
    assert remedy in str(caught.value)
    assert str(caught.value).endswith(f", or {WITHOUT}.")
    assert len(server.requests) <= 2 * 3


def test_a_public_judge_without_a_key_is_told_when_it_is_asked() -> None:
    """The judge is set up without a key; the test question needs one and says what to set."""
    judge = _judge(parse_judge("openai:gpt-4o", environ={}))
    with pytest.raises(JudgeError, match=r"needs a key.*OPENAI_API_KEY.*SPIQA_JUDGE_API_KEY"):
        judge.preflight()


def test_what_a_rule_makes_of_the_verdicts_can_refuse_a_judge(
    server: OpenAIServer, config: JudgeConfig
) -> None:
    """The fault that a rule finds stands in the sentence, with the judge's name and host and the
    way without it.
    """

    class Strict(Plain):
        def fault(self, verdicts: Sequence[Verdict], /) -> str | None:
            return (
                None
                if verdicts[0].text == "Yes"
                else f"it says {verdicts[0].text}; choose another judge"
            )

    host = server.url.split("/")[2]
    with pytest.raises(JudgeError) as caught:
        Judge(config, Strict()).preflight()
    assert (
        str(caught.value)
        == f"The judge openai:gpt-4o at {host} cannot be used: it says No; choose another judge, or"
        f" {WITHOUT}."
    )
    server.behaviour.verdict = lambda prompt: [("Yes", -0.1), *agreeing(prompt)[1:]]
    assert len(Judge(config, Strict()).preflight()) == 2


def test_a_judge_without_log_probabilities_is_refused_with_those_that_have_them() -> None:
    """Before anything is asked; the message names the rule, lists the judges that can be asked by
    it, and says how to do without one.
    """
    with pytest.raises(
        JudgeError,
        match=rf"^plain cannot be judged by .*; choose openai:<model>.*, hf:<.*, or {WITHOUT}\.$",
    ):
        _judge(parse_judge("anthropic:claude", environ={}))


def test_the_summary_is_printed_once_and_only_where_wanted(
    config: JudgeConfig, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where several processes share the work, their common line comes from elsewhere."""
    Judge(config, Plain(), report=False).verdicts(REQUESTS)
    assert capsys.readouterr().err == ""
    judge = _judge(config)
    for _ in range(2):
        judge.verdicts(REQUESTS)
    assert (
        capsys.readouterr().err.count("Judge openai:gpt-4o: 0 judged, 2 from the cache, 0 failed")
        == 1
    )


def test_the_summary_has_the_price_where_it_is_known(
    config: JudgeConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In US dollars, of the tokens that were paid now."""
    judge = _judge(config)
    judge.verdicts(REQUESTS)
    assert judge.summary().endswith(" tokens")

    counted: list[tuple[int, int]] = []

    def cost(_config: JudgeConfig, prompts: int, completions: int) -> float:
        counted.append((prompts, completions))
        return 0.5

    monkeypatch.setattr(JudgeConfig, "cost", cost)
    assert judge.summary().endswith(" tokens, about $0.50")
    assert counted == [(0, 2)]  # the server counts a token of each answer


def test_the_summary_says_why_the_last_answer_has_no_verdict(
    server: OpenAIServer, config: JudgeConfig
) -> None:
    """And how to go on; the log of a run has no other line on them."""
    server.behaviour.sticky = "401"
    judge = _judge(config)
    judge.verdicts(REQUESTS)
    assert " 0 from the cache, 2 failed, " in judge.summary()
    assert ". The last: HTTP 401" in judge.summary()
    assert judge.summary().endswith(". `spiqa-tasks score --judge ...` on the answers asks again.")


def test_an_estimate_counts_thoughts_as_generated(config: JudgeConfig) -> None:
    """At most so many: the answer's tokens and those of a model that thinks first."""
    request = JudgeRequest("a question", max_tokens=3, thoughts=7)
    assert JudgeClient(config).estimate([request, request]).completion_tokens == 10


def test_the_signature_has_what_is_known(server: OpenAIServer, config: JudgeConfig) -> None:
    """The model as served only after an answer; fields without a value are left out."""
    judge = _judge(replace(config, extra='{"a": 1}'))
    known = {
        "judge": "openai:gpt-4o",
        "judge_host": server.url.split("/")[2],
        "judge_extra": '{"a": 1}',
    }
    known["judge_prompt"] = "plain:1"
    assert judge.configured == judge.signature == known
    judge.verdicts(REQUESTS)
    assert judge.configured == known
    assert judge.signature == {**known, "judge_served": "gpt-4o"}


def _at(server: OpenAIServer) -> JudgeConfig | None:
    """Return the judge of an environment with the local server's address."""
    environ = {
        "SPIQA_JUDGE": "openai:judge",
        "SPIQA_JUDGE_BASE_URL": server.url,
        "SPIQA_JUDGE_API_KEY": "key",
    }
    return judge_from_environ(environ)


def test_the_environments_judge_is_tested_before_the_run(server: OpenAIServer) -> None:
    """Two answers, a right and a wrong one, show whether it can judge; one shows whether it can
    read letters.
    """
    server.behaviour.text = "B"
    rules = {name: rule for name, rule in RULES.items() if rule is not SampledRule}
    made = [make_judge(name, _at(server)) for name in rules]
    assert [judge and judge.rule for judge in made] == [rule() for rule in rules.values()]
    assert len(server.requests) == sum(len(rule.tests) for rule in rules.values()) == 2 + 1 + 1


def test_judging_can_be_switched_off_but_for_tasks_that_need_it() -> None:
    """L3Score is left out; letters that only a judge finds are not."""
    assert make_judge("l3score", None) is None
    for name in ("letters", "letters_released"):
        with pytest.raises(
            JudgeError, match="a judge for the setting extractor, found SPIQA_JUDGE=none"
        ):
            make_judge(name, None)
