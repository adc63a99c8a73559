"""Metrics by group and by property, compared with counts of the answers."""

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from choice_runs import answered, write_own
from host_files import sample_of, write_run
from report_runs import choices, run_of

from spiqa_tasks.analysis.breakdown import by_group, overall, part_of, record_of, values_by
from spiqa_tasks.benchmarks.metric import Value
from spiqa_tasks.benchmarks.registry import load_rows, rows_for_scoring
from spiqa_tasks.metrics.text_scores import text_scores
from spiqa_tasks.runs.loading import load_runs
from spiqa_tasks.runs.paths import RunPath
from spiqa_tasks.runs.run import Reported, Run
from spiqa_tasks.runs.selection import Selection

RowsOf = Callable[[str, str], list[dict[str, Any]]]
SPIQA: dict[str, Any] = {"settings": {"spiqa_demo": ""}, "benchmark": "spiqa", "split": "demo"}


def only(place: Path, **wanted: Any) -> Run:
    """Return the only run at a path."""
    (run,), _ = load_runs([RunPath(place)], Selection(**wanted))
    return run


def wilson(hits: int, n: int) -> tuple[float, float]:
    """Return the shares between which a normal test accepts the observed one, by bisection."""
    z, share = 1.959963984540054, hits / n

    def edge(inside: float, outside: float) -> float:
        for _ in range(80):
            middle = (inside + outside) / 2
            deviation = (
                abs(share - middle) / math.sqrt(middle * (1 - middle) / n)
                if 0 < middle < 1
                else math.inf
            )
            inside, outside = (middle, outside) if deviation <= z else (inside, middle)
        return inside

    return edge(share, 0.0), edge(share, 1.0)


def test_every_category_and_all_have_their_answers(rows_of: RowsOf, tmp_path: Path) -> None:
    """Counts, accuracies and Wilson intervals are those of the answers of each category."""
    rows = rows_of("cs_fig2cap", "")
    write_own(tmp_path, "m", {"scifibench_cs_fig2cap": answered(rows, 5)})
    run = only(tmp_path)
    groups = {row["group"]: row for row in by_group(run, [run.metric(None)])}
    assert overall(run, [run.metric(None)]) == [groups["all"]]
    assert list(groups) == ["all", "fig2cap", "cross-list", "cs.CV", "cs.LG", "other_cs"]
    for name, group in groups.items():
        mine = [
            index
            for index, row in enumerate(rows)
            if name in ("all", "fig2cap", row["category"].replace(" ", "_"))
        ]
        hits = sum(index >= 5 for index in mine)
        assert (group["metric"], group["n"], group["value"]) == (
            "accuracy",
            len(mine),
            pytest.approx(hits / len(mine)),
        )
        assert (group["low"], group["high"]) == pytest.approx(wilson(hits, len(mine)), abs=1e-6)
    assert (groups["all"]["model"], groups["all"]["task"]) == ("m", "scifibench_cs_fig2cap")


def test_corpus_metrics_are_computed_anew_for_every_group(tmp_path: Path) -> None:
    """CIDEr of a figure type is that of its answers alone, which is no mean of their scores in
    the whole corpus.
    """
    rows = rows_for_scoring("spiqa", "demo", "")
    texts = {
        row["id"]: row["answer"] if place % 3 else "a table of values"
        for place, row in enumerate(rows)
    }
    samples = [
        sample_of(row, "{'Answer': '" + texts[row["id"]].replace("'", "") + "'}") for row in rows
    ]
    write_run(tmp_path, "m", {"spiqa_demo": samples}, totals={"spiqa_demo": {}}, **SPIQA)
    run = only(tmp_path)
    found = {row["group"]: row for row in by_group(run, [run.metric("cider")])}
    for group in ("all", "plot", "table"):
        members = [
            record for record in run.records if group == "all" or group in record.groups.values()
        ]
        pairs = [(record.prediction or "", record.reference) for record in members]
        assert (found[group]["n"], found[group]["value"]) == (
            len(pairs),
            pytest.approx(text_scores(pairs, ["cider"])["cider"].value),
        )


