"""The files of a run, read by what reads those of lmms-eval."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from spiqa_tasks.analysis.own_runs import own_runs
from spiqa_tasks.benchmarks.scorer_factory import make_scorer
from spiqa_tasks.benchmarks.signature import parse
from spiqa_tasks.hosts.catalogue import Task, find_tasks
from spiqa_tasks.hosts.lmms_eval.results import find_runs, task_runs
from spiqa_tasks.hosts.vlmevalkit.answer_file import scored
from spiqa_tasks.hosts.vlmevalkit.results import write
from spiqa_tasks.hosts.vlmevalkit.tasks import rows_of

pytestmark = pytest.mark.usefixtures("no_java")
HOST = "vlmevalkit 0.0.20"
FAILED = "Failed to obtain answer via API."


def write_run(folder: Path, name: str, answers: dict[str, str], stamp: str = "20260101_000000") -> Task:
    """Write a run of a task with the answers, and an `A` for every other question."""
    (task,) = find_tasks([name])
    scorer = make_scorer(task.benchmark, task.settings, HOST, None)
    given = {row["id"]: answers.get(row["id"], "A") for row in rows_of(name)}
    folder.mkdir(parents=True, exist_ok=True)
    write(folder, stamp, "small", HOST, task, scorer, scored(scorer, rows_of(name), given))
    return task


def test_a_run_is_read_like_one_of_the_other_host(tmp_path: Path) -> None:
    """Values, standard errors, settings, records and answers; the signature names the host."""
    task = write_run(tmp_path, "mmstar_demo", {})
    (found,), _ = task_runs([tmp_path])
    right = [float(row["answer"] == "A") for row in rows_of(task.name)]
    mean = sum(right) / len(right)
    error = math.sqrt(sum((score - mean) ** 2 for score in right) / (len(right) - 1) / len(right))
    assert found.run.tasks[task.name]["accuracy"].value == mean
    assert found.run.tasks[task.name]["accuracy"].stderr == pytest.approx(error)
    assert (found.headline, found.benchmark, found.identity.label) == ("accuracy", task.entry, "small,host=vlmevalkit")
    (own,), _ = own_runs([tmp_path])
    assert parse(own.records[0].signature).host == HOST
    assert set(own.responses.values()) == {"A"}
    assert own.value(own.metric(None)).value == mean


def test_a_clustered_error_is_told_where_questions_share_a_paper(tmp_path: Path) -> None:
    """As lmms-eval names it; shares of what went wrong have a plain one."""
    write_run(tmp_path, "spiqa_demo", {})
    (run,) = find_runs(tmp_path)
    names = (tmp_path / run.path.name).read_text()
    assert '"rouge_l_stderr_clustered,none"' in names
    assert '"request_failed_rate_stderr_clt,none"' in names


def test_failed_requests_are_failures_wherever_they_are_read(tmp_path: Path) -> None:
    """Two of 24: the accuracy is withheld, by `score` on the samples too."""
    from spiqa_tasks.offline.predictions import read_predictions

    task = write_run(tmp_path, "mmstar_demo", {"0": FAILED, "1": "Fail to obtain answer"})
    (found,), _ = task_runs([tmp_path])
    assert found.run.tasks[task.name]["accuracy"].value is None
    assert found.run.tasks[task.name]["request_failed_rate"].value == pytest.approx(2 / 24)
    items = read_predictions(tmp_path, task.name, rows_of(task.name)).items
    assert [item.failure is not None for item in items] == [True, True] + [False] * 22


def test_a_newer_run_replaces_an_older_one(tmp_path: Path) -> None:
    """Several tasks of one second stay apart."""
    write_run(tmp_path, "mmstar_demo", {})
    write_run(tmp_path, "mmstar_demo_text", {})
    write_run(tmp_path, "mmstar_demo", {"0": "B"}, stamp="20260102_000000")
    found, remarks = task_runs([tmp_path])
    assert {source.task: source.run.path.name[:8] for source in found} == {
        "mmstar_demo": "20260102",
        "mmstar_demo_text": "20260101",
    }
    assert len(remarks) == 1
