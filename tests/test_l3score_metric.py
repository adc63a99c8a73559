"""L3Score as a metric of its own."""

import copy
import json
import math
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from openai_server import Behaviour, OpenAIServer, TopLogprobs
from run_command import run_json

from spiqa_tasks.errors import InputError, JudgeError
from spiqa_tasks.l3score_metric import L3Score

QUESTIONS = ["Where is Niagara Falls located?", "What colour is the sky?"]
REFERENCES = ["In the United States and Canada.", "Blue"]


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    """A judge that agrees to equal answers."""
    with OpenAIServer(Behaviour()) as running:
        yield running


def _metric(server: OpenAIServer, folder: Path, **options: Any) -> L3Score:
    return L3Score("openai:gpt-4o", server.url, "key", cache_dir=folder, timeout=5, **options)


def test_right_and_wrong_answers_are_told_apart(server: OpenAIServer, tmp_path: Path) -> None:
    """Three lines give the mean, each score, and what they depend on."""
    metric = _metric(server, tmp_path)
    result = metric.compute(
        questions=QUESTIONS, references=REFERENCES, predictions=[REFERENCES[0], "Green"]
    )
    yes, no = 0.9 / 0.98, 0.08 / 0.98
    assert result["scores"] == [pytest.approx(yes), pytest.approx(no)]
    assert result["l3score"] == pytest.approx(0.5)
    assert (result["judge_failed"], result["reasons"]) == (0, [None, None])
    assert result["signature"]["judge_rule"] == "top-5"


def test_a_second_time_costs_nothing(server: OpenAIServer, tmp_path: Path) -> None:
    """With all verdicts cached the server is not even asked the two test questions."""
    columns = {"questions": QUESTIONS, "references": REFERENCES, "predictions": REFERENCES}
    first = _metric(server, tmp_path).compute(**columns)
    asked = len(server.requests)
    again = _metric(server, tmp_path, concurrency=3).compute(**columns)
    assert again["scores"] == first["scores"]
    assert asked == 2 + 2
    assert len(server.requests) == asked


def test_a_failure_is_none_and_withholds_the_mean(server: OpenAIServer, tmp_path: Path) -> None:
    """An answer that could not be judged has no score, a reason, and no part in the mean."""
    server.behaviour.script = ["ok", "ok", "ok", "404"]
    result = _metric(server, tmp_path, concurrency=1).compute(
        questions=QUESTIONS, references=REFERENCES, predictions=REFERENCES
    )
    assert math.isnan(result["l3score"])
    assert result["judge_failed"] == 1
    assert result["scores"].count(None) == 1
    (reason,) = filter(None, result["reasons"])
    assert reason.startswith("HTTP 404: fault 404")


def test_an_unusable_judge_is_an_error(server: OpenAIServer, tmp_path: Path) -> None:
    """A wrong key stops before the first answer."""
    server.behaviour.sticky = "401"
    with pytest.raises(JudgeError, match="HTTP 401"):
        _metric(server, tmp_path).compute(questions=["q"], references=["r"], predictions=["p"])
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("predictions", "found"),
    [
        (["a"], r"\('What colour is the sky\?', 'Blue', None\) for prediction \[1\]"),
        ("ab", r"'Blue', None\) for prediction \[1\]"),
        (["a", None], r"'Blue', None\) for prediction \[1\]"),
        ([1, "a"], r"1\) for prediction \[0\]"),
        (["a", "b", "c"], r"\(None, None, 'c'\) for prediction \[2\]"),
    ],
)
def test_columns_that_do_not_fit_are_refused(
    server: OpenAIServer, tmp_path: Path, predictions: Any, found: str
) -> None:
    """Different lengths, a string for two questions and values that are no text."""
    expected = "^Expected as many questions as references and predictions, all of them strings;"
    with pytest.raises(InputError, match=f"{expected} found .*{found}.$"):
        _metric(server, tmp_path).compute(
            questions=QUESTIONS, references=REFERENCES, predictions=predictions
        )


def test_a_string_is_a_column_of_one(server: OpenAIServer, tmp_path: Path) -> None:
    """Not one of its letters."""
    result = _metric(server, tmp_path).compute(
        questions=QUESTIONS[0], references="Blue", predictions="Blue"
    )
    assert result["scores"] == [pytest.approx(0.9 / 0.98)]


def test_judges_without_log_probabilities_are_refused(tmp_path: Path) -> None:
    """When they are named, not when they are asked."""
    with pytest.raises(JudgeError, match="no token log-probabilities"):
        L3Score("anthropic:claude", api_key="k", cache_dir=tmp_path)


def test_a_mean_of_noise_is_withheld(server: OpenAIServer, tmp_path: Path) -> None:
    """Of a judge that answers the test questions and then begins with something else."""
    metric = _metric(server, tmp_path)
    columns = {"questions": QUESTIONS, "references": REFERENCES, "predictions": REFERENCES}
    thinks: TopLogprobs = [("So", -0.6), ("Got", -0.9), ("Yes", -13.0), ("Hm", -14.0), ("a", -15.0)]
    plain = server.behaviour.verdict
    server.behaviour.verdict = lambda prompt: (
        plain(prompt) if "What colour is the sky on a clear day?" in prompt else thinks
    )
    result = metric.compute(**columns)
    assert math.isnan(result["l3score"])
    assert result["yes_no_mass"] == pytest.approx(math.exp(-13))


