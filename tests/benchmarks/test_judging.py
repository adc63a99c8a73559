"""A run's judge: everything is asked together, each request once."""

from __future__ import annotations

from openai_server import OpenAIServer

from spiqa_tasks.benchmarks.judging import Judging
from spiqa_tasks.benchmarks.record import Ask, Record
from spiqa_tasks.judge.engine import Engine
from spiqa_tasks.judge.l3 import L3Judge, L3Rule
from spiqa_tasks.judge.letters import LetterRule

YES, NO = 0.9 / 0.98, 0.08 / 0.98


def record(key: str, prediction: str) -> Record:
    rule = L3Rule()
    return Record(key, prediction, asks=(Ask("l3score", rule.request("Q?", "blue", prediction), rule.score),))


def test_every_record_gets_the_verdicts_of_its_own_asks(l3: Judging) -> None:
    """Records keep their order; one without an ask is returned as it is."""
    plain = Record("c")
    judged = l3.complete([record("a", "blue"), plain, record("b", "red")])
    assert [entry.id for entry in judged] == ["a", "c", "b"]
    assert abs(judged[0].scores["l3score"] - YES) < 1e-9
    assert abs(judged[2].scores["l3score"] - NO) < 1e-9
    assert judged[1] is plain


def test_a_request_is_paid_for_once(l3: Judging, server: OpenAIServer) -> None:
    """Equal requests of one call, and of later calls of the run, cost one request without any cache."""
    l3.complete([record("a", "blue"), record("b", "blue"), record("c", "red")])
    l3.complete([record("d", "blue")])
    assert len(server.requests) == 2


def test_a_failure_is_an_outcome_like_any_other(l3: Judging, server: OpenAIServer) -> None:
    """What could not be had is not asked again in the run, so that all metrics see the same records."""
    server.behaviour.sticky = "400"
    first = l3.complete([record("a", "blue")])
    server.behaviour.sticky = None
    again = l3.complete([record("a", "blue")])
    assert first == again
    assert first[0].status == "judge_failed"
    assert len(server.requests) == 1


def test_nothing_to_ask_asks_nothing(l3: Judging, server: OpenAIServer) -> None:
    """No request is made for records that were judged."""
    l3.complete([Record("a")])
    l3.complete([])
    assert server.requests == []


def test_the_judge_tells_its_rule_and_its_signature(engine: Engine, letters: Judging) -> None:
    """The rule stands under the name of a context's field; the model as served is known once it has answered."""
    full = Judging(L3Judge(engine, L3Rule("paper", 7)))
    assert full.rules == {"l3": L3Rule("paper", 7)}
    assert letters.rules == {"letters": LetterRule()}
    assert full.signature["judge_rule"] == "top-7"
    assert "judge_served" not in full.signature
    full.complete([record("a", "blue")])
    assert full.signature["judge_served"] == "judge"
