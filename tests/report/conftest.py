"""What tests of the report share: runs, judges, and a real browser to look at the page."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from openai_server import Behaviour, OpenAIServer, agreeing
from report_runs import write_two_runs

JUDGES = {"strict": (-0.1, -2.4), "mild": (-0.6, -0.8)}


def verdict(strict: tuple[float, float]) -> Callable[[str], list[tuple[str, float]]]:
    """A judge that says yes to equal answers, more or less surely by the length of the question."""

    def judge(prompt: str) -> list[tuple[str, float]]:
        (first, _), (second, _), *_ = agreeing(prompt)
        high, low = strict[0] - len(prompt) % 7 / 50, strict[1]
        return [(first, high), (second, low), ("a", -9.0), ("b", -9.1), ("c", -9.2)]

    return judge


@pytest.fixture
def judges(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Two judges at local servers."""
    monkeypatch.setenv("SPIQA_JUDGE_API_KEY", "EMPTY")
    servers = [OpenAIServer(Behaviour(verdict=verdict(JUDGES[name]))).start() for name in JUDGES]
    yield [f"openai:{name}@{server.url}" for name, server in zip(JUDGES, servers, strict=True)]
    for server in servers:
        server.stop()


@pytest.fixture(scope="session")
def two_runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of two runs of two benchmarks; to be read only."""
    return write_two_runs(tmp_path_factory.mktemp("runs"))