def test_of_several_references_the_best_counts(server: OpenAIServer, tmp_path: Path) -> None:
    """Columns may be generators; the signature says that there were several, and a list of one
    is none of these.
    """
    metric = _metric(server, tmp_path)
    columns = {"questions": iter(QUESTIONS), "predictions": (text for text in ["Blue", "Blue"])}
    result = metric.compute(**columns, references=iter([["Green", "Blue"], ("Red", "Green")]))
    assert result["scores"] == [pytest.approx(0.9 / 0.98), pytest.approx(0.08 / 0.98)]
    assert result["signature"]["references"] == "best"
    one = metric.compute(
        questions=QUESTIONS, references=[["Blue"], "Blue"], predictions=["Blue", "Blue"]
    )
    assert "references" not in one["signature"]
    with pytest.raises(InputError, match=r"prediction \[1\]"):
        metric.compute(questions=QUESTIONS, references=["Blue", []], predictions=["Blue", "Blue"])


@pytest.mark.parametrize(
    "prediction", ["<think>Green? No.</think>Blue", "x" * 100_001, "Green", "nan", ""]
)
def test_a_line_has_the_score_that_the_command_score_gives_it(
    server: OpenAIServer, tmp_path: Path, prediction: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Reasoning is not judged, and of a very long answer its beginning."""
    line = {"id": 1, "question": QUESTIONS[1], "reference": "Blue", "prediction": prediction}
    (tmp_path / "answers.jsonl").write_text(json.dumps(line))
    judge = f"openai:gpt-4o@{server.url}"
    options = ["--judge", judge, "--metrics", "l3score"]
    _, found, _ = run_json(capsys, "score", tmp_path / "answers.jsonl", *options)
    value = found["metrics"]["l3score"]

    metric = _metric(server, tmp_path / "cache")
    result = metric.compute(questions=[QUESTIONS[1]], references=["Blue"], predictions=[prediction])
    assert result["scores"] == [value]
    assert math.isnan(result["l3score"]) if value is None else result["l3score"] == value


def test_without_a_verdict_on_one_reference_there_is_no_best(
    server: OpenAIServer, tmp_path: Path
) -> None:
    """The missing one might be higher."""
    server.behaviour.script = ["ok", "ok", "ok", "404"]
    metric = _metric(server, tmp_path, concurrency=1)
    result = metric.compute(
        questions=QUESTIONS[:1], references=[["Blue", "Green"]], predictions=["Blue"]
    )
    assert (result["scores"], result["judge_failed"]) == ([None], 1)
    assert result["reasons"][0].startswith("HTTP 404")


def test_a_metric_is_copied_and_pickled(server: OpenAIServer, tmp_path: Path) -> None:
    """As `datasets.map` and worker processes do."""
    metric = _metric(server, tmp_path)
    columns = {"questions": QUESTIONS, "references": REFERENCES, "predictions": REFERENCES}
    expected = metric.compute(**columns)
    for other in (copy.deepcopy(metric), pickle.loads(pickle.dumps(metric))):
        assert other.compute(**columns)["scores"] == expected["scores"]


def same_place(prompt: str) -> TopLogprobs:
    """Answer by the place of the falls, and the test questions by the blue sky."""
    _, _, answer = prompt.partition("Candidate answer: ")
    yes = 0.969 if "Ontario" in answer or "Blue" in answer else 0.02
    first, second = sorted((("Yes", yes), ("No", 0.99 - yes)), key=lambda pair: -pair[1])
    return [
        (word, math.log(share))
        for word, share in (first, second, ("Maybe", 0.004), ("The", 0.003), ("It", 0.002))
    ]


def test_three_lines_of_python_score_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """A right answer in other words scores high where word overlap would not, a wrong one low
    (SPIQA, Figure 4).
    """
    with OpenAIServer(Behaviour(verdict=same_place)) as server:
        monkeypatch.setenv("SPIQA_JUDGE_BASE_URL", server.url)
        monkeypatch.setenv("SPIQA_JUDGE_API_KEY", "sk-secret")
        from spiqa_tasks import L3Score

        found = L3Score(judge="openai:gpt-4o").compute(
            questions=[QUESTIONS[0]] * 2,
            references=["On the border between the United States and Canada."] * 2,
            predictions=["Between the state of New York and Ontario.", "In Zambia."],
        )
    assert found["scores"] == pytest.approx([0.969 / 0.99, 0.02 / 0.99])
    assert found["l3score"] == pytest.approx((0.969 + 0.02) / 0.99 / 2)
    assert found["judge_failed"] == 0
    assert found["signature"]["judge"] == "openai:gpt-4o"
