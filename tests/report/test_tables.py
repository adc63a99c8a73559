"""Tables of runs: answers by status, gain and leakage, and paired differences."""

from dataclasses import replace
from pathlib import Path

from gain_files import rights, write_triple
from host_files import choice_samples, write_run
from report_runs import run_of, runs_at

from spiqa_tasks.analysis.compare import Comparison
from spiqa_tasks.analysis.gain import Row, ablation_pairs, rows
from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.report.tables import (
    comparison_tables,
    coverage_table,
    gain_tables,
)
from spiqa_tasks.scoring.intervals import Paired

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
    signature = "data:mmstar/val@d|settings:prompt=letter|judge:x"
    table = coverage_table([run_of(RECORDS, "m", "t", signature)])
    (line,) = table.grid.rows
    assert dict(zip(table.grid.heads, line, strict=True)) == {
        "task": "t",
        "run": "m",
        "docs": "12",
        "judged": "1",
        "judge failed": "1",
        "refused": "1",
        "unparsed": "6",
        "truncated": "1",
        "request failed": "1",
        "scoring failed": "1",
        "by rule": "two letters 2, no rule 1, unformatted 1, empty 1, truncated 1",
    }


def test_choices_without_a_judge_have_no_count_of_judged_answers() -> None:
    """A judge's task has one, also if no judge was asked."""
    choices = run_of(RECORDS[:1], "m", "t")
    open_answers = run_of(RECORDS[:1], "m", "u", "data:spiqa/testA@d|settings:setting=direct")
    assert "judged" not in coverage_table([choices]).grid.heads
    grid = coverage_table([choices, open_answers]).grid
    assert [row[grid.heads.index("judged")] for row in grid.rows] == ["", "0"]


def gain_of(folder: Path) -> list[Row]:
    """Gain and leakage of the runs in a folder."""
    pairs, _, _ = ablation_pairs(runs_at(folder))
    return [row for pair in pairs for row in rows(pair)]


def test_gain_and_leakage_are_told_with_intervals(tmp_path: Path) -> None:
    """The shares are counted by hand; programs get each end of an interval."""
    write_triple(tmp_path, rights(4, 4), rights(2, 4), rights(1, 4))
    table, leakage = gain_tables(gain_of(tmp_path))
    told: dict[str, str] = {}
    for grid in (table.grid, leakage.grid):
        (line,) = grid.rows
        told |= dict(zip(grid.heads, line, strict=True))
    assert [told[name] for name in ("n", "S_v", "S_wv", "S_t")] == ["4", "100.0", "50.0", "25.0"]
    for name, value in (("MG", "50.0 ["), ("ML", "25.0 ["), ("S_wv - S_t", "25.0 [")):
        assert told[name].startswith(value)
    (record,) = table.records
    assert record["mg_low"] < record["mg"] == 0.5 < record["mg_high"]


def test_without_an_llm_base_there_is_no_table_of_leakage(tmp_path: Path) -> None:
    """Nor of its score."""
    write_run(tmp_path, "m", {"t": choice_samples([True, True])}, stamp="1")
    write_run(
        tmp_path, "ablated", {"t": choice_samples([True, False])}, "base=m,ablation=grey", stamp="2"
    )
    (table,) = gain_tables(gain_of(tmp_path))
    grid = table.grid
    assert grid.heads[-5:] == ["without", "n", "S_v", "S_wv", "MG"]
    assert grid.rows[0][-5:-1] == ["grey", "2", "100.0", "50.0"]


def test_a_comparison_is_a_line() -> None:
    """Run b stands first, as the difference is it minus run a; what is not known is a dash."""
    known = Comparison(
        *("t", "accuracy", "a", "b", 0.5, 0.75),
        Paired(24, 0.25, 0.05, 0.45, 0.0167, 0.28),
        *(0.0334, ["1", "2"], ["3"], []),
    )
    unknown = replace(
        known,
        difference=Paired(1, 0.25),
        p_corrected=None,
        warnings=["differ in prompt", "few questions"],
    )
    differences, scores = comparison_tables([known, unknown])
    heads = differences.grid.heads + scores.grid.heads
    lines = map(list.__add__, differences.grid.rows, scores.grid.rows)
    first, second = (dict(zip(heads, line, strict=True)) for line in lines)
    assert first == {
        **{"task": "t", "metric": "accuracy", "run": "b", "against": "a", "n": "24"},
        **{"run x 100": "75.0", "against x 100": "50.0", "difference": "25.0 [5.0, 45.0]"},
        **{"p (Holm)": "0.033", "won": "2", "lost": "1", "smallest": "28.0"},
    }
    unknown_cells = [second[name] for name in ("difference", "p (Holm)", "smallest")]
    assert unknown_cells == ["25.0", "-", "-"]
    assert scores.notes[1:] == [
        "t, b against a: differ in prompt.",
        "t, b against a: few questions.",
    ]


def test_a_warning_of_several_comparisons_is_printed_once() -> None:
    """With the first pair and the number of the others."""
    pairs = [
        Comparison(
            *(task, "accuracy", a, "b", 0.5, 0.75),
            Paired(24, 0.25),
            *(None, [], [], ["b answered 60 of 500 questions"]),
        )
        for task in "tuv"
        for a in "cde"
    ]
    _, note = comparison_tables(pairs)[-1].notes
    assert note == "t, b against c and 8 more: b answered 60 of 500 questions."
