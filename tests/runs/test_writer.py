"""Runs that are written and read again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from answer_files import right_answers, scored

from spiqa_tasks.runs.identity import Identity
from spiqa_tasks.runs.readers.lmms_eval import read_results
from spiqa_tasks.runs.scoring import write_runs


@pytest.mark.parametrize(
    "who",
    [
        Identity("m"),
        Identity("org/name,max_pixels=9", seed="3"),
        Identity("vlm,pretrained=a", "shuffled", "1"),
        Identity("openai,model_version=x", "text,shots=2,shots_split=val"),
        Identity("a, b"),
    ],
    ids=lambda who: who.label,
)
def test_a_written_run_is_the_same_run(tmp_path: Path, who: Identity) -> None:
    """Its model, judge, answers, records, coverage and values; the samples lie in the model's folder."""
    run = replace(scored("mmstar_demo", right_answers("mmstar_demo")), identity=who, judge="openai:j")
    (path,) = write_runs([run], tmp_path)
    (again,) = read_results(path)
    assert (again.identity, again.judge, again.coverage, again.form) == (who, "openai:j", "24 of 24", "score")
    assert again.records == run.records
    assert {key: answer.response for key, answer in again.by_id.items()} == {
        key: answer.response for key, answer in run.by_id.items()
    }
    for metric in run.metrics:
        ours, theirs = run.value(metric), again.value(metric)
        assert (theirs.value, theirs.n, theirs.interval) == (ours.value, ours.n, ours.interval)


def test_runs_written_in_one_second_have_dates_of_their_own(tmp_path: Path) -> None:
    """One results file for the tasks of a model and judge; the next call writes another one."""
    runs = [scored(task, right_answers(task)) for task in ("mmstar_demo", "scifibench_demo")]
    paths = [path for _ in range(3) for path in write_runs(runs, tmp_path)]
    assert len(set(paths)) == 3
    assert [run.task for run in read_results(paths[2])] == ["mmstar_demo", "scifibench_demo"]
    assert len(list(tmp_path.rglob("*_samples_*.jsonl"))) == 6
