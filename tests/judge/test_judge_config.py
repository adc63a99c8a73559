"""Which judge is asked, with which URL and key."""

from __future__ import annotations

from pathlib import Path

import pytest

from spiqa_tasks.errors import JudgeError
from spiqa_tasks.judge.config import JudgeConfig, judge_from_environ, parse_judge, require_logprobs


def test_the_default_is_the_papers_judge() -> None:
    """Without SPIQA_JUDGE, OpenAI's gpt-4o is asked with OPENAI_API_KEY."""
    config = judge_from_environ({"OPENAI_API_KEY": "k"})
    assert config is not None
    assert (config.name, config.url, config.api_key) == ("openai:gpt-4o", "https://api.openai.com/v1", "k")


def test_none_switches_judging_off() -> None:
    """SPIQA_JUDGE=none needs no key."""
    assert judge_from_environ({"SPIQA_JUDGE": "none"}) is None


def test_a_missing_key_says_what_to_set() -> None:
    """The message names the variable for the key and the way to switch judging off."""
    with pytest.raises(JudgeError, match=r"SPIQA_JUDGE_API_KEY.*SPIQA_JUDGE=none"):
        judge_from_environ({})


def test_the_url_of_the_model_under_test_is_never_used() -> None:
    """OPENAI_BASE_URL and OPENAI_API_BASE point at another server and are ignored."""
    environ = {"OPENAI_BASE_URL": "http://x/v1", "OPENAI_API_BASE": "http://y/v1", "OPENAI_API_KEY": "k"}
    config = judge_from_environ(environ)
    assert config is not None
    assert config.url == "https://api.openai.com/v1"


def test_the_judges_own_variables_win() -> None:
    """SPIQA_JUDGE_BASE_URL and SPIQA_JUDGE_API_KEY come first, and SPIQA_TASKS_CACHE holds the verdicts."""
    config = judge_from_environ(
        {
            "SPIQA_JUDGE": "openai:qwen:7b",
            "SPIQA_JUDGE_BASE_URL": "http://127.0.0.1:1/v1/",
            "SPIQA_JUDGE_API_KEY": "own",
            "OPENAI_API_KEY": "other",
            "SPIQA_TASKS_CACHE": "some/where",
        }
    )
    assert config is not None
    assert (config.model, config.url, config.api_key) == ("qwen:7b", "http://127.0.0.1:1/v1", "own")
    assert config.cache_dir == Path("some/where")


def test_a_server_of_ones_own_needs_no_key() -> None:
    """Local servers and local models are used without a key."""
    assert parse_judge("openai:m", base_url="http://127.0.0.1:1/v1", environ={}).api_key is None
    assert parse_judge("hf:some/model", environ={}).url == ""


def test_anthropic_is_not_sent_openais_key() -> None:
    """Each provider falls back to its own key only."""
    with pytest.raises(JudgeError, match="ANTHROPIC_API_KEY"):
        parse_judge("anthropic:claude", environ={"OPENAI_API_KEY": "k"})


@pytest.mark.parametrize("judge", ["gpt-4o", "gemini:pro", "", ":m"])
def test_an_unknown_provider_lists_the_known_ones(judge: str) -> None:
    """The message holds every provider."""
    with pytest.raises(JudgeError, match="openai, anthropic, hf"):
        parse_judge(judge, environ={})


@pytest.mark.parametrize("url", ["http://user:pw@host/v1", "http://host/v1?api-key=abc", "http://host/v1?token=abc"])
def test_credentials_in_the_url_are_refused_without_repeating_them(url: str) -> None:
    """A URL is logged and kept in signatures, so it must hold no secret."""
    with pytest.raises(JudgeError, match="SPIQA_JUDGE_API_KEY") as caught:
        parse_judge("openai:m", base_url=url, environ={})
    assert url not in str(caught.value)


def test_a_version_in_the_url_is_no_credential() -> None:
    """Azure's api-version stays in the URL."""
    url = "https://me.openai.azure.com/openai/deployments/gpt-4o?api-version=2024-06-01"
    assert parse_judge("openai:gpt-4o", base_url=url, api_key="k", environ={}).url == url


@pytest.mark.parametrize("model", ["o1", "o1-mini", "o3", "o4-mini", "gpt-5", "gpt-5-mini", "openai/o3-mini"])
def test_reasoning_models_cannot_give_l3score(model: str) -> None:
    """They return no log-probabilities; the message lists judges that do."""
    with pytest.raises(JudgeError, match="hf:"):
        require_logprobs(JudgeConfig("openai", model))


def test_anthropic_cannot_give_l3score() -> None:
    """Its API returns no log-probabilities."""
    with pytest.raises(JudgeError, match="openai:"):
        require_logprobs(JudgeConfig("anthropic", "claude"))


@pytest.mark.parametrize("model", ["gpt-4o", "gpt-4.1-mini", "gpt-3.5-turbo", "o11y-model", "Qwen/Qwen2.5-7B-Instruct"])
def test_other_models_may_judge(model: str) -> None:
    """Only the known reasoning families are refused."""
    require_logprobs(JudgeConfig("openai", model))


def test_the_key_is_in_no_representation() -> None:
    """repr and str of a config hide the key."""
    config = JudgeConfig("openai", "m", api_key="sk-very-secret")
    assert "secret" not in f"{config!r} {config} {[config]}"
