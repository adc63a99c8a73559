"""L3Score's judge: preflight, scores, records and signature."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace

import pytest
from openai_server import Behaviour, OpenAIServer

from spiqa_tasks.errors import InputError, JudgeError
from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.engine import Engine
from spiqa_tasks.judge.l3 import L3Judge, L3Rule
from spiqa_tasks.judge.prompts import l3_prompt, prompt_hash
from spiqa_tasks.judge.types import JudgeRequest, Verdict, failed

MakeEngine = Callable[..., Engine]


def test_a_record_has_all_that_was_said(server: OpenAIServer, engine_of: MakeEngine) -> None:
    """The score follows equation 1 from the recorded log-probabilities, and the record is plain JSON."""
    server.behaviour.served_model = "gpt-4o-2024-08-06"
    judge = L3Judge(engine_of())
    record = judge.record({"id": "p/0"}, "Q?", "red", "Red")
    judge.finish([record], report=False)
    assert record["score"] == pytest.approx(0.9 / (0.9 + 0.08))
    assert record["top_logprobs"][0] == ["Yes", math.log(0.9)]
    assert (record["id"], record["status"], record["reason"]) == ("p/0", "ok", None)
    assert record["judge_model"] == "gpt-4o-2024-08-06"
    assert json.loads(json.dumps(record)) == record


def test_an_empty_answer_is_judged(server: OpenAIServer, engine_of: MakeEngine) -> None:
    """As the released script does, the judge is asked about an empty candidate too."""
    judge = L3Judge(engine_of())
    record = judge.record({}, "Q?", "red", "")
    assert record.resolve()["score"] < 0.1
    assert len(server.requests) == 1


def test_the_score_may_go_under_another_name(engine_of: MakeEngine) -> None:
    """A record of several metrics can keep L3Score under a key of its own."""
    record = L3Judge(engine_of()).record({"score": 1}, "Q?", "a", "a", score_key="l3score").resolve()
    assert record["score"] == 1
    assert record["l3score"] > 0.9


def test_a_judge_without_a_word_of_both_scores_zero(server: OpenAIServer, engine_of: MakeEngine) -> None:
    """Neither yes nor no among the five is a score of 0, not a failure."""
    server.behaviour.verdict = lambda _prompt: [("Sure", -0.1), ("I", -3.0)]
    assert L3Judge(engine_of()).record({}, "Q?", "a", "a").resolve()["score"] == 0


def test_preflight_asks_one_real_question_each_time(server: OpenAIServer, engine_of: MakeEngine) -> None:
    """The test question goes past the cache and is not counted as a judgement."""
    judge = L3Judge(engine_of())
    assert judge.preflight().ok
    assert judge.preflight().ok
    assert len(server.requests) == 2
    assert judge.engine.summary().judged == 0
    assert "Candidate answer: It is blue." in server.requests[0]["body"]["messages"][0]["content"]


@pytest.mark.parametrize(
    ("fault", "said"),
    [("401", "HTTP 401"), ("404", "HTTP 404"), ("no_logprobs", "no token log-probabilities"), ("429", "HTTP 429")],
)
def test_preflight_stops_with_the_remedy(server: OpenAIServer, engine_of: MakeEngine, fault: str, said: str) -> None:
    """A wrong key, model or URL and a judge without log-probabilities are an error that says what to check."""
    server.behaviour.sticky = fault
    with pytest.raises(JudgeError, match=said) as caught:
        L3Judge(engine_of()).preflight()
    assert "SPIQA_JUDGE_BASE_URL" in str(caught.value)
    assert "SPIQA_JUDGE=none" in str(caught.value)
    assert len(server.requests) <= 3


def test_preflight_says_when_nobody_listens(engine_of: MakeEngine) -> None:
    """A wrong URL is named by host and port."""
    with OpenAIServer(Behaviour()) as gone:
        url = gone.url
    with pytest.raises(JudgeError, match=url.split("/")[2]):
        L3Judge(engine_of(base_url=url)).preflight()


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
    wide = L3Judge(engine_of(), L3Rule(top=20)).record({}, "Q?", "a", "a").resolve()["score"]
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


def test_a_public_judge_without_a_key_is_told_when_it_is_asked() -> None:
    """The judge is set up without a key; the test question needs one and says what to set."""
    judge = L3Judge(JudgeConfig("openai", "gpt-4o", cache=False))
    with pytest.raises(JudgeError, match=r"needs a key.*SPIQA_JUDGE_API_KEY \(or OPENAI_API_KEY\)"):
        judge.preflight()
