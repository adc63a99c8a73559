"""The sections of a report: which are there, in which order, and what of the runs is in them."""

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from gain_files import rights, write_triple
from report_runs import choices, run_of, runs_at

from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.report import plots
from spiqa_tasks.report.content import Report, Section, build
from spiqa_tasks.report.head import facts, title_of
from spiqa_tasks.report.plots import Plot
from spiqa_tasks.runs.run import Identity, Origin


def section(report: Report, title: str) -> Section:
    """The one section of a title."""
    (found,) = (each for each in report.sections if each.title == title)
    return found


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Title of a plot -> what it is drawn from; nothing is drawn."""
    calls: dict[str, Any] = {}

    def record(title: str, *values: Any, **options: Any) -> Plot:
        calls[title] = ("intervals", *values, *([options] if options else []))
        return Plot(title, "", "")

    monkeypatch.setattr(plots, "intervals", record)
    return calls


def test_scores_of_groups_are_drawn_run_by_run(drawn: dict[str, Any]) -> None:
    """A dot per run and group where it has a value, in the run's colour; a run keeps its number
    in every section.
    """
    mixed = [*choices([True, False], "math"), *renamed(choices([True, True], "logical_reasoning"))]
    report = build(
        [run_of(choices([True]), "a", "u"), run_of(mixed, "b", "t"), run_of(mixed, "a", "t")]
    )
    kind, series, axis, colours = drawn["accuracy by category"]
    assert (kind, axis) == ("intervals", "accuracy x 100")
    assert [(label, colours[label]) for label in series] == [("b", 1), ("a", 0)]
    point = series["b"]["math"]
    assert (point[0], [round(end, 3) for end in point[1:]]) == (0.5, [0.095, 0.905])
    assert list(series["b"]) == ["logical_reasoning", "math"]
    assert [each.title for each in report.sections][:3] == [
        "Overview",
        "u (mmstar, val)",
        "t (mmstar, val)",
    ]
    assert [table.title for table in report.sections[0].tables] == [
        "Headline of each task, the best run first, x 100, with 95% intervals"
    ]


def renamed(records: list[Record]) -> list[Record]:
    """The same records of other questions."""
    return [replace(record, id=f"r{record.id}") for record in records]


def test_differences_are_drawn_task_by_task(drawn: dict[str, Any]) -> None:
    """One row for each pair of runs, around the line of no difference."""
    a, b = (
        run_of(choices([True, False, False]), "a", "t"),
        run_of(choices([True, True, True]), "b", "t"),
    )
    others = [run_of(choices([True, False]), name, "u") for name in "ab"]
    found = section(build([a, b, *others]), "Comparison of runs")
    assert [plot.title for plot in found.plots] == [
        "Differences in accuracy, t",
        "Differences in accuracy, u",
    ]
    kind, series, axis, options = drawn["Differences in accuracy, t"]
    points = series.pop("difference")
    assert (kind, series, [*points]) == ("intervals", {}, ["b - a"])
    assert (axis, options) == ("difference x 100", {"zero": True})
    assert points["b - a"][0] == pytest.approx(2 / 3)
    assert points["b - a"][1] < 2 / 3 < points["b - a"][2]
    (table,) = found.tables
    assert table.title == "Paired differences"
    assert [row[0] for row in table.grid.rows] == ["t", "u"]


def test_of_many_runs_each_is_compared_with_the_best(drawn: dict[str, Any]) -> None:
    """11 of 66 pairs, corrected together, and a sentence says so."""
    runs = [
        run_of(choices([place < right for place in range(30)]), f"m{right}", "t")
        for right in range(10, 22)
    ]
    found = section(build(runs), "Comparison of runs")
    (table,) = found.tables
    assert {(row["a"], row["b"]) for row in table.records} == {
        ("m21", f"m{right}") for right in range(10, 21)
    }
    assert found.notes == [
        "t: each run against the best one, m21; `spiqa-tasks compare` has the other pairs."
    ]
    smallest = min(table.records, key=lambda row: float(row["difference"]["p"]))
    assert smallest["p_corrected"] == pytest.approx(11 * smallest["difference"]["p"])
    assert len(drawn["Differences in accuracy, t"][1]["difference"]) == 11


def test_gain_and_leakage_are_drawn_with_the_models_colours(
    tmp_path: Path, drawn: dict[str, Any]
) -> None:
    """Dots by task and ablation; problems stand above the table."""
    write_triple(tmp_path, rights(4, 4), rights(2, 4), rights(1, 4))
    runs = runs_at(tmp_path)
    found = section(build(runs), "Gain and leakage")
    (table,) = found.tables
    assert table.title == "Multi-modal gain and leakage x 100"
    for title, axis, value in (
        ("Multi-modal gain", "MG x 100", 0.5),
        ("Multi-modal leakage", "ML x 100", 0.25),
    ):
        kind, series, label, colours, options = drawn[title]
        (points,) = series.values()
        assert (kind, label, options) == ("intervals", axis, {"zero": True})
        low, high = points["mmstar_filtered (text)"][1:]
        assert points["mmstar_filtered (text)"][0] == value
        assert low <= value <= high
        assert [colours[model] for model in series] == [0]


@pytest.mark.usefixtures("drawn")
def test_coverage_and_signatures_end_the_report() -> None:
    """Counts by status for each run, and every signature."""
    failed = Record("z", status="request_failed", reason="timeout")
    runs = [run_of(choices([True, True]), "a", "t"), run_of([*choices([True]), failed], "b", "t")]
    *_, coverage, signatures = build(runs).sections
    assert (coverage.title, signatures.title) == ("Coverage", "Signatures")
    assert [table.title for table in coverage.tables] == ["Answers by status"]
    columns = zip(*coverage.tables[0].grid.rows, strict=True)
    counts = dict(zip(coverage.tables[0].grid.heads, columns, strict=True))
    assert (counts["ok"], counts["request failed"]) == (("2", "1"), ("0", "1"))
    assert (list(coverage.notes), list(signatures.notes)) == ([], [])
    (table,) = signatures.tables
    assert (table.title, table.grid.heads, table.grid.labels) == (
        *("Conditions of every number", ["task", "run", "signature"], 2),
    )
    assert table.grid.rows == [["t", run.name, run.signature.text] for run in runs]
    assert [table.title for table in build(runs[:1]).sections[-2].tables] == ["Answers by status"]


@pytest.fixture
def new_york(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A machine 13 hours behind Singapore, whose time names lmms-eval's files."""
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "America/New_York")
        time.tzset()
        yield
    time.tzset()


