"""The notes of batches that were handed over and not collected yet."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiqa_tasks.judge import open_batches
from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.open_batches import OpenBatch, OpenBatches

CONFIG = JudgeConfig("openai", "m", "http://127.0.0.1:1/v1")


def test_a_note_is_there_for_the_next_process_until_it_is_forgotten(tmp_path: Path) -> None:
    """First without a name, then with the server's; judge, address, keys and time are kept."""
    tops = {"a" * 64: 5, "b" * 64: None}
    before = time.time()
    mine = OpenBatches(CONFIG, tmp_path)
    begun = mine.begin(tops)
    assert (begun.judge, begun.url, begun.tops, begun.id) == ("openai:m", CONFIG.url, tops, None)
    assert before <= begun.since <= time.time()
    assert list(OpenBatches(CONFIG, tmp_path)) == [begun]
    named = mine.arrived(begun, "batch_7")
    assert named == replace(begun, id="batch_7")
    assert list(OpenBatches(CONFIG, tmp_path)) == [named]
    mine.forget(named)
    mine.forget(named)
    assert list(OpenBatches(CONFIG, tmp_path)) == []


@pytest.mark.parametrize("other", [replace(CONFIG, model="n"), replace(CONFIG, url="http://127.0.0.1:2/v1")])
def test_batches_of_other_judges_are_not_mine(tmp_path: Path, other: JudgeConfig) -> None:
    """Another model, or the same one at another address."""
    OpenBatches(other, tmp_path).begin({"a": None})
    assert list(OpenBatches(CONFIG, tmp_path)) == []
    assert len(list(OpenBatches(other, tmp_path))) == 1


def test_the_oldest_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the order of the files' names."""
    clock: Iterator[float] = iter([30.0, 10.0, 40.0, 20.0])
    monkeypatch.setattr(open_batches.time, "time", lambda: next(clock))
    mine = OpenBatches(CONFIG, tmp_path)
    for key in "abcd":
        mine.begin({key: None})
    assert [batch.since for batch in mine] == [10.0, 20.0, 30.0, 40.0]


@pytest.mark.parametrize("content", ["", "{", "[]", "5", '{"judge": "openai:m"}', "[" * 200_000, b"\xff\xfe"])
def test_a_file_that_cannot_be_read_is_left_alone(tmp_path: Path, content: str | bytes) -> None:
    """It neither counts nor goes, and the others are there."""
    mine = OpenBatches(CONFIG, tmp_path)
    batch = mine.begin({"a": 1})
    damaged = mine.folder / "damaged.json"
    damaged.write_bytes(content if isinstance(content, bytes) else content.encode())
    assert list(mine) == [batch]
    assert damaged.exists()


def test_where_no_batch_was_ever_begun_there_is_none(tmp_path: Path) -> None:
    """Looking makes no folder."""
    assert list(OpenBatches(CONFIG, tmp_path / "nothing")) == []
    assert not (tmp_path / "nothing").exists()


@given(st.lists(st.text("0123456789abcdef", min_size=1, max_size=8), unique=True, min_size=2))
def test_a_tag_stands_for_the_entries_in_any_order(keys: list[str]) -> None:
    """Sixteen hexadecimal digits, the same for the keys turned round and others for one key less."""

    def tag(found: list[str]) -> str:
        return OpenBatch("j", "u", dict.fromkeys(found), 0.0).tag

    assert len(tag(keys)) == 16
    assert int(tag(keys), 16) >= 0
    assert tag(keys) == tag(keys[::-1])
    assert tag(keys) != tag(keys[1:])


def test_a_note_holds_no_key(tmp_path: Path) -> None:
    """The files lie beside the cache for anyone to read."""
    mine = OpenBatches(replace(CONFIG, api_key="sk-secret-0123456789"), tmp_path)
    mine.begin({"a": 1})
    (path,) = mine.folder.iterdir()
    assert sorted(json.loads(path.read_bytes())) == ["id", "judge", "since", "tops", "url"]
    assert "sk-secret" not in path.read_text()
