"""L3Score's judge: preflight, scores, records and signature."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import pytest
from openai_server import OpenAIServer, agreeing

from spiqa_tasks.errors import InputError, JudgeError
from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.engine import Engine
from spiqa_tasks.judge.l3 import L3Judge, L3Rule
from spiqa_tasks.judge.l3_prompts import l3_prompt, prompt_hash
from spiqa_tasks.judge.types import JudgeRequest, Verdict, failed

MakeEngine = Callable[..., Engine]


def _score(judge: L3Judge, reference: str, prediction: str) -> float | None:
    request = judge.rule.request("Q?", reference, prediction)
    return judge.rule.score(judge.engine.map([request], progress=False)[0])


def test_a_score_is_that_of_the_paper(engine_of: MakeEngine) -> None:
    """The score follows equation 1 from the log-probabilities that the server gave."""
    assert _score(L3Judge(engine_of()), "red", "Red") == pytest.approx(0.9 / (0.9 + 0.08))


def test_an_empty_answer_is_judged(server: OpenAIServer, engine_of: MakeEngine) -> None:
    """As the released script does, the judge is asked about an empty candidate too."""
    assert (_score(L3Judge(engine_of()), "red", "") or 1) < 0.1
    assert len(server.requests) == 1


def test_a_judge_without_a_word_of_both_scores_zero(server: OpenAIServer, engine_of: MakeEngine) -> None:
    """Neither yes nor no among the five is a score of 0, as in the paper; `neither_rate` counts it."""
    server.behaviour.verdict = lambda _prompt: [("Sure", -0.1), ("I", -3.0)]
    assert _score(L3Judge(engine_of()), "a", "a") == 0


def test_preflight_asks_a_right_and_a_wrong_answer(server: OpenAIServer, engine_of: MakeEngine) -> None:
    """The test questions go past the cache each time and are not counted as judgements."""
    judge = L3Judge(engine_of())
    judge.preflight()
    judge.preflight()
    prompts = [request["body"]["messages"][0]["content"] for request in server.requests]
    assert len(prompts) == 4
    assert "Candidate answer: Blue" in prompts[0]
    assert "Candidate answer: Green" in prompts[1]
    assert judge.engine.summary().judged == 0


@pytest.mark.parametrize("first", ["<think>", "Okay", "\n"])
def test_a_judge_that_says_neither_is_refused(server: OpenAIServer, engine_of: MakeEngine, first: str) -> None:
    """A judge that begins with something else would score everything 0; the message says what switches it off."""
    others = [("Let", -4.0), ("The", -5.0), ("I", -6.0), ("We", -7.0)]
    server.behaviour.verdict = lambda _prompt: [(first, -0.01), *others]
    with pytest.raises(JudgeError, match=r"not with yes or no.*--judge-extra.*enable_thinking"):
        L3Judge(engine_of()).preflight()


@pytest.mark.parametrize("word", ["Yes", "No"])
def test_a_judge_that_says_the_same_to_everything_is_refused(
    server: OpenAIServer, engine_of: MakeEngine, word: str
) -> None:
    """It does not tell a right answer from a wrong one."""
    other = "No" if word == "Yes" else "Yes"
    server.behaviour.verdict = lambda _prompt: [(word, -0.05), (other, -3.0), ("a", -5.0), ("b", -6.0), ("c", -7.0)]
    with pytest.raises(JudgeError, match="Blue and whether Green"):
        L3Judge(engine_of()).preflight()


def test_a_judge_with_too_few_log_probabilities_is_refused(server: OpenAIServer, engine_of: MakeEngine) -> None:
    """Three where the paper's rule needs five change the score; the message says what can be asked for."""
    server.behaviour.verdict = lambda prompt: agreeing(prompt)[:3]
    with pytest.raises(JudgeError, match=r"gives 3 log-probabilities where the rule needs 5.*--top 3"):
        L3Judge(engine_of()).preflight()
    L3Judge(engine_of(), L3Rule(top=3)).preflight()


