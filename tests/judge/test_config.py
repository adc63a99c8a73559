"""A judge as plain data."""

from __future__ import annotations

from dataclasses import replace

import pytest

from spiqa_tasks.errors import JudgeError
from spiqa_tasks.judge.config import JudgeConfig


def test_the_key_is_in_no_representation() -> None:
    """repr and str of a config hide the key."""
    config = JudgeConfig("openai", "m", api_key="sk-very-secret")
    assert "secret" not in f"{config!r} {config} {[config]}"


def test_equal_configs_are_one_judge() -> None:
    """They have one hash; another key makes another judge."""
    config = JudgeConfig("openai", "m", "http://h/v1", "k", extra="{}", price=(1.0, 2.0))
    assert len({config, replace(config), replace(config, api_key="other")}) == 2


@pytest.mark.parametrize("change", [{"concurrency": 0}, {"batch_size": 0}, {"timeout": 0.0}])
def test_a_judge_that_could_never_be_asked_is_refused(change: dict[str, float]) -> None:
    """No slot, no batch and no time are one sentence."""
    with pytest.raises(JudgeError, match="at least 1 and its timeout above 0"):
        replace(JudgeConfig("openai", "m"), **change)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("url", "host"),
    [("https://judge.example:8443/v1?api-version=1", "judge.example:8443"), ("http://127.0.0.1/v1", "127.0.0.1")],
)
def test_a_server_is_named_by_host_and_port(url: str, host: str) -> None:
    """Without the path; a judge in this process has none."""
    assert JudgeConfig("openai", "m", url).host == host
    assert JudgeConfig("hf", "some/model").host == ""


def test_the_price_is_per_million_tokens_of_each_kind() -> None:
    """Prompt and completion have prices of their own; without one nothing is known."""
    config = JudgeConfig("openai", "m", price=(2.0, 10.0))
    assert config.cost(1_000_000, 500_000) == 7.0
    assert config.cost(3, 0) == pytest.approx(6e-6)
    assert replace(config, price=None).cost(1, 1) is None
