"""The overview: models ranked, what differs significantly, and a plot of runs beside published
and reported rows.
"""

from dataclasses import replace
from typing import Any

import pytest
from report_runs import choices, run_of

from spiqa_tasks.analysis.compare import compare
from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.report import overview, plots
from spiqa_tasks.report.plots import Plot
from spiqa_tasks.runs.run import Run


def run_with(right: int, model: str, task: str = "t", of: int = 100) -> Run:
    """A run with so many right answers of `of`."""
    return run_of(choices([place < right for place in range(of)]), model, task)


def test_models_are_ranked_on_each_task() -> None:
    """The best first, with Wilson's interval and n; a withheld one is last."""
    runs = [
        run_with(3, "a", of=4),
        run_with(4, "b", of=4),
        run_with(3, "c", of=4),
        run_with(0, "b", "u", of=4),
    ]
    withheld = replace(run_with(2, "d", of=4), asked=9)
    table = overview.table([withheld, *runs])
    assert (table.grid.heads, table.grid.labels, table.folded) == (
        ["task", "model", "metric", "x 100", "n"],
        1,
        False,
    )
    assert table.grid.rows == [
        ["t", "b", "accuracy", "100.0 [51.0, 100.0]", "4"],
        ["t", "a", "accuracy", "75.0 [30.1, 95.4]", "4"],
        ["t", "c", "accuracy", "75.0 [30.1, 95.4]", "4"],
        ["t", "d", "accuracy", "-", "4 of 9"],
        ["u", "b", "accuracy", "0.0 [0.0, 49.0]", "4"],
    ]
    assert overview.table([run_with(1, f"m{place}") for place in range(31)]).folded


SPIQA = "data:spiqa/testA@d|settings:setting=direct"


def test_without_a_judge_the_overview_says_that_l3score_is_missing() -> None:
    """No text metric stands in its place; a run with a judge has its score."""
    records = [Record("q", "a blue line", "a blue line", scores={"rouge_l": 1.0})]
    run = run_of(records, "m", "spiqa_testA", SPIQA)
    assert overview.table([run]).grid.rows == [["spiqa_testA", "m", "l3score", "-", "0"]]
    (sentence,) = overview.unjudged([run])
    assert sentence.startswith("spiqa_testA of m: l3score is missing, no judge was asked.")
    verdict = {"metric": "l3score", "score": 0.5}
    judged = [replace(records[0], scores={"l3score": 0.5}, verdicts=(verdict,))]
    assert overview.unjudged([run_of(judged, "m", "spiqa_testA", f"{SPIQA}|judge:x")]) == []


def test_the_demo_judge_is_named_as_one() -> None:
    """Its scores count common words."""
    of_demo = run_of([Record("q")], "m", "t", f"{SPIQA}|judge:openai:demo-overlap")
    (sentence,) = overview.demo_judges([of_demo, of_demo])
    assert sentence.endswith("its L3Scores are no results.")
    assert overview.demo_judges([run_of([Record("q")], "m", "t", f"{SPIQA}|judge:x")]) == []


def test_a_sentence_says_what_differs_significantly() -> None:
    """Per task, with Holm's correction: 30 points do at 100 questions, one does not; of many,
    three are named.
    """
    found, _ = compare(
        [
            run_with(40, "a"),
            run_with(70, "b"),
            run_with(41, "c"),
            run_with(5, "d", "u"),
            run_with(6, "e", "u"),
        ]
    )
    first, second = overview.conclusions(found)
    assert (
        first == "t: 2 of 3 compared pairs differ significantly in accuracy (Holm's p < 0.05): b is"
        " better than a, c."
    )
    assert second == "No two runs differ significantly (Holm's p < 0.05) on u."
    many, _ = compare([run_with(90, "best"), *(run_with(10, f"m{place}") for place in range(5))])
    assert "best is better than m0, m1, m2 and 2 more." in overview.conclusions(many)[0]
    warned = [replace(each, warnings=["differ in prompt"]) for each in found]
    assert overview.conclusions(warned)[0].endswith(". Mind the notes in Comparison of runs.")
    assert not overview.conclusions(warned)[1].endswith("runs.")


def test_a_task_s_runs_are_drawn_beside_published_and_reported_rows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each kind in its colour; of many runs the best, and the ten best of the others; the title
    says how many.
    """
    drawn: list[Any] = []
    monkeypatch.setattr(
        plots, "intervals", lambda *values: drawn.append(values) or Plot(values[0], "", "")
    )
    overview.ranking([run_with(50, "mine", "mmstar_filtered")])
    title, kinds, axis, colours = drawn.pop()
    assert (title, axis) == ("accuracy on mmstar_filtered", "accuracy x 100")
    assert {label: (colours[label], len(points)) for label, points in kinds.items()} == {
        "measured": (0, 1),
        "published": (7, 16),
        "reported": (1, 8),
    }
    assert kinds["published"]["GeminiPro-Vision (Table 5)"] == (0.426, None, None)
    assert kinds["reported"]["InternVL3.5-241B-A28B, by a user"][0] == pytest.approx(0.7376)
    overview.ranking([run_with(place, f"m{place}", "mmstar_filtered") for place in range(1, 41)])
    title, kinds, *_ = drawn.pop()
    assert title == "accuracy on mmstar_filtered (30 of 64 rows; the tables have all)"
    assert list(kinds["measured"]) == [f"m{place}" for place in range(40, 20, -1)]
    assert sum(map(len, kinds.values())) == plots.ROWS
    judged = Record(
        "q", "x", scores={"l3score": 0.5}, verdicts=({"metric": "l3score", "score": 0.5},)
    )
    signature = "data:spiqa/testA@d|settings:setting=direct|judge:hf:local"
    overview.ranking([run_of([judged], "mine", "spiqa_testA", signature)])
    assert list(drawn.pop()[1]) == [
        "measured",
        "published (judge GPT-4o)",
        "reported (judge GPT-4o)",
    ]
    demo = "data:mmstar/demo@d|prompt:p|settings:prompt=letter"
    assert overview.ranking([run_of(choices([True]), "alone", "t", demo)]) == []


def test_a_plot_has_at_most_thirty_rows_and_eight_runs() -> None:
    """The first ones; what is left out is said in the title."""
    points = {f"name {place}": (0.5, 0.4, 0.6) for place in range(31)}
    plot = plots.intervals("T", {f"run {place}": points for place in range(9)}, "accuracy")
    assert plot.title == "T (30 of 31 rows; the tables have all) (8 of 9 runs; the tables have all)"
    assert ">name 29<" in plot.svg
    assert ">name 30<" not in plot.svg
    assert ">run 7<" in plot.svg
    assert ">run 8<" not in plot.svg
