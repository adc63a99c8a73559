"""The exit status of a run, from what it left behind; the host itself is not needed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from spiqa_tasks.hosts.catalogue import find_tasks
from spiqa_tasks.hosts.vlmevalkit.arguments import Arguments
from spiqa_tasks.hosts.vlmevalkit.outcome import COMPLETE, IN_PART, NO_SCORES, Outcome, status_of

GOOD = Outcome(0, 0, 0)
STARTED = 1_700_000_000.0


def _arguments(folder: Path, models: tuple[str, ...] = ("m",), mode: str = "all") -> Arguments:
    ours = tuple(find_tasks(["mmstar_demo", "spiqa_demo"]))
    return Arguments((), models, tuple(task.name for task in ours), ours, mode, folder)


def _outcomes(**found: Outcome) -> dict[Path, Outcome]:
    return {Path("out", f"{name}.tsv"): outcome for name, outcome in found.items()}


def test_a_run_with_all_scores_is_complete(tmp_path: Path) -> None:
    """Every model has each task, and nothing is said."""
    names = [f"{model}_{task}" for model in ("m", "n") for task in ("mmstar_demo", "spiqa_demo")]
    found = _outcomes(**dict.fromkeys(names, GOOD))
    assert status_of(_arguments(tmp_path, ("m", "n")), found, STARTED) == (COMPLETE, [])


def test_tasks_of_the_host_itself_do_not_count(tmp_path: Path) -> None:
    """Without a task of ours there is nothing to say."""
    arguments = Arguments((), ("m",), ("MMStar",), (), "all", tmp_path)
    assert status_of(arguments, {}, STARTED) == (0, [])


def test_a_task_without_scores_is_named_with_its_model(tmp_path: Path) -> None:
    """Scores of the same task by another model, or of another task, do not stand in for it."""
    found = _outcomes(m_mmstar_demo=GOOD, n_spiqa_demo=GOOD, n_mmstar_demo=GOOD)
    status, remarks = status_of(_arguments(tmp_path, ("m", "n")), found, STARTED)
    assert status == NO_SCORES == 1
    assert remarks == ["m has no scores of spiqa_demo; the host's log above says why."]


@pytest.mark.parametrize(
    ("outcome", "sentence"),
    [
        (Outcome(1, 0, 0), "1 request to the model failed or got an empty answer. Run again with --reuse."),
        (Outcome(2, 0, 0), "2 requests to the model failed or got an empty answer. Run again with --reuse."),
        (Outcome(0, 3, 0), "3 answers could not be judged. `spiqa-tasks score` on the folder asks again."),
        (Outcome(0, 0, 1), "1 answer could not be scored; see the samples file."),
    ],
)
def test_answers_that_failed_make_a_run_one_in_part(tmp_path: Path, outcome: Outcome, sentence: str) -> None:
    """How many and what to do, after the names of model and task."""
    found = _outcomes(m_mmstar_demo=outcome, m_spiqa_demo=GOOD)
    assert status_of(_arguments(tmp_path), found, STARTED) == (3, [f"m, mmstar_demo: {sentence}"])


def test_all_that_failed_is_said_and_missing_scores_weigh_most(tmp_path: Path) -> None:
    """In either order of tasks the status is that of the missing ones."""
    bad = Outcome(1, 1, 1)
    for found in (_outcomes(m_mmstar_demo=bad), _outcomes(m_spiqa_demo=bad)):
        status, remarks = status_of(_arguments(tmp_path), found, STARTED)
        assert (status, len(remarks)) == (NO_SCORES, 4)
    status, remarks = status_of(_arguments(tmp_path), _outcomes(m_mmstar_demo=bad, m_spiqa_demo=bad), STARTED)
    assert (status, len(remarks)) == (IN_PART, 6)


def test_where_only_answers_are_asked_for_their_files_must_be_of_this_run(tmp_path: Path) -> None:
    """Below the model's folder, written since the start; a file of an earlier run or another model is none."""
    arguments = _arguments(tmp_path, mode="infer")
    for model, task, written in (("m", "mmstar_demo", 5.0), ("m", "spiqa_demo", -5.0), ("n", "spiqa_demo", 5.0)):
        path = tmp_path / model / "T2026" / f"{model}_{task}.tsv"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
        os.utime(path, (STARTED + written,) * 2)
    remark = "m has no answers to spiqa_demo; the host's log above says why."
    assert status_of(arguments, {}, STARTED) == (NO_SCORES, [remark])
    os.utime(tmp_path / "m" / "T2026" / "m_spiqa_demo.tsv", (STARTED + 1,) * 2)
    assert status_of(arguments, {}, STARTED) == (COMPLETE, [])
    assert status_of(_arguments(tmp_path, ("gone",), "infer"), {}, STARTED)[0] == NO_SCORES
