"""Verdicts as they are stored: keys that never change, and texts that are read back or judged anew."""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from spiqa_tasks.judge.cache_entry import dump, load, request_key
from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.types import JudgeRequest, Verdict

CONFIG = JudgeConfig("openai", "m", "http://h/v1")
VERDICT = Verdict("ok", "Yes", (("Yes", -0.1), ("No", -math.inf)), "m-1", None, False, 10, 1)


def test_keys_tell_apart_what_shapes_a_verdict(tmp_path: Path) -> None:
    """Provider, model, URL, fingerprint, prompt and images by content change the key; an image's name does not."""
    first, second = tmp_path / "a.png", tmp_path / "b.png"
    first.write_bytes(b"pixels")
    second.write_bytes(b"pixels")
    request = JudgeRequest("p")
    judges = [
        CONFIG,
        *(replace(CONFIG, **change) for change in ({"provider": "hf"}, {"model": "n"}, {"url": "http://i"})),
    ]
    keys = {request_key(judge, "", request) for judge in judges}
    keys |= {request_key(CONFIG, "f", request), request_key(CONFIG, "", JudgeRequest("q"))}
    assert len(keys) == 6
    with_first = request_key(CONFIG, "", JudgeRequest("p", images=(str(first),)))
    assert with_first == request_key(CONFIG, "", JudgeRequest("p", images=(str(second),)))
    first.write_bytes(b"other pixels")
    assert with_first != request_key(CONFIG, "", JudgeRequest("p", images=(str(first),)))


def test_the_same_question_asked_again_has_a_verdict_of_its_own() -> None:
    """The first asking has the key of a question that is asked once."""
    keys = [request_key(CONFIG, "", JudgeRequest("p", repeat=time)) for time in (0, 1, 2)]
    assert keys[0] == request_key(CONFIG, "", JudgeRequest("p"))
    assert len(set(keys)) == 3


def test_how_a_judge_is_asked_is_no_part_of_the_key(tmp_path: Path) -> None:
    """API key, concurrency, timeout, price and the cache's place leave a stored verdict where it is."""
    other = replace(CONFIG, api_key="k", concurrency=1, timeout=1.0, price=(1.0, 1.0), cache_dir=tmp_path)
    assert request_key(other, "", JudgeRequest("p")) == request_key(CONFIG, "", JudgeRequest("p"))


@pytest.mark.parametrize(("extra", "told"), [("", ""), ("{1}", '"extra": "{1}", ')])
@pytest.mark.parametrize(("top", "kind", "stored"), [(7, "logprobs", 7), (None, "text", 5)])
def test_keys_are_those_of_earlier_versions(extra: str, told: str, top: int | None, kind: str, stored: int) -> None:
    """A changed key would have every verdict paid for again, so what it is made of is written down here."""
    images = ("https://h/a.png", "http://h/b.png", "data:c")
    request = JudgeRequest('p"\u00e9', images, 3, top, ("yes",))
    fields = (
        f'{{"base_url": "http://h/v1", {told}"fingerprint": "f", '
        '"images": ["https://h/a.png", "http://h/b.png", "data:c"], '
        f'"kind": "{kind}", "lookup": ["yes"], '
        '"max_tokens": 3, "model": "m", "prompt": "p\\"\\u00e9", "provider": "openai", '
        f'"system": null, "temperature": 0.0, "top_logprobs": {stored}}}'
    )
    key = request_key(replace(CONFIG, extra=extra), "f", request)
    assert key == hashlib.sha256(fields.encode()).hexdigest()


def test_a_verdict_is_read_back_as_cached() -> None:
    """All that it says survives, an impossible word among it, and the text is JSON."""
    assert load(dump(VERDICT)) == Verdict("ok", "Yes", VERDICT.top_logprobs, "m-1", None, True, 10, 1)
    assert load(dump(Verdict("ok", "Yes"))) == Verdict("ok", "Yes", cached=True)
    assert json.loads(dump(VERDICT))["text"] == "Yes"


def test_an_entry_of_an_earlier_version_is_read() -> None:
    """Verdicts were once stored with the seconds that they took."""
    assert load(json.dumps({**json.loads(dump(VERDICT)), "seconds": 0.25})) == load(dump(VERDICT))


@pytest.mark.parametrize(
    "change",
    [
        {"text": None},
        {"text": 3},
        {"model": 3},
        {"model": ...},
        {"top_logprobs": ...},
        {"top_logprobs": [["Yes"]]},
        {"top_logprobs": [[1, -0.1]]},
        {"top_logprobs": [["Yes", "often"]]},
        {"top_logprobs": [["Yes", math.nan]]},
        {"top_logprobs": [["Yes", 0.9]]},
        {"top_logprobs": [["Yes", 0.0], ["No", 0.0]]},
        {"prompt_tokens": 10**400},
        {"prompt_tokens": "10"},
        {"completion_tokens": None},
        {"completion_tokens": math.inf},
        {"completion_tokens": -math.inf},
        {"unknown": 1},
    ],
)
def test_a_text_of_another_form_is_no_verdict(change: dict[str, Any]) -> None:
    """A field that is missing, unknown or of another type has the request judged anew."""
    fields = json.loads(dump(VERDICT)) | change
    text = json.dumps({name: value for name, value in fields.items() if value is not ...})
    assert load(text) is None


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "3", "[" * 100_000])
def test_what_is_no_object_is_no_verdict(text: str) -> None:
    """Nothing that a file may hold is an error."""
    assert load(text) is None
