"""The sections of a report: which are there, in which order, and what of the runs is in them."""

from __future__ import annotations

from pathlib import Path

from gain_files import rights, write_triple
from host_files import choice_samples, write_run
from report_runs import runs_at

from spiqa_tasks.report.content import Report, Section, build, facts, title_of

SETTINGS = "prompt=letter"


def write(folder: Path, model: str, right: list[bool], category: str = "math", task: str = "t") -> Path:
    """A run of a task of MMStar."""
    samples = {task: choice_samples(right, category=category)}
    write_run(folder, model, samples, settings={task: SETTINGS})
    return folder


def section(report: Report, title: str) -> Section:
    """The one section of a title."""
    (found,) = (each for each in report.sections if each.title == title)
    return found


def test_one_run_has_its_scores_coverage_and_signature(tmp_path: Path) -> None:
    """Nothing is compared, no gain, no judge; one group alone is not drawn."""
    report = build(runs_at(write(tmp_path, "m", [True, False])))
    assert [each.title for each in report.sections] == ["Overview", "t (mmstar, val)", "Coverage", "Signatures"]
    assert [run.name for run in report.runs] == ["m"]
    assert list(report.notes) == []
    of_task = section(report, "t (mmstar, val)")
    assert [table.title for table in of_task.tables] == ["Scores x 100, with 95% intervals", "accuracy by category"]
    assert list(of_task.plots) == []
    (signature,) = section(report, "Signatures").tables
    assert list(signature.rows[0]) == ["t", "m", report.runs[0].signature.text]
    (coverage,) = section(report, "Coverage").tables
    assert coverage.rows[0][2] == "2"


def test_two_runs_are_compared_and_drawn(tmp_path: Path) -> None:
    """The difference in the plot is that of the table, and each run keeps its colour from plot to plot."""
    samples = [*choice_samples([True, False]), *choice_samples([True, True], category="logical_reasoning")]
    for place, sample in enumerate(samples):
        for value in (value for value in sample.values() if isinstance(value, dict)):
            value["id"] = f"q{place}"
    for name, some in (("a", samples), ("b", choice_samples([False] * 4))):
        write_run(tmp_path / name, name, {"t": some}, settings={"t": SETTINGS})
    report = build(runs_at(tmp_path / "b", tmp_path / "a"))
    (compared,) = section(report, "Comparison of runs").tables
    assert list(compared.rows[0])[:4] == ["t", "accuracy", "a", "b"]
    (difference,) = section(report, "Comparison of runs").plots
    assert difference.title == "Differences in accuracy, t"
    assert ">a - b</text>" in difference.svg
    (plot,) = section(report, "t (mmstar, val)").plots
    assert plot.title == "accuracy by category"
    assert "of b, a by" in plot.description
    assert "var(--series-0)" in plot.svg
    assert "var(--series-1)" in plot.svg


def test_runs_without_pictures_have_a_section_with_two_plots(tmp_path: Path) -> None:
    """Gain and leakage; of the gain alone, one."""
    write_triple(tmp_path, rights(4, 4), rights(2, 4), rights(1, 4))
    found = section(build(runs_at(tmp_path)), "Gain and leakage")
    assert [plot.title for plot in found.plots] == ["Multi-modal gain", "Multi-modal leakage"]
    assert list(found.notes) == []
    for path in tmp_path.glob("3_*"):
        path.unlink()
    found = section(build(runs_at(tmp_path)), "Gain and leakage")
    assert [plot.title for plot in found.plots] == ["Multi-modal gain"]
    assert ">mmstar_filtered (text)</text>" in found.plots[0].svg


def test_what_cannot_be_paired_is_a_sentence(tmp_path: Path) -> None:
    """The section stands without a table, where only the run with pictures is missing."""
    write_run(
        tmp_path,
        "m",
        {"mmstar_filtered_text": choice_samples([True])},
        settings={"mmstar_filtered_text": "prompt=letter,ablation=text"},
    )
    found = section(build(runs_at(tmp_path)), "Gain and leakage")
    assert (len(found.notes), list(found.tables), list(found.plots)) == (1, [], [])


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
