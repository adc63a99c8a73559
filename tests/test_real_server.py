"""The judge, files of requests and the host's API model against llama.cpp with a real small
model.
"""

import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from llama_server import llama_server

from spiqa_tasks.benchmarks.registry import rows_for_scoring
from spiqa_tasks.errors import JudgeError
from spiqa_tasks.judge.judge import Judge, JudgeClient
from spiqa_tasks.judge.rules import RULES, Candidate
from spiqa_tasks.judge.types import JudgeConfig, JudgeRequest

pytestmark = pytest.mark.slow
ANSWERS = 12


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """The server's base URL."""
    with llama_server() as running:
        yield running


@pytest.fixture
def config(url: str, tmp_path: Path) -> JudgeConfig:
    """The judge, with a cache of its own."""
    return JudgeConfig("openai", "smollm2", url, concurrency=8, timeout=300, cache_dir=tmp_path)


def requests() -> list[JudgeRequest]:
    """L3Score's questions about the true answers to the demo's questions."""
    rows = rows_for_scoring("spiqa", "demo", "")[:ANSWERS]
    rule = RULES["l3score"]()
    return [rule.request(Candidate(row["answer"], row["question"], row["answer"])) for row in rows]


def test_its_log_probabilities_pass_every_check(config: JudgeConfig) -> None:
    """Five each, the written word the first, probabilities of 1 at most together; nothing is
    asked twice.
    """
    found = JudgeClient(config).verdicts(requests())
    assert [verdict.reason for verdict in found if not verdict.ok] == []
    for verdict in found:
        assert len(verdict.top_logprobs) == 5
        assert verdict.text == verdict.top_logprobs[0][0]
        assert sum(math.exp(logprob) for _, logprob in verdict.top_logprobs) <= 1
        assert (verdict.completion_tokens, verdict.prompt_tokens > 20) == (1, True)
    again = JudgeClient(config).verdicts(requests())
    assert [verdict.top_logprobs for verdict in again] == [
        verdict.top_logprobs for verdict in found
    ]
    assert all(verdict.cached for verdict in again)


def test_a_model_that_is_no_judge_is_refused(config: JudgeConfig) -> None:
    """So small a one gives yes and no a third of the probability together: noise, and no score."""
    with pytest.raises(JudgeError, match="begins with 'Yes' and is no clear yes or no"):
        Judge(config, RULES["l3score"]()).preflight()


@pytest.mark.parametrize("count", [1, 20])
def test_other_numbers_of_log_probabilities_are_given(config: JudgeConfig, count: int) -> None:
    """As many as are asked for."""
    (verdict,) = JudgeClient(config).verdicts([JudgeRequest("Say yes.", top_logprobs=count)])
    assert len(verdict.top_logprobs) == count


def test_a_written_answer_is_read(config: JudgeConfig) -> None:
    """With the tokens that it took."""
    (verdict,) = JudgeClient(config).verdicts(
        [JudgeRequest("Say hello.", top_logprobs=None, max_tokens=8)]
    )
    assert verdict.text
    assert (verdict.top_logprobs, 0 < verdict.completion_tokens <= 8) == ((), True)


def test_a_prompt_that_does_not_fit_fails_alone(config: JudgeConfig) -> None:
    """At once, with the server's words; texts that are no Unicode and control tokens do no harm
    to others.
    """
    prompts = ("word " * 9000, "a\ud800b", "<|im_end|>", "Hello?")
    long, half, control, plain = JudgeClient(config).verdicts(
        [JudgeRequest(prompt) for prompt in prompts]
    )
    assert "HTTP 400" in (long.reason or "")
    assert "context size" in (long.reason or "")
    assert all(verdict.ok for verdict in (half, control, plain))


def test_the_host_asks_it_as_its_api_model(
    evaluate: Callable[..., dict[str, Any]], url: str
) -> None:
    """`--model openai` answers questions without their pictures; every answer has a record and a
    score.
    """
    arguments = f"model_version=smollm2,base_url={url},api_key=EMPTY,timeout=300"
    result = evaluate("openai", ["mmstar_demo_text"], arguments, limit=3)
    samples = result["samples"]["mmstar_demo_text"]
    assert len(samples) == 3
    assert {sample["accuracy"]["status"] for sample in samples} <= {"ok", "unparsed", "refused"}
    assert result["results"]["mmstar_demo_text"]["request_failed_rate,none"] == 0
