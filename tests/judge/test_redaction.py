"""No key and no password in what a server wrote, on its way into cache, samples, tables and terminal."""

from __future__ import annotations

import base64
import itertools
import json
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai_server import OpenAIServer

from spiqa_tasks.benchmarks.signature import Signature, parse
from spiqa_tasks.errors import JudgeError
from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.engine import Engine
from spiqa_tasks.judge.redaction import _forms, redacted, redacted_verdict
from spiqa_tasks.judge.resolve import parse_judge
from spiqa_tasks.judge.types import JudgeRequest, Verdict

KEY = "sk-secret-0123456789"  # the one of the fixture `config`
KEYS = st.text("abcXYZ012-_/+%. ", min_size=8, max_size=60)
WORDS = st.text("qwrt.,: ", max_size=20)


@given(key=KEYS, before=WORDS, after=WORDS, data=st.data())
def test_no_half_of_a_key_is_left(key: str, before: str, after: str, data: st.DataObject) -> None:
    """Neither of the key nor of any of its spellings, wherever it stands."""
    inner = base64.b64encode(f"{before}{key}{after}".encode()).decode()
    forms = [key, key.upper(), key.swapcase(), quote(key, safe=""), inner, inner.replace("+", "-").replace("/", "_")]
    form = data.draw(st.sampled_from(forms))
    text = redacted(f"{before}{form}{after}", key)
    assert "[key]" in text
    wanted = (key if form.lower() == key.lower() else quote(key, safe="")).lower()
    half = max(8, (len(wanted) + 1) // 2)
    pieces = (wanted[at : at + half] for at in range(len(wanted) - half + 1))
    assert not any(piece in text.lower() for piece in pieces)


@pytest.mark.parametrize("piece", [KEY[:10], KEY[10:], KEY[4:16], KEY.upper(), KEY[:15].title()])
def test_pieces_of_half_a_key_are_taken_out_whole(piece: str) -> None:
    """With all that belongs to them; shorter ones are no secret, as servers show four characters of a key."""
    assert redacted(f"the key {piece} is wrong", KEY) == "the key [key] is wrong"
    assert redacted(f"the key ...{KEY[-4:]} is wrong", KEY) == f"the key ...{KEY[-4:]} is wrong"


@given(text=st.text())
def test_other_texts_stay(text: str) -> None:
    """Without a key, or with one that is not there, what is Unicode text is returned as it is."""
    assert redacted(text, None) == redacted(text, "sk-somebody-elses-key")
    if "@" not in text:
        assert redacted(text, None) == text


@given(
    key=st.text("abcXYZ012-_", min_size=8, max_size=40),
    cuts=st.lists(st.integers(1, 39), min_size=1, max_size=6, unique=True),
    upper=st.booleans(),
)
def test_tokens_that_spell_a_key_together_are_taken_out(key: str, cuts: list[int], upper: bool) -> None:
    """One after the other; tokens beside them and all numbers stay."""
    ends = [0, *sorted(cut for cut in cuts if cut < len(key)), len(key)]
    pieces = [(key.upper() if upper else key)[start:end] for start, end in itertools.pairwise(ends)]
    given_ = [(token, -float(place)) for place, token in enumerate([" Yes ", *pieces, " no "])]
    found = redacted_verdict(Verdict("ok", top_logprobs=tuple(given_)), key).top_logprobs
    assert [number for _, number in found] == [number for _, number in given_]
    assert (found[0][0], found[-1][0]) == (" Yes ", " no ")
    assert {token for token, _ in found[1:-1]} == {"[key]"}


def test_no_password_of_an_address_is_left() -> None:
    """Whoever wrote it: a proxy's error, a redirect's target."""
    assert redacted("see http://me:secret@host/v1 or x@y", None) == "see http://[credentials]@host/v1 or x@y"
    assert redacted("a\ud800b", None) == "a?b"


@pytest.mark.parametrize("form", [KEY, KEY.upper(), KEY[:10], base64.b64encode(KEY.encode()).decode()])
def test_a_server_that_echoes_the_key_writes_it_nowhere(
    server: OpenAIServer, engine_of: Callable[..., Engine], form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """As its model's name, as a token and as a text: neither cache nor verdict nor summary has it."""
    server.behaviour.served_model = f"m-{form}"
    server.behaviour.text = f"B {form}"
    server.behaviour.verdict = lambda _: [(form, -0.1), *((word, -4.0) for word in "abcd")]
    engine = engine_of()
    verdicts = engine.map([JudgeRequest("p"), JudgeRequest("p", top_logprobs=None, max_tokens=9)], report=True)
    assert all(verdict.ok for verdict in verdicts)
    engine.close()
    assert engine.config.cache_dir is not None
    with sqlite3.connect(engine.config.cache_dir / "judge.sqlite") as db:
        stored = repr(db.execute("SELECT verdict FROM verdicts").fetchall())
    db.close()
    assert stored.count("[key]") == 5
    for told in (stored, repr(verdicts), repr(engine.summary()), capsys.readouterr().err):
        assert form.lower() not in told.lower()


def test_a_models_name_writes_no_signature(server: OpenAIServer, engine_of: Callable[..., Engine]) -> None:
    """A separator in it stays part of the name."""
    server.behaviour.served_model = "m|judge:evil"
    (verdict,) = engine_of().map([JudgeRequest("p")])
    made = Signature(judge="openai:gpt-4o", judge_served=verdict.model or "")
    assert parse(made.text) == made


@pytest.mark.parametrize(
    "judge",
    [
        "openai:m@http://user:secret@host/v1",
        "openai:m@ftp://user:secret@host/v1",
        "openai:m@HTTP://user:secret@host/v1",
        "https://user:secret@host/v1",
    ],
)
def test_a_judges_address_with_a_password_is_not_repeated(judge: str) -> None:
    """It is refused, or named without."""
    with pytest.raises(JudgeError) as caught:
        parse_judge(judge, environ={})
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("url", ["http:user:secret@host", "user:secret@host", "http://user:secret@host", "x@http://"])
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


def test_the_spellings_of_a_key_are_these() -> None:
    """As it is, percent-encoded, and in base64 of both alphabets at each place in a group of three bytes."""
    key = "a/b?>~c\xff\xbf"
    inner = {"YS9iPz5+Y8O/wr", "EvYj8+fmPDv8K/", "hL2I/Pn5jw7/Cv"}
    in_urls = {form.translate({ord("+"): "-", ord("/"): "_"}) for form in inner}
    assert set(_forms(key)) == {key, "a%2Fb%3F%3E~c%C3%BF%C2%BF", *inner, *in_urls}


def test_every_stretch_is_taken_out_and_what_is_between_stays() -> None:
    """Pieces that overlap or touch are one stretch."""
    assert redacted(f"a {KEY} b {KEY[:10]} c {KEY}{KEY} d", KEY) == "a [key] b [key] c [key] d"
    assert redacted(f"{KEY[:12]}{KEY[2:]}", KEY) == "[key]"
    assert redacted("", KEY) == ""


def test_a_short_key_is_looked_for_neither_in_texts_nor_in_tokens() -> None:
    """It would be found in honest words."""
    verdict = Verdict("ok", "none", (("no", -0.1), ("ne", -3.0)), "none", None)
    for key in (None, "none", "nonenon"):
        assert redacted_verdict(verdict, key) == verdict
    long = replace(verdict, text="nonenone", top_logprobs=(("none", -0.1), ("none", -3.0), ("no", -4.0)))
    found = redacted_verdict(long, "nonenone")
    assert (found.text, found.top_logprobs) == ("[key]", (("[key]", -0.1), ("[key]", -3.0), ("no", -4.0)))


def test_credentials_and_halves_of_characters_are_taken_out_everywhere() -> None:
    """In texts, tokens, the model's name and the reason alike."""
    verdict = Verdict("judge_failed", "http://u:p@h/", (("//a@", -1.0),), "m\ud800é", "at //x@y")
    expected = Verdict("judge_failed", "http://[credentials]@h/", (("//[credentials]@", -1.0),), "m?é")
    assert redacted_verdict(verdict, KEY) == replace(expected, reason="at //[credentials]@y")
