"""A new rule is one class and one line: benchmarks, commands and hosts judge by it as by the package's own."""

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

from spiqa_tasks.benchmarks import registry
from spiqa_tasks.benchmarks.aggregation import mean_of
from spiqa_tasks.benchmarks.benchmark import Benchmark, Row
from spiqa_tasks.benchmarks.record import Context, Record, Response
from spiqa_tasks.cli import main
from spiqa_tasks.judge.rules import RULES, Candidate

ANSWERS = ["4", "x", "100", "198"]
"""Answers to the toy's four questions, the second one wrong."""
SURE = 0.75


def judge(prompt: str) -> TopLogprobs:
    """Compare the numbers, and be sure of it to 75%."""
    found = re.search(r"= (\S+)\. Is (\S+) A", prompt)
    assert found
    first, second = "AB" if found[1] == found[2] else "BA"
    return [(first, math.log(SURE)), (second, math.log(1 - SURE))]


def load(_source: Any, split: str, _settings: Any) -> list[dict[str, Any]]:
    """Return four sums."""
    shared = {"benchmark": "toy", "split": split, "settings": "", "data": "v1"}
    sums = (("2 * (1 + 1)", 4), ("2 * (2 + 3)", 10), ("2 * (20 + 30)", 100), ("2 * (9 + 90)", 198))
    return [
        {"id": str(n), "question": text, "answer": str(total), **shared}
        for n, (text, total) in enumerate(sums)
    ]


def record(row: Row, response: Response, context: Context) -> Record:
    """Return whether the answer is right, with a question to the judge."""
    return Record(
        row["id"],
        prediction=response.text,
        reference=row["answer"],
        scores={"right": float(response.text == row["answer"])},
        signature=context.sign(row, "1"),
        asks=context.asks("verified", Candidate(response.text, row["question"], row["answer"])),
    )


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rule, and a benchmark that names it, are there during the test."""
    monkeypatch.setitem(RULES, Verifier.name, Verifier)
    judged = Benchmark(
        "toy",
        {"demo": len(ANSWERS)},
        load,
        lambda row: [row["question"]],
        record,
        metrics=lambda _settings: (mean_of("verified", "judge"), mean_of("right")),
        judge=lambda _settings: "verifier",
        tasks={"toy_demo": ("demo", "")},
    )
    monkeypatch.setitem(registry.BENCHMARKS, "toy", judged)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenAIServer]:
    """The environment's judge."""
    with OpenAIServer(Behaviour(verdict=judge)) as running:
        monkeypatch.setenv("SPIQA_JUDGE", f"openai:own@{running.url}")
        yield running


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    """The file of the answers."""
    path = tmp_path / "answers.jsonl"
    path.write_text(
        "\n".join(json.dumps({"id": str(i), "prediction": text}) for i, text in enumerate(ANSWERS))
    )
    return path


def test_answers_are_judged_by_it(
    server: OpenAIServer, answers: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`score` asks its question with as many log-probabilities as it needs, and signs with what it says of itself."""
    status, found, _ = run_json(capsys, "score", "toy_demo", answers)
    assert status == 0
    assert found["metrics"]["verified"] == pytest.approx((3 * SURE + 1 - SURE) / 4)
    assert found["counts"]["judged"] == 4
    assert {"judge:openai:own", "judge_prompt:verifier:right", "judge_rule:share of A"} <= set(
        found["signature"].split("|")
    )
    bodies: list[dict[str, Any]] = [request["body"] for request in server.requests]
    assert len(bodies) == len(Verifier.tests) + len(ANSWERS)
    assert {(body["top_logprobs"], body["max_tokens"]) for body in bodies} == {(2, 1)}
    assert "2 * (1 + 1) = 4. Is 4 A (right) or B (wrong)?" in {
        body["messages"][0]["content"] for body in bodies
    }


def test_a_second_time_its_verdicts_are_found(
    server: OpenAIServer, answers: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is asked again, not even the test questions."""
    first = run_json(capsys, "score", "toy_demo", answers)[1]
    server.requests.clear()
    again = run_json(capsys, "score", "toy_demo", answers)[1]
    assert (again["metrics"], server.requests) == (first["metrics"], [])


def test_an_unfit_judge_is_refused_in_its_words(
    server: OpenAIServer, answers: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its test questions are asked before the answers; one sentence says what is wrong and how to do without."""
    server.behaviour.verdict = lambda _prompt: [("A", -0.1), ("B", -3.0)]
    assert main(["score", "toy_demo", str(answers)]) == 2
    assert capsys.readouterr().err.endswith(
        "cannot be used: it does not know that 2 + 2 is 4; choose another judge, "
        "or switch judging off with SPIQA_JUDGE=none.\n"
    )
    assert len(server.requests) == len(Verifier.tests)


@pytest.mark.parametrize("name", ["anthropic:claude"])
def test_a_judge_without_what_it_asks_for_is_refused(
    answers: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    """Its requests need log-probabilities; the sentence names the judges that have them."""
    assert main(["score", "toy_demo", str(answers), "--judge", name]) == 2
    assert f"verifier cannot be judged by {name}: " in (err := capsys.readouterr().err)
    assert "choose openai:<model>" in err


def test_judging_may_be_switched_off(answers: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The other metrics are there, and nobody is asked."""
    status, found, _ = run_json(capsys, "score", "toy_demo", answers, "--judge", "none")
    assert (status, found["metrics"]["verified"], found["metrics"]["right"]) == (0, None, 0.75)
    assert "judge" not in found["signature"]
