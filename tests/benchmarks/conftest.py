"""What the benchmarks' tests share: a local server as the judge, and scorers that ask it."""

from collections.abc import Callable, Iterator

import pytest
from openai_server import Behaviour, OpenAIServer

from spiqa_tasks.benchmarks.registry import BENCHMARKS
from spiqa_tasks.benchmarks.scorer import Scorer
from spiqa_tasks.judge.judge import Judge
from spiqa_tasks.judge.rules import RULES
from spiqa_tasks.judge.types import JudgeConfig, RetryPolicy

LEFT_OUT = {"meteor": "left out of this test", "bertscore_f1": "left out of this test"}

ScorerOf = Callable[..., Scorer]


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    """A judge's server; tests change its behaviour."""
    with OpenAIServer(Behaviour()) as running:
        yield running


@pytest.fixture
def judge_config(server: OpenAIServer) -> JudgeConfig:
    """That server, with short waits and no cache: what is not asked again is held by the judge."""
    policy = RetryPolicy(max_attempts=2, base=0.01, cap=0.02)
    return JudgeConfig("openai", "judge", server.url, "key", retry=policy)


@pytest.fixture
def l3score_judge(judge_config: JudgeConfig) -> Judge:
    """L3Score's judge."""
    return Judge(judge_config, RULES["l3score"]())


@pytest.fixture
def letters_judge(judge_config: JudgeConfig) -> Judge:
    """The judge that finds letters."""
    return Judge(judge_config, RULES["letters"]())


@pytest.fixture(scope="session")
def scorer_of() -> ScorerOf:
    """`scorer_of(benchmark, settings, judge)`: a task's scorer without METEOR and BERTScore."""

    def make(benchmark: str, settings: str = "", judge: Judge | None = None) -> Scorer:
        entry = BENCHMARKS[benchmark]
        judged = {} if judge is None else judge.configured
        fields = {"tokenizer": "ptb-java", **judged}
        return Scorer(entry, entry.parse(settings), "lmms-eval 0.0", judge, fields, LEFT_OUT)

    return make
