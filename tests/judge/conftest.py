"""What the judge's tests share: the local server and configs that point at it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "servers"))

from openai_server import Behaviour, OpenAIServer

from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.engine import Engine
from spiqa_tasks.judge.retry import RetryPolicy

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
        timeout=0.5,
        retry=RetryPolicy(base=0.01, cap=0.05, patience=20),
        cache_dir=tmp_path / "cache",
    )


@pytest.fixture
def engine_of(config: JudgeConfig) -> Iterator[Callable[..., Engine]]:
    """Makes engines for the local judge, with changes to its config, and closes them."""
    made: list[Engine] = []

    def make(**changes: Any) -> Engine:
        made.append(Engine(replace(config, **changes)))
        return made[-1]

    yield make
    for engine in made:
        engine.close()