def test_questions_of_several_documents_are_broken_down_as_questions(tmp_path: Path) -> None:
    """Their documents only where a metric is of these."""
    settings = "setting=perfigure,max_figures=0"
    rows = load_rows("spiqa", "demo", settings)
    samples = {"spiqa_demo": [sample_of(row, row["answer"]) for row in rows]}
    write_run(
        tmp_path,
        "m",
        samples,
        totals={"spiqa_demo": {}},
        **{**SPIQA, "settings": {"spiqa_demo": settings}},
        asked=39,
    )
    run = only(tmp_path)
    texts, form = (by_group(run, [run.metric(name)]) for name in ("rouge_l", "unformatted_rate"))
    assert (texts[0]["n"], form[0]["n"]) == (39, len(rows))
    assert [row["group"] for row in texts] == [row["group"] for row in form]


def test_groups_are_kind_by_kind() -> None:
    """Names in alphabetical order within each."""
    first, second = choices([True, False])
    run = run_of(
        [replace(first, groups={"b": "z", "a": "y"}), replace(second, groups={"a": "x", "b": "w"})]
    )
    rows = by_group(run, [run.metric()])
    assert [(row["group"], row["n"], row["value"]) for row in rows] == [
        ("all", 2, 0.5),
        ("w", 1, 0.0),
        ("z", 1, 1.0),
        ("x", 1, 0.0),
        ("y", 1, 1.0),
    ]


def test_a_group_counts_against_its_own_size() -> None:
    """Of a part of a task, a whole group says so, and a short one how much it lacks."""
    records = [*choices([True] * 9, "math"), *choices([True] * 10, "logical_reasoning")]
    records = [replace(record, id=f"q{place}") for place, record in enumerate(records)]
    written = Reported(sizes={"math": 90, "logical_reasoning": 10})
    run = replace(run_of(records), asked=100, reported=written, partial=True)

    found = {row["group"]: row for row in by_group(run, [run.metric()])}
    assert {name: (row["value"], row["questions"]) for name, row in found.items()} == {
        "all": (1.0, "19 of 100"),
        "logical_reasoning": (1.0, "10 of 10"),
        "math": (1.0, "9 of 90"),
    }
    assert [name for name, row in found.items() if part_of(row["questions"])] == ["all", "math"]


def test_a_group_of_unknown_size_has_no_coverage() -> None:
    """A file of a part of a task does not say how many questions of the group are missing; the
    task's coverage is another number.
    """
    run = replace(run_of(choices([True] * 9)), asked=100, partial=True)
    found = {row["group"]: row["questions"] for row in by_group(run, [run.metric()])}
    assert found == {"all": "9 of 100", "math": ""}


def test_a_whole_group_of_a_part_of_a_task_is_whole() -> None:
    """Its value is withheld as the task's is, and all of its questions were answered."""
    written = Reported(sizes={"math": 9, "science": 91})
    run = replace(run_of(choices([True] * 9)), asked=100, reported=written)
    found = {
        row["group"]: (row["questions"], bool(part_of(row["questions"])))
        for row in by_group(run, [run.metric()])
    }
    assert found == {"all": ("9 of 100", True), "math": ("9 of 9", False)}


def test_rates_of_groups_are_over_the_groups_records() -> None:
    """A rate has no column in the frame."""
    read, unread = choices([True, False])
    unread = replace(unread, groups={"category": "science"}, prediction=None, status="unparsed")
    run = run_of([read, unread])
    found = by_group(run, [run.metric("unparsed_rate")])
    assert {row["group"]: (row["n"], row["value"]) for row in found} == {
        "all": (2, 0.5),
        "math": (1, 0.0),
        "science": (1, 1.0),
    }


def test_a_group_is_one_of_its_column() -> None:
    """A group of another column may have its name; MMStar's source is a detail of the records."""
    kinds = [("x", "y", "AI2D"), ("y", "x", "AI2D"), ("y", "z", "MMMU")]
    records = [
        replace(record, groups={"a": a, "b": b}, details={"source": source})
        for record, (a, b, source) in zip(choices([True, False, True]), kinds, strict=True)
    ]
    run = run_of(records)
    for name in ("accuracy", "unparsed_rate"):
        for by, expected in {"a": {"x": 1, "y": 2}, "source": {"AI2D": 2, "MMMU": 1}}.items():
            found = by_group(run, [run.metric(name)], by)
            assert {row["group"]: row["n"] for row in found} == expected