def test_extra_fields_are_sent_and_signed(server: OpenAIServer, engine_of: MakeEngine) -> None:
    """What a user adds is in every request, in the signature, and makes other verdicts."""
    judge = L3Judge(engine_of(extra='{"chat_template_kwargs": {"enable_thinking": false}}'))
    assert _score(judge, "a", "a") is not None
    assert server.requests[0]["body"]["chat_template_kwargs"] == {"enable_thinking": False}
    assert judge.signature()["judge_extra"] == judge.signature_fields()["judge_extra"]
    _score(L3Judge(engine_of()), "a", "a")
    assert len(server.requests) == 2


def test_the_signature_tells_judges_prompts_and_rules_apart(server: OpenAIServer, engine_of: MakeEngine) -> None:
    """It has the judge as configured and as served, its host, the prompt with hash, the rule and the sampling."""
    server.behaviour.served_model = "gpt-4o-2024-08-06"
    judge = L3Judge(engine_of())
    judge.preflight()
    signature = judge.signature()
    assert signature["judge"] == "openai:gpt-4o"
    assert signature["judge_served"] == ["gpt-4o-2024-08-06"]
    assert signature["judge_host"] == server.url.split("/")[2]
    assert signature["rule"] == "top-5"
    others = [
        L3Judge(engine_of(), L3Rule("paper")),
        L3Judge(engine_of(), L3Rule(top=10)),
        L3Judge(engine_of(model="m")),
    ]
    assert all(other.signature() | {"judge_served": 0} != signature | {"judge_served": 0} for other in others)


def test_more_alternatives_can_be_asked_for(server: OpenAIServer, engine_of: MakeEngine) -> None:
    """With top=20 the server is asked for twenty and all of them count."""
    server.behaviour.verdict = lambda _prompt: [("Yes", -0.5)] + [(f"w{i}", -4.0) for i in range(7)] + [("No", -5.0)]
    wide = _score(L3Judge(engine_of(), L3Rule(top=20)), "a", "a")
    assert server.requests[0]["body"]["top_logprobs"] == 20
    assert wide == pytest.approx(math.exp(-0.5) / (math.exp(-0.5) + math.exp(-5.0)))


def test_unusable_settings_are_refused_before_the_run(config: JudgeConfig) -> None:
    """Judges without log-probabilities, unknown prompts and impossible rules stop at once."""
    with pytest.raises(JudgeError, match="Anthropic"):
        L3Judge(replace(config, provider="anthropic"))
    with pytest.raises(InputError, match="prompt"):
        L3Rule("mine")
    with pytest.raises(InputError, match="top"):
        L3Rule(top=1)
    with pytest.raises(JudgeError, match="hf:"):
        L3Judge(config, L3Rule(top="full-vocabulary"))


def test_the_rule_needs_no_judge() -> None:
    """Requests, scores and the rule's part of the signature come without a config, a key or an engine."""
    rule = L3Rule()
    request = rule.request("Q?", "red", "Candidate answer: blue")
    assert request == JudgeRequest(l3_prompt("released", "Q?", "red", "Candidate answer: blue"))
    assert rule.score(Verdict("ok", "Yes", (("Yes", math.log(0.6)), ("No", math.log(0.2))))) == pytest.approx(0.75)
    assert rule.score(failed("HTTP 500")) is None
    assert rule.signature() == {
        "prompt": f"released:{prompt_hash('released')}",
        "rule": "top-5",
        "temperature": 0.0,
        "max_tokens": 1,
    }


def test_the_full_vocabulary_rule_counts_what_was_looked_up() -> None:
    """Yes and no are looked up, and an entry beyond the first five counts."""
    rule = L3Rule(top="full-vocabulary")
    assert set(rule.request("q", "a", "b").lookup) == {"yes", "yeah", "no"}
    words = [("Yes", math.log(0.4)), *((f"w{i}", math.log(0.1)) for i in range(5)), ("No", math.log(0.1))]
    assert rule.score(Verdict("ok", "Yes", tuple(words))) == pytest.approx(0.8)
