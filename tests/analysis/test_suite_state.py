"""What of a suite's runs counts as there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from host_files import choice_samples, write_run

from spiqa_tasks.analysis.suite_state import Found, found
from spiqa_tasks.analysis.suites import PICTURES, PlannedRun
from spiqa_tasks.hosts.lmms_eval.command_line import Model, Options

RUN = PlannedRun(PICTURES, "t", Model("m"))


def written(output: Path, rights: list[bool | None], stamp: str = "1", limit: int | None = None) -> Path:
    """A result file of the run."""
    folder = output / RUN.folder(Options()) / "m"
    path = write_run(folder, "m", {"t": choice_samples(rights)}, stamp=stamp, settings={"t": "prompt=letter"})
    content = json.loads(path.read_text())
    path.write_text(json.dumps({**content, "config": {**content["config"], "limit": limit}}))
    return path


def test_a_run_with_all_samples_is_complete(tmp_path: Path) -> None:
    """The newest of several; one with failed requests is to be repeated, and its answers can be used."""
    assert found(RUN, tmp_path, Options()) == Found()
    first = written(tmp_path, [True, False])
    there = found(RUN, tmp_path, Options())
    assert (there.path, there.complete, str(there)) == (first, True, "complete, 2 answers")
    second = written(tmp_path, [True, None], stamp="2")
    there = found(RUN, tmp_path, Options())
    assert (there.path, there.complete, str(there)) == (second, False, "1 failed")


def test_a_run_of_another_part_is_not_there(tmp_path: Path) -> None:
    """Neither the whole where a part is wanted, nor a part where the whole is."""
    whole, part = written(tmp_path, [True, True, True]), written(tmp_path, [True, True], stamp="2", limit=2)
    assert found(RUN, tmp_path, Options()).path == whole
    assert found(RUN, tmp_path, Options(limit=2)).path == part
    assert found(RUN, tmp_path, Options(limit=3)).path is None


def test_the_tasks_of_a_hosts_group_are_there_together(tmp_path: Path) -> None:
    """Only where each has all of its samples."""
    both = {name: choice_samples([True, False]) for name in ("one", "two")}
    path = write_run(tmp_path / RUN.folder(Options()), "m", both, stamp="1")
    assert found(RUN, tmp_path, Options()) == Found(path, 4)
    path.with_name("1_samples_two.jsonl").unlink()
    assert found(RUN, tmp_path, Options()) == Found()


@pytest.mark.parametrize("damage", ["cut results", "cut samples", "no samples"])
def test_a_run_that_was_killed_while_it_wrote_is_not_there(tmp_path: Path, damage: str) -> None:
    """Whatever file is missing or ends in the middle."""
    path = written(tmp_path, [True, True])
    samples = path.with_name("1_samples_t.jsonl")
    if damage == "no samples":
        samples.unlink()
    else:
        cut = path if damage == "cut results" else samples
        cut.write_bytes(cut.read_bytes()[:-20])
    assert found(RUN, tmp_path, Options()) == Found()


def test_scores_by_another_judge_are_not_there(tmp_path: Path) -> None:
    """Answers that no judge scored are there under any."""
    path = written(tmp_path, [True])
    assert found(RUN, tmp_path, Options(), "openai:gpt-4o").path == path
    samples = path.with_name("1_samples_t.jsonl")
    judged = "settings:prompt=letter|judge:openai:other"
    samples.write_text(samples.read_text().replace("settings:prompt=letter", judged))
    assert found(RUN, tmp_path, Options(), "openai:other").path == path
    assert found(RUN, tmp_path, Options(), "openai:gpt-4o").path is None
