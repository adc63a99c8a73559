"""Lines of responses in every form: what is an answer counts, and nothing else does."""

import json
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiqa_tasks.commands.batching import files_of, read_responses
from spiqa_tasks.errors import JudgeError
from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.types import JudgeRequest, Verdict

KEY = "sk-secret-0123456789"
APIS = {
    name: files_of(JudgeConfig(name, "m", "http://127.0.0.1:1/v1", KEY))
    for name in ("openai", "anthropic")
}
WANTED = {letter * 64: JudgeRequest("p", top_logprobs=2) for letter in "abcdef"}
BROKEN = [b'{"custom_id": "aa', b"[" * 200_000, b"[5]", b"5", b'{"custom_id": ["k"]}', b"\xff\xfe"]
KINDS = ["answer", "error", "broken", "foreign"]
FIELDS = [
    "custom_id",
    "response",
    "status_code",
    "body",
    "error",
    "message",
    "result",
    "type",
    "content",
]
LISTED = [{"token": "Yes", "logprob": -0.2}, {"token": "No", "logprob": -2.0}]


def line_of(provider: str, key: str, kind: str) -> bytes:
    """A line about a key, in a provider's form."""
    if kind == "broken":
        return BROKEN["abcdef".index(key[0])]
    line: dict[str, Any] = {"custom_id": "f" + key[1:-1] + "0" if kind == "foreign" else key}
    if provider == "anthropic":
        message = {
            "model": "m",
            "content": [{"type": "text", "text": "A"}],
            "usage": {"input_tokens": 3},
        }
        line["result"] = {"type": "errored" if kind == "error" else "succeeded", "message": message}
    else:
        choice = {
            "message": {"content": "Yes"},
            "logprobs": {"content": [{"token": "Yes", "top_logprobs": LISTED}]},
        }
        status = 500 if kind == "error" else 200
        line["response"] = {"status_code": status, "body": {"model": "m", "choices": [choice]}}
    return json.dumps(line).encode()


def read(provider: str, lines: list[bytes]) -> tuple[dict[str, Verdict], int]:
    """The verdicts in lines, and the number of lines."""
    return read_responses(APIS[provider], WANTED, lines)


@given(
    st.sampled_from(sorted(APIS)),
    st.lists(st.tuples(st.sampled_from(sorted(WANTED)), st.sampled_from(KINDS)), max_size=30),
    st.randoms(use_true_random=False),
)
def test_each_line_counts_once_in_any_order(
    provider: str, given: list[tuple[str, str]], chance: random.Random
) -> None:
    """Partial, repeated, foreign and broken lines, error lines before or behind an answer to the same request."""
    lines = [line_of(provider, *each) for each in given]
    verdicts, count = read(provider, lines)
    answered = {key for key, kind in given if kind == "answer"}
    assert {key for key, verdict in verdicts.items() if verdict.ok} == answered
    assert verdicts.keys() == answered | {key for key, kind in given if kind == "error"}
    assert count == len(given)
    chance.shuffle(lines)
    shuffled, _ = read(provider, [*lines, b"\n", b"  "])
    assert {key: shuffled[key] for key in answered} == {key: verdicts[key] for key in answered}
    assert not any(verdict.ok for key, verdict in shuffled.items() if key not in answered)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.just(KEY),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(FIELDS), inner, max_size=4)
    ),
)


@given(st.sampled_from(sorted(APIS)), _JSON, st.sampled_from([200, "succeeded", None]))
def test_no_line_raises_or_becomes_an_answer_by_chance(
    provider: str, value: Any, status: Any
) -> None:
    """Any JSON as a line, and as the response to a request; the key is in no reason."""
    line = {
        "custom_id": "a" * 64,
        "response": {"status_code": status, "body": value},
        "error": value,
    }
    line["result"] = {"type": status, "message": value, "error": value}
    verdicts, _ = read(provider, [json.dumps(each).encode() for each in (value, line)])
    assert not any(verdict.ok and not isinstance(value, dict) for verdict in verdicts.values())
    assert not any(KEY in (verdict.reason or "") for verdict in verdicts.values())


def test_a_judge_without_files_is_refused() -> None:
    """The sentence says so."""
    with pytest.raises(JudgeError, match="a judge that is asked through files, found hf:m"):
        files_of(JudgeConfig("hf", "m"))
