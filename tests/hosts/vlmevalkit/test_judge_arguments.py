"""The judge that the host's arguments or the environment name."""

from __future__ import annotations

from typing import Any

import pytest
from openai_server import OpenAIServer

from spiqa_tasks.errors import JudgeError
from spiqa_tasks.hosts.catalogue import find_tasks
from spiqa_tasks.hosts.vlmevalkit import judge_arguments
from spiqa_tasks.hosts.vlmevalkit.judge_arguments import config_of, judge_of
from spiqa_tasks.judge.config import DEFAULT_JUDGE

URL = "http://127.0.0.1:1/v1"


@pytest.mark.parametrize("url", [URL, f"{URL}/", f"{URL}/chat/completions"])
@pytest.mark.parametrize("model", ["gpt-4o", "qwen2.5:7b", "Qwen/Qwen2.5-7B"])
def test_a_model_of_the_hosts_arguments_is_asked_at_their_url(model: str, url: str) -> None:
    """Any name, in OpenAI's protocol, and the key goes there."""
    config = config_of(model, url, "secret-of-mine", {})
    assert config is not None
    assert (config.name, config.url, config.api_key) == (f"openai:{model}", URL, "secret-of-mine")


def test_our_own_way_to_write_a_judge_is_known() -> None:
    """`provider:model@URL` stays what it is elsewhere."""
    config = config_of(f"openai:judge@{URL}", "", "", {"SPIQA_JUDGE_API_KEY": "k" * 9})
    assert config is not None
    assert (config.name, config.url) == ("openai:judge", URL)


def test_without_a_name_the_environments_judge_is_asked() -> None:
    """An address or a key alone belong to that judge."""
    environ = {"SPIQA_JUDGE": "openai:small", "SPIQA_JUDGE_BASE_URL": URL}
    for config in (config_of("", "", "", environ), config_of("", f"{URL}/chat/completions", "", environ)):
        assert config is not None
        assert (config.name, config.url) == ("openai:small", URL)
    assert config_of("", "", "", {"SPIQA_JUDGE": "none"}) is None


@pytest.mark.parametrize("name", ["none", "exact_matching", "None"])
def test_judging_can_be_switched_off(name: str) -> None:
    """By our word or the host's."""
    assert config_of(name, URL, "", {}) is None


def test_the_judge_is_tried_once_for_all_tasks(server: OpenAIServer) -> None:
    """Tasks that need none have none; those that need one share it."""
    told = {"model": "judge", "api_base": f"{server.url}/chat/completions", "nproc": 4}
    ones = [judge_of(task, told) for task in find_tasks(["spiqa_demo", "spiqa_demo_cot", "mmstar_demo"])]
    assert ones[0] is ones[1] is not None
    assert ones[2] is None
    assert len(server.requests) == 2


def test_a_judge_without_log_probabilities_is_refused(server: OpenAIServer) -> None:
    """Before any model runs."""
    server.behaviour.sticky = "no_logprobs"
    with pytest.raises(JudgeError):
        judge_of(find_tasks(["spiqa_demo"])[0], {"model": "judge", "api_base": server.url})


def test_each_of_the_hosts_arguments_is_the_judges(monkeypatch: pytest.MonkeyPatch) -> None:
    """Model, address and key count, others do not; nothing is made for a task without a judge."""
    made: list[Any] = []
    monkeypatch.setattr(judge_arguments, "make_judge", lambda *given: made.append(given))
    spiqa, mmstar = find_tasks(["spiqa_demo", "mmstar_demo"])
    judge_of(spiqa, {"model": "openai:j", "api_base": f"{URL}/", "key": "secret-of-mine", "nproc": 4})
    ((rule, config),) = made
    assert rule == spiqa.entry.judge(spiqa.typed)
    assert (config.name, config.url, config.api_key) == ("openai:j", URL, "secret-of-mine")
    judge_of(spiqa, {"model": None, "api_base": None})
    assert made[1] == (rule, None)  # SPIQA_JUDGE=none
    judge_of(mmstar, {"model": "openai:j"})
    assert len(made) == 2


def test_an_address_alone_is_asked_for_the_usual_judge() -> None:
    """Where neither the arguments nor the environment name one; blanks around a name do not count."""
    config = config_of("", f"{URL}/chat/completions/", "k", {})
    assert config is not None
    assert (config.name, config.url, config.api_key) == (DEFAULT_JUDGE, URL, "k")
    config = config_of("", URL, "k", {"SPIQA_JUDGE": " small "})
    assert config is not None
    assert config.name == "openai:small"
