"""The official SDKs: found or missed, and their errors as one sentence."""

from __future__ import annotations

import sys

import pytest

from spiqa_tasks.errors import JudgeError
from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.providers import PROVIDERS
from spiqa_tasks.judge.providers.sdk import TRIES, client_options, importing, is_before, told

KEY = "sk-secret-0123456789"
CONFIG = JudgeConfig("openai", "m", "http://127.0.0.1:1/v1", KEY, timeout=7.0)


@pytest.mark.parametrize(("provider", "package"), [("openai", "openai"), ("anthropic", "anthropic")])
def test_a_missing_sdk_is_one_sentence_with_the_command(
    monkeypatch: pytest.MonkeyPatch, provider: str, package: str
) -> None:
    """It names the package and how to install it, before anything is asked."""
    monkeypatch.setitem(sys.modules, package, None)
    make = PROVIDERS[provider].make_batches
    assert make is not None
    with pytest.raises(JudgeError, match=rf"the package {package}, .* pip install 'spiqa-tasks\[batch\]'$"):
        make(JudgeConfig(provider, "m", "http://127.0.0.1:1/v1", KEY))


def test_other_errors_of_an_import_are_not_hidden() -> None:
    """Only a package that is not there is one that can be installed."""
    with pytest.raises(ZeroDivisionError), importing("openai"):
        raise ZeroDivisionError


@pytest.mark.parametrize(("made", "before"), [(1000.0, False), (940.0, False), (939.0, True), (2000.0, False)])
def test_a_servers_clock_may_be_a_minute_behind(made: float, before: bool) -> None:
    """A batch that it dates up to a minute before ours may be ours."""
    assert is_before(made, 1000.0) is before


def test_clients_have_the_judges_key_and_patience() -> None:
    """A server of one's own without a key gets a placeholder, as the SDKs refuse to have none."""
    assert client_options(CONFIG) == {"api_key": KEY, "timeout": 7.0, "max_retries": TRIES}
    assert client_options(JudgeConfig("openai", "m", "http://127.0.0.1:1/v1"))["api_key"] == "none"


@pytest.mark.parametrize(
    ("message", "found"),
    [
        (f"Bearer {KEY} is wrong", "Bearer [key] is wrong"),
        ("x" * 1000, "x" * 300),
        ("", "LookupError"),
    ],
)
def test_an_sdks_error_is_one_sentence_without_the_key(message: str, found: str) -> None:
    """It holds what the SDK says, 300 characters of it at most, or else the error's name, and what to do."""
    with pytest.raises(JudgeError) as caught, told(CONFIG, LookupError):
        raise LookupError(message)
    said = str(caught.value)
    assert f" of the judge openai:m to answer, found {found}. Check the judge's key and address" in said
    assert KEY not in said


def test_errors_of_others_go_through() -> None:
    """A defect of ours is no refusal of the server."""
    with pytest.raises(ZeroDivisionError), told(CONFIG, LookupError):
        raise ZeroDivisionError
