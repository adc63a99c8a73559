"""What stands at the head of a report."""

from __future__ import annotations

from pathlib import Path

from report_runs import runs_at

from spiqa_tasks.report.head import facts, title_of


def test_the_head_has_what_makes_the_numbers_again(two_runs: Path) -> None:
    """Models, tasks with how much of them was answered, versions, and the commands of the host and of the report."""
    runs = runs_at(two_runs)
    found = dict(facts(runs, "spiqa-tasks report out"))
    assert list(found["models"]) == list(dict.fromkeys(run.name for run in runs))
    assert "mmstar_demo: 24 of 24 questions" in found["tasks"]
    assert all("spiqa-tasks " in line for line in found["made by"])
    *host, own = found["commands"]
    assert own == "spiqa-tasks report out"
    assert len(host) == 2
    assert all("--tasks mmstar_demo,scifibench_demo" in line for line in host)
    assert {line.split("model_version=")[1][0] for line in host} == {"a", "b"}


def test_the_title_names_few_and_counts_many(two_runs: Path) -> None:
    """Two models are named; of more, the number is."""
    runs = runs_at(two_runs)
    assert title_of(runs[:1]) == f"{runs[0].name} on {runs[0].task}"
    assert title_of([]) == " on "
