"""The exit status of a run, from what it left behind; the host itself is not needed."""

import json
import os
from argparse import Namespace
from pathlib import Path

import pytest

from spiqa_tasks.hosts.catalogue import find_tasks
from spiqa_tasks.hosts.vlmevalkit.__main__ import COMPLETE, IN_PART, NO_SCORES, status_of
from spiqa_tasks.hosts.vlmevalkit.arguments import Arguments

STARTED = 1_700_000_000.0


def _arguments(folder: Path, models: tuple[str, ...] = ("m",), mode: str = "all") -> Arguments:
    ours = find_tasks(["mmstar_demo", "spiqa_demo"])
    host = Namespace(work_dir=folder, mode=mode)
    return Arguments(host, models, [task.name for task in ours])


def _write(
    folder: Path, stem: str, seconds: float = 5.0, place: str = "", suffix: str = "", **n: int
) -> None:
    """The results of a run, or a file of answers with a suffix, written some seconds after the
    start.
    """
    model, _, task = stem.partition("_")
    date = f"20260101_0000{10 + int(seconds)}"
    path = folder / model / place / (f"{stem}{suffix}" if suffix else f"{date}_results.json")
    if not suffix and path.exists():
        path = path.with_name(f"20260101_0001{10 + len(list(path.parent.iterdir()))}_results.json")
    path.parent.mkdir(parents=True, exist_ok=True)
    counts = {"request_failed": 0, "judge_failed": 0, "scoring_failed": 0, **n}
    path.write_text(json.dumps({"spiqa_tasks": {task: {"counts": counts}}}))
    if not suffix:
        path.with_name(path.name.replace("_results.json", f"_samples_{task}.jsonl")).touch()
    os.utime(path, (STARTED + seconds,) * 2)


def test_a_run_with_all_scores_is_complete(tmp_path: Path) -> None:
    """Every model has each task, in whatever folder below its own, and nothing is said."""
    for stem in ("m_mmstar_demo", "n_mmstar_demo", "n_spiqa_demo"):
        _write(tmp_path, stem)
    _write(tmp_path, "m_spiqa_demo", place="T20260101-000000")
    assert status_of(_arguments(tmp_path, ("m", "n")), STARTED) == (COMPLETE, [])


def test_a_task_without_scores_is_named_with_its_model(tmp_path: Path) -> None:
    """Scores of the same task by another model, of another task or of an earlier run do not
    stand in for it.
    """
    for stem in ("m_mmstar_demo", "n_spiqa_demo", "n_mmstar_demo"):
        _write(tmp_path, stem)
    _write(tmp_path, "m_spiqa_demo", -5.0)
    status, remarks = status_of(_arguments(tmp_path, ("m", "n")), STARTED)
    assert status == NO_SCORES == 1
    assert remarks == ["m has no scores of spiqa_demo; the host's log above says why."]


@pytest.mark.parametrize(
    ("failed", "sentence"),
    [
        (
            {"request_failed": 1},
            "1 request to the model failed or got an empty answer. See the log above, then run "
            "again with --reuse.",
        ),
        (
            {"request_failed": 2},
            "2 requests to the model failed or got an empty answer. See the log above, then run "
            "again with --reuse.",
        ),
        (
            {"judge_failed": 3},
            "3 answers could not be judged. `spiqa-tasks score --judge ...` on the folder asks"
            " again.",
        ),
        ({"scoring_failed": 1}, "1 answer could not be scored; see the samples file."),
    ],
)
def test_answers_that_failed_make_a_run_one_in_part(
    tmp_path: Path, failed: dict[str, int], sentence: str
) -> None:
    """How many and what to do, after the names of model and task; the newest file counts."""
    _write(tmp_path, "m_mmstar_demo", 1.0)
    _write(tmp_path, "m_mmstar_demo", 2.0, "T20260101-000000", **failed)
    _write(tmp_path, "m_spiqa_demo")
    assert status_of(_arguments(tmp_path), STARTED) == (3, [f"m, mmstar_demo: {sentence}"])


def test_all_that_failed_is_said_and_missing_scores_weigh_most(tmp_path: Path) -> None:
    """In either order of tasks the status is that of the missing ones."""
    bad = {"request_failed": 1, "judge_failed": 1, "scoring_failed": 1}
    for folder, stem in ((tmp_path / "one", "m_mmstar_demo"), (tmp_path / "two", "m_spiqa_demo")):
        _write(folder, stem, **bad)
        status, remarks = status_of(_arguments(folder), STARTED)
        assert (status, len(remarks)) == (NO_SCORES, 4)
    _write(tmp_path / "one", "m_spiqa_demo", **bad)
    status, remarks = status_of(_arguments(tmp_path / "one"), STARTED)
    assert (status, len(remarks)) == (IN_PART, 6)


def test_where_only_answers_are_asked_for_their_files_must_be_of_this_run(tmp_path: Path) -> None:
    """Below the model's folder, written since the start; a file of an earlier run or another
    model is none.
    """
    arguments = _arguments(tmp_path, mode="infer")
    for stem, seconds in (("m_mmstar_demo", 5.0), ("m_spiqa_demo", -5.0), ("n_spiqa_demo", 5.0)):
        _write(tmp_path, stem, seconds, "T2026", ".tsv")
    remark = "m has no answers to spiqa_demo; the host's log above says why."
    assert status_of(arguments, STARTED) == (NO_SCORES, [remark])
    _write(tmp_path, "m_spiqa_demo", 1.0, "T2026", ".tsv")
    assert status_of(arguments, STARTED) == (COMPLETE, [])
    assert status_of(_arguments(tmp_path, ("gone",), "infer"), STARTED)[0] == NO_SCORES
