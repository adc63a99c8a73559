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


def test_a_short_key_is_a_placeholder() -> None:
    """Eight characters and more are taken out of a text; `EMPTY` and `none` are words."""
    assert JudgeConfig("openai", "m", api_key="12345678").redact("a 12345678 b") == "a [key] b"
    assert JudgeConfig("openai", "m", api_key="1234567").redact("a 1234567 b") == "a 1234567 b"
    assert JudgeConfig("openai", "m").redact("a  b") == "a  b"


@pytest.mark.parametrize(
    ("url", "host"),
    [("https://judge.example:8443/v1?api-version=1", "judge.example:8443"), ("http://127.0.0.1/v1", "127.0.0.1")],
)
def test_a_server_is_named_by_host_and_port(url: str, host: str) -> None:
    """Without the path; a judge in this process has none."""
    assert JudgeConfig("openai", "m", url).host == host
    assert JudgeConfig("hf", "some/model").host == ""


def test_the_least_that_can_be_asked() -> None:
    """One slot, one prompt and any time above 0 are enough, and the sentence says so."""
    config = JudgeConfig("openai", "m", concurrency=1, batch_size=1, timeout=0.1)
    assert config.name == "openai:m"
    with pytest.raises(JudgeError) as error:
        replace(config, timeout=-1.0)
    assert str(error.value) == ("The judge's concurrency and batch size must be at least 1 and its timeout above 0.")


def test_the_price_is_per_million_tokens_of_each_kind() -> None:
    """Prompt and completion have prices of their own; without one nothing is known."""
    config = JudgeConfig("openai", "m", price=(2.0, 10.0))
    assert config.cost(1_000_000, 500_000) == 7.0
    assert config.cost(3, 0) == pytest.approx(6e-6)
    assert replace(config, price=None).cost(1, 1) is None


def test_extra_fields_are_those_of_the_json_object() -> None:
    """None of them where nothing was said."""
    assert JudgeConfig("openai", "m", extra='{"seed": 1}').extra_fields == {"seed": 1}
    assert JudgeConfig("openai", "m").extra_fields == {}


def test_credentials_in_an_address_are_no_part_of_the_host() -> None:
    """Whatever stands before the last @."""
    assert JudgeConfig("openai", "m", "http://u:p@q@h:1/v1").host == "h:1"