def test_a_group_of_failed_requests_says_how_many_are_missing() -> None:
    """Its size is that of its questions, also if another group or all answers have its name."""
    records = choices([True] * 4)
    for place, record in enumerate(records):
        records[place] = replace(record, groups={"a": "all" if place else "x", "b": "x"})
    records[0] = records[0].failed("timeout")
    run = run_of(records)
    for reported in (Reported(), Reported(sizes={"all": 3})):
        found = by_group(replace(run, reported=reported), [run.metric()])
        assert [(row["by"], row["group"], row["questions"]) for row in found] == [
            ("", "all", "4 of 4"),
            ("a", "all", "3 of 3"),
            ("a", "x", "0 of 1"),
            ("b", "x", "3 of 4"),
        ]
        assert [row["value"] for row in found] == [None, 1.0, None, None]


def test_the_value_of_a_group_is_the_metrics_own() -> None:
    """METEOR has scores of single answers, and is not their mean."""
    run = run_of(choices([True, False]))
    metric = replace(run.metric(), compute=lambda records: Value(0.25, len(records)))
    (row,) = by_group(run, [metric], "category")
    assert (row["value"], row["n"], row["low"]) == (0.25, 2, None)


def short_of_math() -> Run:
    """Return a run on 300 questions without answers to two of the four on math."""
    records = [*choices([True] * 2), *choices([True] * 296, "science")]
    records = [replace(record, id=f"q{place}") for place, record in enumerate(records)]
    sizes = Reported(sizes={"math": 4, "science": 296})
    return replace(run_of(records), asked=300, reported=sizes)


def test_values_of_several_runs_come_with_the_reasons_of_those_that_are_withheld() -> None:
    """A run that is withheld as a whole is said once, and not again for each of its values."""
    short = short_of_math()
    part = replace(run_of(choices([True] * 9), model="p"), asked=100)
    found, reasons = values_by([(run, [run.metric()]) for run in (short, part)], "group")
    assert [(row["model"], row["group"], row["value"]) for row in found] == [
        ("m", "all", 1.0),
        ("m", "math", None),
        ("m", "science", 1.0),
        ("p", "all", None),
        ("p", "math", None),
    ]
    assert reasons == [
        "accuracy of math of m is withheld: 2 of 4 questions.",
        "mmstar_filtered of p: 9 of 100 questions were answered, fewer than 99%; --partial prints"
        " its values.",
    ]


def test_without_a_column_values_are_those_of_all_answers() -> None:
    """A column gives its groups alone."""
    run = short_of_math()
    for by, groups in (("", ["all"]), ("category", ["math", "science"])):
        found, _ = values_by([(run, [run.metric()])], by)
        assert [row["group"] for row in found] == groups


def test_metrics_withheld_for_one_reason_are_named_together() -> None:
    """Answers without a score are the reason, not questions without an answer."""
    scored, *unscored = choices([True, True, True])
    run = run_of([scored, *(replace(record, scores={}) for record in unscored)])
    both = [run.metric(), replace(run.metric(), name="other")]
    _, reasons = values_by([(run, both)])
    assert reasons == [
        "mmstar_filtered of m: accuracy, other: 1 of 3 answers have a score, fewer than 99%."
    ]


def test_a_record_says_what_its_value_is_of() -> None:
    """One of a host's task has neither benchmark nor split."""
    run = run_of(choices([True] * 4))
    record = record_of(run, "accuracy", "all", Value(math.nan, 3))
    assert record == {
        "model": "m",
        "task": "mmstar_filtered",
        "metric": "accuracy",
        "group": "all",
        "n": 3,
        "value": None,
        "low": None,
        "high": None,
        "questions": "4 of 4",
        "source": "measured",
        "judge": "",
        "benchmark": "mmstar",
        "split": "val",
        "signature": run.signature.text,
        "by": "",
    }
    of_host = record_of(replace(run, benchmark_task_or_none=None), "accuracy", "all", Value(1.0, 4))
    assert (of_host["benchmark"], of_host["split"]) == ("", "")