@pytest.mark.usefixtures("new_york")
def test_facts_are_told_in_full(tmp_path: Path) -> None:
    """Each model with its command, the judge's server with it, days as a span in the reader's
    zone, and judges.
    """
    paths = [tmp_path / f"2026010{day}_000000_results.json" for day in (1, 3)]
    for path in paths:
        path.touch()
    signature = (
        "data:mmstar/val@d|settings:prompt=letter|spiqa-tasks:1|host:lmms-eval-9|judge:x"
        "|judge_host:h:1"
    )
    first = replace(
        run_of(choices([True]), "a", "t", signature),
        path=paths[0],
        asked=2,
        origin=Origin(command=("lmms-eval",)),
    )
    second = replace(first, task="u", path=paths[1])
    other = replace(first, identity=Identity("b"), form="jsonl", origin=Origin())
    found = facts([first, second, other], "again")
    assert found["models"] == ["a", "b"]
    assert found["tasks"] == ["t: 1 of 2 questions", "u: 1 of 2 questions"]
    assert found["answers of"] == ["2025-12-31 to 2026-01-02 (EST)"]
    assert found["made by"] == [f"spiqa-tasks {first.signature.package}, {first.signature.host}"]
    assert found["judges"] == ["x"]
    assert found["commands"] == [
        (
            "env SPIQA_JUDGE=x 'SPIQA_JUDGE_BASE_URL=http(s)://h:1/...' lmms-eval --tasks t,u"
            " --output_path out --log_samples"
        ),
        "again",
    ]
    assert facts([first])["answers of"] == ["2025-12-31 (EST)"]
    assert "made by" not in facts([replace(run_of(choices([True])), asked=2)])


def test_the_title_names_few_and_counts_many(two_runs: Path) -> None:
    """Two models are named; of more, the number is."""
    runs = runs_at(two_runs)
    assert title_of(runs[:1]) == f"{runs[0].name} on {runs[0].task}"
    a, b, c = (replace(runs[0], label=name, task=f"of {name}") for name in "abc")
    assert title_of([a, b]) == "a and b on of a and of b"
    assert title_of([a, b, c]) == "3 models on 3 tasks"
