"""Answers, matched with a task's questions."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st

from spiqa_tasks.errors import InputError
from spiqa_tasks.offline.matching import match
from spiqa_tasks.offline.predictions import read_predictions

ROWS = [{"id": "1"}, {"id": "2"}, {"id": "30"}]
TEXT = st.text(st.characters(exclude_categories=["Cs"]))


def jsonl(path: Path, entries: Iterable[Any]) -> Path:
    """A jsonl file."""
    path.write_text("".join(json.dumps(entry) + "\n" for entry in entries), encoding="utf-8")
    return path


def test_unknown_missing_and_repeated_ids_are_counted_and_named(tmp_path: Path) -> None:
    """Answers are matched in the task's order; what does not fit is reported."""
    path = jsonl(
        tmp_path / "p.jsonl",
        [{"id": key, "prediction": text} for key, text in (("30", "C"), ("x", "A"), ("1", "A"), ("1", "A"))],
    )
    matched = match(read_predictions(path, "t", ROWS), ROWS)
    assert list(matched.answers) == ["1", "30"]
    assert matched.counts() == {
        "missing": 1,
        "missing_first": ["2"],
        "unknown": 1,
        "unknown_first": ["x"],
        "duplicates": 1,
        "duplicates_first": ["1"],
    }


@pytest.mark.parametrize(
    ("entries", "message"), [([("1", "A"), ("1", "B")], "two different ones for 1"), ([("x", "A")], "such as 'x'")]
)
def test_answers_that_contradict_or_belong_elsewhere_are_refused(
    tmp_path: Path, entries: list[tuple[str, str]], message: str
) -> None:
    """Two different answers to one question, or answers to questions of another task, are no basis for a score."""
    path = jsonl(tmp_path / "p.jsonl", [{"id": key, "prediction": text} for key, text in entries])
    with pytest.raises(InputError, match=message):
        match(read_predictions(path, "t", ROWS), ROWS)
