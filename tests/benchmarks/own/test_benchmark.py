"""A benchmark of one's own as an object: its splits, what it reads and what it is judged by."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest
import yaml
from own_data import COLUMNS, MIXED, write_own

from spiqa_tasks.benchmarks.benchmark import Benchmark
from spiqa_tasks.benchmarks.own import records
from spiqa_tasks.benchmarks.own.benchmark import own_benchmark
from spiqa_tasks.benchmarks.own.definition import parse
from spiqa_tasks.benchmarks.prompting import Picture, Turn
from spiqa_tasks.benchmarks.record import Context, Record, Response
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


def test_everything_that_the_yaml_says_is_in_the_object(tmp_path: Path) -> None:
    """Tasks and groups by name, and the functions of the benchmark with its definition in them."""
    path = write_own(tmp_path, variants="both", max_new_tokens=7, columns={**COLUMNS, "cluster": "image"})
    definition = parse(yaml.safe_load(path.read_text()), path.parent)
    found = own_benchmark(definition)
    settings = found.settings()
    assert (found.name, found.definition, found.max_new_tokens, found.clustered) == (
        *("shapes", {**yaml.safe_load(path.read_text()), "folder": str(tmp_path)}),
        *(7, True),
    )
    assert found.tasks == {
        "shapes": ("test", ""),
        "shapes_text": ("test", "ablation=text"),
        "shapes_grey": ("test", "ablation=grey"),
    }
    assert found.groups == {"shapes_both": ("shapes", "shapes_text", "shapes_grey")}
    assert found.rows_of_table(settings) == records.table(definition)
    assert [each.name for each in found.metrics(settings)] == [each.name for each in records.metrics(definition)]
    assert found.unseen(found.parse("ablation=grey")) == found.parse("ablation=text")
    assert found.files("test", settings) == []
    assert found.signature(found.parse("ablation=grey")).keys() == {"grey"}
    assert len(found.splits) == 1
    assert not benchmark(write_own(tmp_path / "bare", kind="open", columns={})).clustered


def test_rows_prompts_and_records_are_those_of_the_definition(tmp_path: Path) -> None:
    """A question with its picture, without it, and its answer scored."""
    found = benchmark(write_own(tmp_path))
    row = found.load(default_source(), "test", found.parse(""))[0]
    assert row["settings"] == "ablation=none"
    assert found.prompt(row)[1] == Picture(str(tmp_path / "blue.png"))
    (unseen, *_) = found.load(default_source(), "test", found.parse("ablation=text"))
    assert (unseen["images"], unseen["settings"]) == ([], "ablation=text")
    assert not any(isinstance(part, Picture) for part in found.prompt(unseen))
    scored = found.record(row, Response("B"), Context("offline"))
    assert (scored.prediction, scored.scores) == ("B", {"accuracy": 1.0})
    cut = found.record(row, Response("B", truncated=True), Context("offline"))
    (said,) = found.remarks([cut])
    assert said.startswith("truncated_rate 1.0000: 1 of 1 answers")
    neither = {"metric": "l3score", "score": 0.0, "top_logprobs": [["Hm", -0.1]]}
    (said,) = found.remarks([Record("a", "x", verdicts=(neither,))])
    assert said.startswith("For 100% of 1 judgements")


def test_sizes_are_counted_without_pictures(tmp_path: Path) -> None:
    """They need not be there for that, and are counted once."""
    found = benchmark(write_own(tmp_path))
    for name in ("red.png", "blue.png"):
        (tmp_path / name).unlink()
    assert found.splits["test"] == 3
    (tmp_path / "data.jsonl").unlink()
    assert found.splits["test"] == 3


def test_solved_questions_are_read_once(tmp_path: Path) -> None:
    """For all questions of a task; without shots none are read."""
    (tmp_path / "dev.jsonl").write_text("".join(json.dumps(row) + "\n" for row in MIXED))
    write = {"data": {"test": "data.jsonl", "dev": "dev.jsonl"}, "shots": {"split": "dev", "count": 1}}
    found = benchmark(write_own(tmp_path, **write))
    rows = found.load(default_source(), "test", found.settings())
    first = found.prompt(rows[0])
    (tmp_path / "dev.jsonl").unlink()
    assert found.prompt(rows[0]) == first
    assert first[0] == Turn("user")
    assert Turn("user") not in benchmark(write_own(tmp_path / "bare")).prompt(rows[0])
