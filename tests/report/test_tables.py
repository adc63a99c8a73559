"""Tables of runs: answers by status, gain and leakage."""

import csv
from dataclasses import replace
from pathlib import Path

from gain_files import LLM, rights, write_triple
from host_files import choice_samples, write_run
from report_runs import run_of, runs_at

from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.published import __file__ as published
from spiqa_tasks.report.tables import (
    coverage_table,
    gain_rows,
    gain_table,
    overall_rows,
)
from spiqa_tasks.runs.run import Identity

RECORDS = [
    Record("ok", scores={"accuracy": 1.0}),
    Record("judged", verdicts=({"metric": "accuracy", "score": 1.0},)),
    Record(
        "not judged",
        status="judge_failed",
        verdicts=({"metric": "accuracy", "reason": "gone"},),
        reason="gone",
    ),
    Record("refused", status="unparsed", refused=True, rule="empty"),
    Record("unparsed", status="unparsed", rule="two letters"),
    Record("unparsed too", status="unparsed", rule="two letters"),
    Record("no rule", status="unparsed"),
    Record("bare", rule="unformatted"),
    Record("blank", rule="empty"),
    Record("cut", rule="truncated"),
    Record("failed", status="request_failed", reason="timeout"),
    Record("broken", status="scoring_failed", reason="defect"),
]


def test_every_answer_is_counted_with_its_rule() -> None:
    """Counts by hand; rules are told with the most frequent first, and a refusal is not unparsed
    too.
    """
    table = coverage_table([run_of(RECORDS, "m", "t")])
    (line,) = table.grid.rows
    told = dict(zip(table.grid.heads, line, strict=True))
    assert (table.title, table.grid.labels) == ("Answers by status", 2)
    assert told == {
        "task": "t",
        "run": "m",
        "questions": "12",
        "ok": "5",
        "judged": "1",
        "judge failed": "1",
        "refused": "1",
        "unparsed": "6",
        "by rule": "two letters 2, no rule 1, unformatted 1, empty 1, truncated 1",
        "truncated": "1",
        "request failed": "1",
        "scoring failed": "1",
        "incomplete": "0",
        "no helpful figure": "0",
    }


def test_gain_and_leakage_stand_beside_the_papers_rows(tmp_path: Path) -> None:
    """The shares are counted by hand, and the published ones are those of Table 5's overall
    columns.
    """
    write_triple(tmp_path, rights(4, 4), rights(2, 4), rights(1, 4))
    rows, remarks = gain_rows(runs_at(tmp_path))
    assert remarks == []
    assert {row.group for row in rows} == {"all"}
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
    assert {tuple(line[2:9]) for line in published_rows} == {
        ("published, Table 5", "text", *[""] * 5)
    }
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
    shown = {
        (line[1], name): line[place]
        for line in published_rows
        for name, place in (("mg", -3), ("ml", -2))
    }
    assert {key: value for key, value in shown.items() if value != "-"} == printed


def test_without_an_llm_base_there_is_no_leakage(tmp_path: Path) -> None:
    """A dash for the base, its score and the leakage; another task than MMStar's has no
    published rows.
    """
    write_run(tmp_path, "m", {"t": choice_samples([True, True])}, stamp="1")
    write_run(
        tmp_path, "ablated", {"t": choice_samples([True, False])}, "base=m,ablation=grey", stamp="2"
    )
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
    """They count as wrong answers, which makes the gain an upper bound; withheld rows are left
    out of the table.
    """
    own = {"t": "prompt=letter"}
    write_run(tmp_path, "m", {"t": choice_samples([True, True])}, stamp="1", settings=own)
    refusing = choice_samples([False, False], status="refused")
    write_run(tmp_path, "ablated", {"t": refusing}, "base=m,ablation=text", stamp="2", settings=own)
    table = gain_table(gain_rows(runs_at(tmp_path))[0])
    assert len(table.grid.rows) == 1
    (note,) = table.notes
    assert note.startswith("t of m: of 2 answers 2 refused without images")
    write_run(tmp_path, "m", {"t": choice_samples([True, None])}, stamp="3", settings=own)
    rows, remarks = gain_rows(runs_at(tmp_path))
    assert rows
    assert overall_rows(rows) == []
    assert remarks == [f"t of m is withheld: {rows[0].withheld}."]
    assert "1 of 2" in rows[0].withheld or "fewer than 99%" in rows[0].withheld


def test_runs_with_pictures_alone_have_neither(tmp_path: Path) -> None:
    """And nothing is said of them; a run without pictures alone is."""
    write_run(tmp_path, "m", {"t": choice_samples([True])}, stamp="1")
    assert gain_rows(runs_at(tmp_path)) == ([], [])
    rows, remarks = gain_rows([replace(runs_at(tmp_path)[0], identity=Identity("m", "text"))])
    assert (rows, len(remarks)) == ([], 1)
