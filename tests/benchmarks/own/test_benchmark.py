"""A benchmark of one's own as an object: its splits, what it reads and what it is judged by."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest
import yaml
from own_data import MIXED, write_own

from spiqa_tasks.benchmarks.benchmark import Benchmark
from spiqa_tasks.benchmarks.own.benchmark import own_benchmark
from spiqa_tasks.benchmarks.own.definition import parse
from spiqa_tasks.benchmarks.prompting import Turn
from spiqa_tasks.errors import DataError
from spiqa_tasks.files.source import LocalSource, Repository, default_source


def benchmark(path: Path) -> Benchmark:
    """Return the benchmark of a YAML."""
    return own_benchmark(parse(yaml.safe_load(path.read_text()), path.parent))


def test_sizes_are_counted_when_they_are_asked_for(tmp_path: Path) -> None:
    """Making the benchmark reads no data; a split that is not there is none."""
    path = write_own(tmp_path, data="later.jsonl")
    found = benchmark(path)
    assert list(found.splits) == ["test"]
    assert "dev" not in found.splits
    with pytest.raises(DataError, match="no such file"):
        found.splits["test"]
    (tmp_path / "data.jsonl").rename(tmp_path / "later.jsonl")
    assert dict(found.splits) == {"test": 3}
    with pytest.raises(KeyError):
        found.splits["dev"]


def test_solved_questions_come_from_their_split(tmp_path: Path) -> None:
    """The first ones of it, the same before each question; another one changes the data's digest."""
    (tmp_path / "dev.jsonl").write_text("".join(json.dumps(row) + "\n" for row in [MIXED[1], MIXED[0], MIXED[2]]))
    write = {"data": {"dev": "dev.jsonl", "test": "data.jsonl"}, "shots": {"split": "dev", "count": 2}}
    found = benchmark(write_own(tmp_path, **write))
    rows = found.load(default_source(), "test", found.settings())
    parts = found.prompt(rows[0])
    assert [after for part, after in pairwise(parts) if part == Turn("assistant")] == ["1500", "B"]
    (tmp_path / "dev.jsonl").write_text("".join(json.dumps(row) + "\n" for row in MIXED))
    again = benchmark(write_own(tmp_path, **write))
    assert again.load(default_source(), "test", again.settings())[0]["data"] != rows[0]["data"]


def test_data_of_the_hub_has_its_place_under_the_data_folder(tmp_path: Path) -> None:
    """`hf://datasets/OWNER/NAME@REVISION/PATH` is read from SPIQA_TASKS_DATA/<benchmark>, laid out as there."""
    found = benchmark(write_own(tmp_path, data="hf://datasets/me/shapes@abc/data/test-*.jsonl"))
    assert found.files("test", found.settings()) == [(Repository("shapes", "me/shapes", "abc"), "data/test-*.jsonl")]
    place = tmp_path / "data" / "shapes" / "data"
    place.mkdir(parents=True)
    for name in ("red.png", "blue.png", "data.jsonl"):
        (tmp_path / name).rename(place / name.replace("data", "test-0"))
    rows = found.load(LocalSource(tmp_path / "data"), "test", found.settings())
    assert [row["id"] for row in rows] == ["a", "b", "c"]


@pytest.mark.parametrize("data", ["hf://datasets/me", "hf://datasets/me/shapes", "hf://datasets//x/y.jsonl"])
def test_a_place_of_the_hub_without_a_file_is_refused(data: str, tmp_path: Path) -> None:
    """The message has the form."""
    found = benchmark(write_own(tmp_path, data=data))
    with pytest.raises(DataError, match="hf://datasets/OWNER/NAME@REVISION/PATH in data: of shapes, found hf://"):
        found.load(default_source(), "test", found.settings())


def test_a_judge_is_asked_where_l3score_is_wanted(tmp_path: Path) -> None:
    """By its rule, and by none elsewhere."""
    judged = benchmark(write_own(tmp_path, kind="open", columns={}, metrics=["l3score"]))
    other = benchmark(write_own(tmp_path))
    assert (judged.judge(judged.settings()), other.judge(other.settings())) == ("l3score", None)
    assert [metric.name for metric in judged.metrics(judged.settings())][:3] == [
        "l3score",
        "judge_failed_rate",
        "neither_rate",
    ]
