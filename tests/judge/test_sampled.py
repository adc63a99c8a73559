"""The share of yes among draws, for judges without log-probabilities."""

import itertools
import json
import math
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from openai_server import OpenAIServer
from run_command import run_json

from spiqa_tasks.benchmarks.registry import rows_for_scoring
from spiqa_tasks.cli import main
from spiqa_tasks.judge.rules import Candidate, L3ScoreRule, SampledRule
from spiqa_tasks.judge.types import Verdict, failed

NOBODY = Candidate("")
ANSWERS = 39


@pytest.mark.parametrize(
    ("said", "score"),
    [
        ("Yes\nyes.\n**Yes**\nYeah, both say so\nYES / Because", 1.0),
        ("No\nno, it is not\nAnswer: No\nFinal answer: **No.**\n'No'", 0.0),
        ("Yes\nNo\nYes\nNo\nNo", 0.4),
        ("Yes\n\nYes", None),
        ("Yes\nPerhaps\nYes", None),
        ("No doubt they mean the same", None),
        ("Nothing\nYesterday", None),
    ],
)
def test_only_yes_and_no_are_read(said: str, score: float | None) -> None:
    """The share of yes among the draws; one that says neither is no verdict, and never a no."""
    assert SampledRule().score(NOBODY, Verdict(said)) == score
    assert SampledRule().score(NOBODY, failed("HTTP 500")) is None


def test_it_agrees_with_l3score_where_a_judge_gives_both() -> None:
    """Over a simulated judge's answers it has no bias, and a mean square error of p (1 - p) / k."""
    rng = np.random.default_rng(0)
    shares = rng.beta(0.4, 0.3, 4000)
    exact = []
    for p in shares:
        pairs = sorted((("Yes", math.log(p)), ("No", math.log1p(-p))), key=lambda pair: -pair[1])
        rest = (("a", -40.0), ("b", -40.0), ("c", -40.0))
        exact.append(L3ScoreRule().score(NOBODY, Verdict("", (*pairs, *rest))) or 0.0)
    for k in (1, 5, 25):
        draws = rng.random((len(shares), k)) < shares[:, None]
        texts = ("\n".join("Yes" if draw else "No" for draw in row) for row in draws)
        errors = (
            np.array([SampledRule(draws=k).score(NOBODY, Verdict(text)) for text in texts]) - exact
        )
        expected = float(np.mean(shares * (1 - shares))) / k
        assert abs(errors.mean()) < 3 * math.sqrt(expected / len(shares))
        assert np.mean(errors**2) == pytest.approx(expected, rel=0.1)


@pytest.fixture
def answers(tmp_path: Path, server: OpenAIServer, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Right answers to the demo's questions, and the local server's address."""
    monkeypatch.setenv("SPIQA_JUDGE_BASE_URL", server.url)
    monkeypatch.setenv("SPIQA_JUDGE_API_KEY", "sk-secret")
    path = tmp_path / "answers.jsonl"
    rows = rows_for_scoring("spiqa", "demo", "")
    lines = (json.dumps({"id": row["id"], "prediction": row["answer"]}) for row in rows)
    path.write_text("\n".join(lines))
    return path


def drawn(pattern: str) -> Any:
    """Return texts of a judge that repeats `pattern` in the draws for each demo answer, and knows
    the test questions.
    """
    turns: dict[str, Iterator[str]] = {}

    def text(body: dict[str, Any]) -> str:
        prompt = body["messages"][0]["content"]
        if "What colour is the sky" in prompt:
            return "Yes" if "Candidate answer: Blue" in prompt else "No"
        turns.setdefault(prompt, itertools.cycle(pattern))
        word = {"y": "Yes", "n": "No", "?": "Hard to say"}[next(turns[prompt])]
        return f"<think>Is it so? No, wait.</think>\n{word}"

    return text


def test_a_judge_without_log_probabilities_scores_by_draws(
    server: OpenAIServer, answers: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Anthropic's model, thinks aloud: k requests for an answer at temperature 1; more draws
    cost the new alone.
    """
    server.behaviour.text = drawn("yyyyn")
    command = ("score", "spiqa_demo", answers, "--metrics", "l3score_sampled")
    command = (*command, "--judge", "anthropic:claude-haiku", "--rule")
    status, found, _ = run_json(capsys, *command, "sampled")
    assert (status, found["counts"]["judged"]) == (0, ANSWERS)
    assert found["metrics"]["l3score_sampled"] == pytest.approx(0.8)
    assert {"judge_rule:share of 5 draws", "judge_temperature:1.0"} <= set(
        found["signature"].split("|")
    )
    bodies = [request["body"] for request in server.requests]
    assert len(bodies) == 5 * (2 + ANSWERS)
    assert {body["temperature"] for body in bodies} == {1.0}
    assert set(Counter(body["messages"][0]["content"] for body in bodies).values()) == {5}
    server.requests.clear()
    assert run_json(capsys, *command, "sampled")[1]["metrics"] == found["metrics"]
    assert server.requests == []
    (planned,) = run_json(capsys, *command, "sampled:7", "--dry-run")[1]["dry_run"]
    assert (planned["calls"], planned["cached"]) == (2 * ANSWERS, 5 * ANSWERS)
    assert run_json(capsys, *command, "sampled:7")[0] == 0
    assert len(server.requests) == 7 * 2 + 2 * ANSWERS


def test_a_draw_that_cannot_be_read_is_a_failed_verdict(
    server: OpenAIServer, answers: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The answer has no score, and with more than 1% of them the mean is withheld."""
    server.behaviour.text = drawn("yyy?y")
    command = ("score", "spiqa_demo", answers, "--metrics", "l3score_sampled", "--rule", "sampled")
    status, found, err = run_json(capsys, *command, "--judge", "openai:o3")
    assert (status, found["metrics"]["l3score_sampled"], found["counts"]["judge_failed"]) == (
        3,
        None,
        ANSWERS,
    )
    assert "Hard to say" in err


def test_thoughts_are_paid_for_in_the_forecast(
    answers: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nobody knows which model thinks: the forecast is the most, and exact without thinking
    tokens.
    """
    command = ("score", "spiqa_demo", answers, "--rule", "sampled", "--dry-run")
    judge = ("--judge", "openai:gpt-4o")
    for options, tokens in (((), 16 + 2048), (("--thinking-tokens", "0"), 16)):
        (found,) = run_json(capsys, *command, *judge, *options)[1]["dry_run"]
        assert found["completion_tokens"] == 5 * ANSWERS * tokens


@pytest.mark.parametrize("judge", ["anthropic:claude-haiku", "openai:o3", "openai:llama"])
def test_a_judge_refused_for_l3score_is_told_of_it(
    server: OpenAIServer, answers: Path, capsys: pytest.CaptureFixture[str], judge: str
) -> None:
    """Whether the provider is known to give no log-probabilities, or the server turns out to."""
    server.behaviour.sticky = "no_logprobs"
    assert main(["score", "spiqa_demo", str(answers), "--judge", judge]) == 2
    assert "--rule sampled" in capsys.readouterr().err


@pytest.mark.parametrize(
    "options", [("--rule", "l3score:3"), ("--rule", "sampled:0"), ("--rule", "sampled:many")]
)
def test_numbers_of_draws_that_cannot_be_are_refused(
    answers: Path, capsys: pytest.CaptureFixture[str], options: tuple[str, ...]
) -> None:
    """Of another rule, none, and no number at all."""
    assert main(["score", "spiqa_demo", str(answers), *options]) == 2
    assert "draws" in capsys.readouterr().err
