"""Benchmarks of one's own in VLMEvalKit: found where the variable says, run and read as ours are."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from own_data import write_own
from run_files import run_values

from spiqa_tasks.benchmarks.registry import BENCHMARKS
from spiqa_tasks.hosts.catalogue import INCLUDE
from spiqa_tasks.hosts.vlmevalkit.tasks import known, message, pictures, rows_of
from spiqa_tasks.runs.loading import load_runs
from spiqa_tasks.runs.paths import RunPath


@pytest.fixture(autouse=True)
def included(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A benchmark in a folder that is always searched."""
    write_own(tmp_path / "own", variants="both")
    monkeypatch.setenv(INCLUDE, str(tmp_path / "own"))
    host = sys.modules.get("vlmeval.dataset")
    if host is not None:  # imported by another test of this process, without this benchmark
        monkeypatch.setattr(
            host,
            "SUPPORTED_DATASETS",
            [*host.SUPPORTED_DATASETS, *host.SpiqaTasks.supported_datasets()],
        )


def test_its_tasks_are_known_with_their_pictures() -> None:
    """Each variant and their group; pictures in their places."""
    assert {"shapes", "shapes_text", "shapes_grey"} <= known()[0].keys()
    assert known()[1]["shapes_both"] == ("shapes", "shapes_text", "shapes_grey")
    assert (pictures("shapes"), pictures("shapes_text")) == ((1, 1), (0, 0))
    first, *_ = rows_of("shapes")
    assert [part["type"] for part in message(first)] == ["text", "image", "text"]


def test_a_run_is_scored_and_read_without_the_yaml(
    launch: Callable[..., int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The group's tasks run, and the file that is written of each has the definition."""
    assert launch("--data", "shapes_both", "--model", "fixed") == 0
    monkeypatch.delenv(INCLUDE)
    del BENCHMARKS["shapes"]
    found, remarks = load_runs([RunPath(tmp_path / "out")])
    runs = {run.task: run for run in found}
    assert (set(runs), remarks) == ({"shapes", "shapes_text", "shapes_grey"}, [])
    assert [record.id for record in runs["shapes"].records] == ["a", "b", "c"]
    config = runs["shapes"].config
    assert config["metadata"]["definition"]["columns"]["images"] == "image"
    assert (
        run_values(tmp_path / "out", "shapes")["accuracy"]
        == sum(r.scores["accuracy"] for r in runs["shapes"].records) / 3
    )
