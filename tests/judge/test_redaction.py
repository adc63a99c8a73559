"""No key and no password in what a server wrote, on its way into cache, samples, tables and
terminal.
"""

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai_server import OpenAIServer

from spiqa_tasks.benchmarks.signature import Signature, parse
from spiqa_tasks.errors import JudgeError
from spiqa_tasks.judge.judge import JudgeClient
from spiqa_tasks.judge.resolve import parse_judge
from spiqa_tasks.judge.types import JudgeConfig, JudgeRequest, redacted

KEY = "sk-secret-0123456789"  # the one of the fixture `config`
KEYS = st.text('abcXYZ012-_/+%. "\\', min_size=8, max_size=60)
WORDS = st.text("qwrt.,: ", max_size=20)
FORMS: list[Callable[[str], str]] = [
    str,
    quote,
    lambda key: quote(key, safe=""),
    lambda key: json.dumps(key)[1:-1],
]


@given(key=KEYS, before=WORDS, after=WORDS, form=st.sampled_from(FORMS))
def test_no_key_is_left(key: str, before: str, after: str, form: Callable[[str], str]) -> None:
    """As it is, percent-encoded, or as a JSON string, wherever it stands."""
    text = redacted(f"{before}{form(key)}{after}", key)
    assert "[key]" in text
    assert form(key) not in text.replace("[key]", "")


@given(text=st.text())
def test_other_texts_stay(text: str) -> None:
    """Without a key, or with one that is not there, what is Unicode text is returned as it is."""
    assert redacted(text, None) == redacted(text, "sk-somebody-elses-key")
    if "@" not in text:
        assert redacted(text, None) == text


def test_no_password_of_an_address_is_left() -> None:
    """Whoever wrote it: a proxy's error, a redirect's target."""
    assert (
        redacted("see http://me:secret@host/v1 or x@y", None)
        == "see http://[credentials]@host/v1 or x@y"
    )
    assert redacted("a\ud800b", None) == "a?b"


def test_a_server_that_echoes_the_key_writes_it_nowhere(
    server: OpenAIServer, config: JudgeConfig, capsys: pytest.CaptureFixture[str]
) -> None:
    """As its model's name, as a token and as a text: neither cache nor verdict nor summary has
    it.
    """
    server.behaviour.served_model = f"m-{KEY}"
    server.behaviour.text = f"B {KEY}"
    server.behaviour.verdict = lambda _: [(KEY, -0.1), *((word, -4.0) for word in "abcd")]
    judge = JudgeClient(config, report=True)
    requests = [JudgeRequest("p"), JudgeRequest("p", top_logprobs=None, max_tokens=9)]
    verdicts = judge.verdicts(requests)
    assert all(verdict.ok for verdict in verdicts)
    assert config.cache_dir is not None
    with sqlite3.connect(config.cache_dir / "judge.sqlite") as db:
        stored = repr(db.execute("SELECT verdict FROM verdicts").fetchall())
    db.close()
    assert stored.count("[key]") == 5
    for told in (stored, repr(verdicts), repr(judge.summary()), capsys.readouterr().err):
        assert KEY not in told


def test_a_models_name_writes_no_signature(server: OpenAIServer, config: JudgeConfig) -> None:
    """A separator in it stays part of the name."""
    server.behaviour.served_model = "m|judge:evil"
    (verdict,) = JudgeClient(config).verdicts([JudgeRequest("p")])
    made = Signature(judge="openai:gpt-4o", judge_served=verdict.model or "")
    assert parse(made.text) == made


@pytest.mark.parametrize(
    "url", ["http:user:secret@host", "user:secret@host", "http://user:secret@host", "x@http://"]
)
def test_a_base_url_with_a_password_is_not_repeated(url: str) -> None:
    """However it is written."""
    with pytest.raises(JudgeError) as caught:
        parse_judge("openai:m", base_url=url, environ={})
    assert "secret" not in str(caught.value)
    assert JudgeConfig("openai", "m", "http://user:secret@host:1/v1").host == "host:1"


@pytest.mark.parametrize("key", ["ключ-0123456789", "sk-0123456789…", "sk-\x000123456789"])
def test_a_key_that_no_header_can_hold_is_refused(key: str, tmp_path: Path) -> None:
    """Before it is sent, without repeating it."""
    with pytest.raises(JudgeError, match="printable ASCII") as caught:
        parse_judge("openai:m", api_key=key, environ={"SPIQA_TASKS_CACHE": str(tmp_path)})
    assert json.dumps(key)[1:-1] not in str(caught.value)
    assert key not in str(caught.value)
