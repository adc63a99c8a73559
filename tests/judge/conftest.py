"""What the judge's tests share: the local server and a config that points at it."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "servers"))

from openai_server import Behaviour, OpenAIServer

from spiqa_tasks.judge.types import JudgeConfig, RetryPolicy

KEY = "sk-secret-0123456789"


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    """A server that answers at once; tests change its behaviour."""
    with OpenAIServer(Behaviour()) as running:
        yield running


@pytest.fixture
def config(server: OpenAIServer, tmp_path: Path) -> JudgeConfig:
    """A judge at the local server, with short waits and a cache of its own."""
    return JudgeConfig(
        "openai",
        "gpt-4o",
        server.url,
        KEY,
        timeout=1.0,
        retry=RetryPolicy(base=0.01, cap=0.05, patience=20),
        cache_dir=tmp_path / "cache",
    )
