"""A new rule is one class and one line: benchmarks, commands and hosts judge by it as by the
package's own.
"""

import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from openai_server import Behaviour, OpenAIServer, TopLogprobs
from run_command import run_json
from toy_rule import Verifier

from spiqa_tasks.benchmarks.registry import rows_for_scoring
from spiqa_tasks.cli import main
from spiqa_tasks.judge.rules import METRIC_OF, RULES

SURE = 0.75


def judge(prompt: str) -> TopLogprobs:
    """Return a verdict that compares the answers, sure to 75%."""
    found = re.search(r" = (.*)\. Is (.*) A \(right\) or B", prompt, re.DOTALL)
    assert found
    first, second = "AB" if found[1] == found[2] else "BA"
    return [(first, math.log(SURE)), (second, math.log(1 - SURE))]


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Register the rule during the test."""
    monkeypatch.setitem(RULES, Verifier.name, Verifier)
    monkeypatch.setitem(METRIC_OF, Verifier.name, Verifier.metric)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenAIServer]:
    """A server that is the environment's judge."""
    with OpenAIServer(Behaviour(verdict=judge)) as running:
        monkeypatch.setenv("SPIQA_JUDGE", f"openai:own@{running.url}")
        yield running


@pytest.fixture
def command(tmp_path: Path) -> list[str]:
    """Score the right answers to SPIQA's demo, and a wrong one, by the rule."""
    rows = rows_for_scoring("spiqa", "demo", "")
    texts = ["wrong", *(row["answer"] for row in rows[1:])]
    lines = [
        json.dumps({"id": row["id"], "prediction": text})
        for row, text in zip(rows, texts, strict=True)
    ]
    path = tmp_path / "answers.jsonl"
    path.write_text("\n".join(lines))
    return ["score", "spiqa_demo", str(path), "--rule", "verifier", "--metrics", "verified"]


def test_answers_are_judged_by_it(
    server: OpenAIServer, command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """`score` asks its question with as many log-probabilities as it needs, and signs with what
    it says of itself.
    """
    status, found, _ = run_json(capsys, *command)
    assert status == 0
    assert found["metrics"]["verified"] == pytest.approx((38 * SURE + 1 - SURE) / 39)
    assert found["counts"]["judged"] == 39
    assert {"judge:openai:own", "judge_prompt:verifier:right", "judge_rule:share of A"} <= set(
        found["signature"].split("|")
    )
    bodies: list[dict[str, Any]] = [request["body"] for request in server.requests]
    assert len(bodies) == len(Verifier.tests) + 39
    assert {(body["top_logprobs"], body["max_tokens"]) for body in bodies} == {(2, 1)}


def test_a_second_time_its_verdicts_are_found(
    server: OpenAIServer, command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is asked again, not even the test questions."""
    first = run_json(capsys, *command)[1]
    server.requests.clear()
    again = run_json(capsys, *command)[1]
    assert (again["metrics"], server.requests) == (first["metrics"], [])


def test_an_unfit_judge_is_refused_in_its_words(
    server: OpenAIServer, command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Its test questions are asked before the answers; one sentence says what is wrong and how
    to do without.
    """
    server.behaviour.verdict = lambda _prompt: [("A", -0.1), ("B", -3.0)]
    assert main(command) == 2
    assert capsys.readouterr().err.endswith(
        "cannot be used: it does not know that 2 + 2 is 4; choose another judge, "
        "or switch judging off with SPIQA_JUDGE=none.\n"
    )
    assert len(server.requests) == len(Verifier.tests)


def test_a_judge_without_what_it_asks_for_is_refused(
    command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Its requests need log-probabilities; the sentence names the judges that have them."""
    assert main([*command, "--judge", "anthropic:claude"]) == 2
    assert "verifier cannot be judged by anthropic:claude: " in (err := capsys.readouterr().err)
    assert "choose openai:<model>" in err
