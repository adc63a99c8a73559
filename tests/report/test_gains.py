"""Gain and leakage in a report: which runs have one, and the published rows beside them."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

from gain_files import LLM, SEEING, TEXT, rights, write_triple
from host_files import choice_samples, write_run
from report_runs import runs_at

from spiqa_tasks.analysis.gain import Row
from spiqa_tasks.published import __file__ as published
from spiqa_tasks.report.gains import gain_rows, gain_table, overall_rows
from spiqa_tasks.runs.identity import Identity
from spiqa_tasks.scoring.gain import Gain
from spiqa_tasks.scoring.intervals import Estimate


def test_runs_with_pictures_alone_have_no_gain(tmp_path: Path) -> None:
    """Nothing is missing then."""
    write_run(tmp_path, "m", {"mmstar_filtered": choice_samples([True])}, settings=SEEING)
    assert gain_rows(runs_at(tmp_path)) == ([], [])
    assert gain_rows([]) == ([], [])


def test_a_run_without_pictures_alone_is_told(tmp_path: Path) -> None:
    """One sentence says what to run."""
    write_run(tmp_path, "m", {"mmstar_filtered_text": choice_samples([True])}, settings=TEXT)
    rows, (remark,) = gain_rows(runs_at(tmp_path))
    assert rows == []
    assert "mmstar_filtered" in remark


def test_gain_and_leakage_stand_beside_the_papers_rows(tmp_path: Path) -> None:
    """The shares are counted by hand, and the published ones are those of Table 5's overall columns."""
    write_triple(tmp_path, rights(4, 4), rights(2, 4), rights(1, 4))
    rows, remarks = gain_rows(runs_at(tmp_path))
    assert remarks == []
    assert {row.group for row in rows} == {"all", "math"}
    ((row, _),) = overall_rows(rows)
    table = gain_table(rows)
    measured, *published_rows = table.grid.rows
    told = dict(zip(table.grid.heads, measured, strict=True))
    assert (table.title, table.grid.labels) == ("Multi-modal gain and leakage x 100", 4)
    assert list(table.grid.heads) == [
        *("task", "model", "source", "without", "LLM base", "n"),
        *("S_v", "S_wv", "S_t", "gain MG", "leakage ML", "S_wv - S_t"),
    ]
    assert (told["model"], told["LLM base"], table.notes) == (row.model, row.llm, [])
    assert {tuple(line[2:9]) for line in published_rows} == {("published, Table 5", "text", *[""] * 5)}
    assert {(line[0], line[-1]) for line in published_rows} == {("mmstar_filtered", "")}
    assert [told[name] for name in ("task", "source", "without", "n", "S_v", "S_wv", "S_t")] == [
        *("mmstar_filtered", "measured", "text", "4", "100.0", "50.0", "25.0")
    ]
    assert (told["gain MG"][:6], told["leakage ML"][:6]) == ("50.0 [", "25.0 [")
    assert told["S_wv - S_t"][:6] == "25.0 ["
    with (Path(published).parent / "mmstar_table5.csv").open(newline="") as file:
        printed = {
            (line["model"], line["metric"]): f"{float(line['value']):.1f}"
            for line in csv.DictReader(file)
            if line["category"] == "all" and line["metric"] in ("mg", "ml") and line["value"]
        }
    shown = {(line[1], name): line[place] for line in published_rows for name, place in (("mg", -3), ("ml", -2))}
    assert {key: value for key, value in shown.items() if value != "-"} == printed


def test_without_an_llm_base_there_is_no_leakage(tmp_path: Path) -> None:
    """A dash for the base, its score and the leakage; another task than MMStar's has no published rows."""
    write_run(tmp_path, "m", {"t": choice_samples([True, True])}, stamp="1")
    write_run(tmp_path, "ablated", {"t": choice_samples([True, False])}, "base=m,ablation=grey", stamp="2")
    table = gain_table(gain_rows(runs_at(tmp_path))[0])
    (line,) = table.grid.rows
    told = dict(zip(table.grid.heads, line, strict=True))
    assert [told[name] for name in ("without", "LLM base", "S_t", "leakage ML", "S_wv - S_t")] == [
        *("grey", "-", "-", "-", "-")
    ]
    assert told["gain MG"].startswith("50.0 [")
    assert table.published == []


def test_two_llm_bases_leave_the_gain_and_say_so(tmp_path: Path) -> None:
    """Which of them is the model's own is not guessed."""
    write_triple(tmp_path, rights(4, 4), rights(2, 4), rights(1, 4))
    samples = {"mmstar_filtered_llm": choice_samples(rights(3, 4), prompt="shots")}
    write_run(tmp_path, "other", samples, "pretrained=c", stamp="4", settings=LLM)
    rows, (remark,) = gain_rows(runs_at(tmp_path))
    ((row, _),) = overall_rows(rows)
    assert row.result is not None
    assert (row.result.mg.value, row.result.ml, row.llm) == (0.5, None, None)
    assert "LLM base" in remark


def test_refusals_without_pictures_are_warned_of(tmp_path: Path) -> None:
    """They count as wrong answers, which makes the gain an upper bound; withheld rows are left out of the table."""
    own = {"t": "prompt=letter"}
    write_run(tmp_path, "m", {"t": choice_samples([True, True])}, stamp="1", settings=own)
    refusing = choice_samples([False, False], status="refused")
    write_run(tmp_path, "ablated", {"t": refusing}, "base=m,ablation=text", stamp="2", settings=own)
    table = gain_table(gain_rows(runs_at(tmp_path))[0])
    assert len(table.grid.rows) == 1
    (note,) = table.notes
    assert note.startswith("t of m: 100% refused and 0% unparsed without images")
    write_run(tmp_path, "m", {"t": choice_samples([True, None])}, stamp="3", settings=own)
    rows, remarks = gain_rows(runs_at(tmp_path))
    assert rows
    assert overall_rows(rows) == []
    assert remarks == [f"t of m is withheld: {rows[0].withheld}."]
    assert "1 of 2" in rows[0].withheld or "fewer than 99%" in rows[0].withheld


def test_a_gain_without_an_interval_is_its_value() -> None:
    """As it is of what a host reports; what is not known is a dash."""
    result = Gain(0, 0.5, 0.25, None, Estimate(0.25), None)
    row = Row("t", "accuracy", "all", "m", "text", None, 9, result, "")
    assert gain_table([row, replace(row, group="math"), replace(row, result=None)]).grid.rows == [
        ["t", "m", "measured", "text", "-", "9", "50.0", "25.0", "-", "25.0", "-", "-"]
    ]


def test_runs_with_pictures_alone_have_neither(tmp_path: Path) -> None:
    """And nothing is said of them; a run without pictures alone is."""
    write_run(tmp_path, "m", {"t": choice_samples([True])}, stamp="1")
    assert gain_rows(runs_at(tmp_path)) == ([], [])
    rows, remarks = gain_rows([replace(runs_at(tmp_path)[0], identity=Identity("m", "text"))])
    assert (rows, len(remarks)) == ([], 1)


def test_a_base_that_was_asked_our_text_task_is_named(tmp_path: Path) -> None:
    """Its run is no model's without pictures then."""
    write_triple(tmp_path, rights(4, 4), rights(2, 4), None)
    write_run(tmp_path, "llm", {"mmstar_filtered_text": choice_samples(rights(1, 4))}, stamp="3", settings=TEXT)
    runs = runs_at(tmp_path)
    rows, _ = gain_rows(runs, [run for run in runs if run.name == "llm"])
    assert [(row.llm, row.result and row.result.s_t) for row, _ in overall_rows(rows)] == [("llm", 0.25)]
