"""Values as records, beside those that papers print and others report, and tables of them."""

import csv
import io
import json
import math
from dataclasses import replace
from pathlib import Path

import pytest
from answer_files import right_answers, scored
from host_files import FAILED, choice_samples, write_run
from report_runs import choices, run_of, runs_at

from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.published import load
from spiqa_tasks.report.printer import as_csv, as_json, render
from spiqa_tasks.report.values import (
    cross_table,
    flat_records,
    models_table,
    printed_records,
    score_table,
)
from spiqa_tasks.runs.identity import Identity
from spiqa_tasks.runs.loading import load_runs
from spiqa_tasks.runs.paths import RunPath
from spiqa_tasks.runs.run import Reported, Run
from spiqa_tasks.runs.selection import Selection, with_unique_labels

FIELDS = [
    "model",
    "task",
    "metric",
    "group",
    "n",
    "value",
    "low",
    "high",
    "questions",
    "source",
    "judge",
    "benchmark",
    "split",
    "signature",
    "by",
]
SPIQA = "data:spiqa/testA@d|settings:setting=direct"


def judged(model: str = "m", judge: str = "openai:a", l3score: float = 0.5) -> Run:
    """Return a run with L3Scores of two answers, one of which is a parameter."""
    records = [
        Record(
            key,
            "a b",
            "a b",
            scores={"l3score": score},
            verdicts=({"metric": "l3score", "score": score},),
        )
        for key, score in (("1", l3score), ("2", 0.3))
    ]
    written = Reported(judge=judge, omitted={"meteor": "no Java"})
    return replace(run_of(records, model, "t", f"{SPIQA}|judge:{judge}"), reported=written)


def cells(table: str) -> list[list[str]]:
    """Return the cells of a Markdown table, without its rule."""
    head, _, *rows = (
        [cell.strip() for cell in line.split("|")[1:-1]]
        for line in table.splitlines()
        if line.startswith("|")
    )
    return [head, *rows]


def test_csv_and_json_are_the_same_flat_records(two_runs: Path) -> None:
    """One per model, task, metric and group, with its signature; the values are those of the
    answers.
    """
    runs = runs_at(two_runs)
    records = json.loads(as_json(flat_records(runs)))
    reader = csv.DictReader(io.StringIO(as_csv(flat_records(runs))))
    lines = list(reader)
    assert list(reader.fieldnames or ()) == list(records[0]) == FIELDS
    texts = [
        {name: "" if value is None else str(value) for name, value in record.items()}
        for record in records
    ]
    assert lines == texts
    keys = [
        (record["model"], record["task"], record["metric"], record["group"]) for record in records
    ]
    assert len(set(keys)) == len(keys)
    known = [record for record in records if record["metric"] == "accuracy"]
    by_key = {(record["model"][-1], record["task"], record["group"]): record for record in known}
    of_math = by_key["a", "mmstar_demo", "math"]
    assert (of_math["value"], of_math["n"]) == (1.0, 4)
    assert by_key["b", "mmstar_demo", "all"]["value"] is None


def test_a_groups_value_stands_beside_its_own_n_of_n() -> None:
    """Where a part of its questions was answered, in records and in the headings of a table."""
    records = [*choices([True] * 9, "math"), *choices([True] * 189, "logical_reasoning")]
    records = [replace(record, id=f"q{place}") for place, record in enumerate(records)]
    sizes = {"math": 10, "logical_reasoning": 190}
    run = replace(run_of(records, "m", "t"), asked=200, reported=Reported(sizes=sizes))
    found = [record for record in flat_records([run]) if record["metric"] == "accuracy"]
    assert {each["group"]: (each["value"], each["n"], each["questions"]) for each in found} == {
        "all": (1.0, 198, "198 of 200"),
        "math": (None, 9, "9 of 10"),
        "logical_reasoning": (1.0, 189, "189 of 190"),
    }
    table = cross_table(found, "group")
    heads = ["all (198 of 200)", "logical_reasoning (189 of 190)", "math (9 of 10)"]
    assert table.grid.heads[2:] == heads
    assert table.grid.rows[0][2:] == ["100.0 [98.1, 100.0]", "100.0 [98.0, 100.0]", "-"]
    assert table.grid.aligned[2:] == ["right"] * 3


def test_the_numbers_of_answers_are_in_the_cells_of_runs_that_differ() -> None:
    """A whole group has its n, and one whose size nobody knows; published rows have none."""
    whole = run_of(choices([True] * 20), "a", "t")
    half = replace(run_of(choices([True] * 10), "b", "t"), asked=20, partial=True)
    values = ["100.0 [83.9, 100.0]", "100.0 [72.2, 100.0]"]
    for runs, head, cells_of_runs in (
        ([whole], "math (n=20)", values[:1]),
        ([half], "math (n=10)", values[1:]),
        ([whole, half], "math", [f"{values[0]} (n=20)", f"{values[1]} (n=10)"]),
    ):
        found = [record for record in flat_records(runs) if record["group"] == "math"]
        grid = cross_table(found, "group").grid
        assert grid.heads[2:] == [head]
        assert [row[2] for row in grid.rows] == cells_of_runs


def test_judges_at_an_address_of_their_own_are_short_in_tables() -> None:
    """The note has the address."""
    table = models_table([judged(judge="openai:m@http://localhost:1/v1")])
    assert table.grid.rows[0][2] == "openai:m"
    assert table.notes[0].startswith("Judges: openai:m@http://localhost:1/v1, GPT-4o.")
    choices_of_judge = run_of(choices([True]), "m", "t", "data:spiqa/demo@d|judge:openai:m")
    assert models_table([choices_of_judge]).notes == ["Judges: openai:m."]


def test_every_group_of_score_has_its_own_number_of_questions() -> None:
    """In csv, where it stands beside the task's."""
    (of_all, of_group, *_) = score_table(
        scored("mmstar_demo", right_answers("mmstar_demo"))
    ).records
    assert (of_all["group"], of_all["questions"]) == ("all", "24 of 24")
    assert (of_group["group"] != "all", of_group["questions"]) == (True, "4 of 4")


def test_reported_rows_have_their_source_and_are_no_values_of_runs() -> None:
    """MMStar's whole split has Table 5's averages and others' reports."""
    run = run_of(choices([True, False]), "mine")
    records = [each for each in printed_records([run]) if each["group"] == "all"]
    by_source = {(each["model"], each["metric"]): each for each in records}
    (printed,) = (
        row["value"]
        for row in load("mmstar", "table5")
        if (row["model"], row["category"], row["metric"]) == ("GeminiPro-Vision", "all", "accuracy")
    )
    assert isinstance(printed, float)
    for metric in ("accuracy", "accuracy_released"):
        found = by_source["GeminiPro-Vision", metric]
        assert (found["source"], found["value"]) == ("published, Table 5", printed / 100)
    reported = by_source["Qwen3-VL-2B-Instruct, mmstar_oc", "accuracy"]
    assert reported["source"] == "reported, lmms-eval pull request 922, mean of axes"
    assert reported["url"] == "https://github.com/EvolvingLMMs-Lab/lmms-eval/pull/922"
    assert reported["value"] == pytest.approx(0.5703)
    assert "reported" not in as_csv(flat_records([run]))


def test_failures_are_rows_with_their_reasons_below() -> None:
    """The share of the answers that failed, and which metrics are withheld for it."""
    answers = list(right_answers("mmstar_demo").items())
    failed = dict([*answers[:-6], *((key, FAILED) for key, _ in answers[-6:])])
    lines = render("text", score_table(scored("mmstar_demo", failed))).splitlines()
    (row,) = [line.split() for line in lines if line.startswith("request_failed_rate")]
    assert (row[0], row[1], row[-1]) == ("request_failed_rate", "25.0", "24")
    (omitted,) = (
        line for line in lines if line.endswith("18 of 24 answers have a score, fewer than 99%")
    )
    assert omitted.startswith("accuracy, ")
    assert " left out: withheld: " in omitted


def test_one_run_is_printed_whole() -> None:
    """Values with their intervals, counts that are not 0, what is left out, and the signature."""
    run = run_of(choices([True, True, True, False]), "m", "t")
    table = score_table(run)
    found = cells(render("md", table))
    assert found[:4] == [
        ["t", "x 100", "n"],
        ["accuracy", "75.0 [30.1, 95.4]", "4"],
        ["accuracy/math", "75.0 [30.1, 95.4]", "4"],
        ["accuracy_released", "-", "0"],
    ]
    counts, omitted, signature = table.notes
    assert counts == "docs 4"
    assert omitted.startswith("accuracy_released, accuracy_vlmevalkit, ")
    assert omitted.endswith(" left out: withheld: 0 of 4 answers have a score, fewer than 99%")
    assert signature == f"signature: {run.signature.text}"


def test_what_could_not_be_computed_has_a_reason_in_place_of_a_row() -> None:
    """But for the headline, and for programs: csv has every metric."""
    run = scored("spiqa_demo", right_answers("spiqa_demo"))
    omitted = {**run.reported.omitted, "bertscore_f1": "no package"}
    table = score_table(replace(run, reported=replace(run.reported, omitted=omitted)))
    found = [row[0] for row in table.grid.rows]
    assert (found[0], "bleu_1" in found) == ("l3score", True)
    assert {"bertscore_f1", "judge_failed_rate"}.isdisjoint(found)
    assert "bertscore_f1 left out: no package" in table.notes
    assert ",bertscore_f1,all,0," in as_csv(table.data)


def test_several_runs_are_tables_with_their_names_and_judges() -> None:
    """A model without a value has a dash, and the remedy stands below; choices have no judge."""
    choice = run_of(choices([True]), "m", "t")
    assert score_table(choice, is_named=True).title == "m"
    part = replace(judged("n"), asked=99)
    assert score_table(judged(), is_named=True).title == "m, judge openai:a"
    table = score_table(part, is_named=True)
    assert table.grid.heads[0] == "t, 2 of 99 questions"
    assert table.grid.rows[0] == ["l3score", "-", "2"]
    assert math.isnan(part.value(part.metric()).value)
    assert table.notes[1].startswith("every value is withheld: 2 of 99 questions were answered")


def test_scores_by_other_judges_than_the_papers_do_not_compare() -> None:
    """GPT-4o is the papers' judge, whatever its provider is called."""
    others = "Scores of different ones are not comparable."
    assert others in render("text", models_table([judged(judge="openai:gpt-4o-mini")]))
    assert others not in render("text", models_table([judged(judge="openai:gpt-4o")]))


def test_scores_for_programs_are_in_natural_units() -> None:
    """A record per metric, with None where there is no value or no interval."""
    run = run_of(choices([True, True, True, False]), "m", "t")
    first, _, second, *_ = score_table(run).records
    assert (round(first["low"], 5), round(first["high"], 5)) == (0.30064, 0.95441)
    assert (first["value"], first["n"], first["questions"]) == (0.75, 4, "4 of 4")
    assert (first["signature"], first["group"]) == (run.signature.text, "all")
    assert (second["metric"], second["n"]) == ("accuracy_released", 0)
    assert second["value"] is second["low"] is second["high"] is None


SPLITS = ("cs_fig2cap", "general_fig2cap")


@pytest.fixture
def runs(tmp_path: Path) -> list[Run]:
    """A model that is right on 2 of 4 questions of CS and on 3 of 4 of General."""
    for split, right in zip(SPLITS, (2, 3), strict=True):
        samples = choice_samples([place < right for place in range(4)])
        write_run(
            tmp_path / split,
            "m",
            {f"scifibench_{split}": samples},
            settings={f"scifibench_{split}": "prompt=letter"},
            stamp=split,
            benchmark="scifibench",
            split=split,
        )
    return load_runs([RunPath(tmp_path)], Selection(partial=True))[0]


def test_both_subsets_and_their_mean_stand_in_one_row(runs: list[Run]) -> None:
    """The measured row first; the mean is over both tasks, which are of one size."""
    table = models_table(runs, "Table 2")
    columns = [f"scifibench_{name} accuracy" for name in (*SPLITS, "fig2cap")]
    assert table.grid.heads == ["model", "source", *columns]
    measured, *_ = table.grid.rows
    assert measured[:2] == ["m", "measured"]
    assert [cell.split()[0] for cell in measured[2:]] == ["50.0", "75.0", "62.5"]


def test_one_subset_is_not_the_overall_mean(runs: list[Run]) -> None:
    """A model that was run on one subset has no overall accuracy beside one that was run on both,
    nor alone.
    """
    other = replace(runs[0], label="q")
    for several, models in (([*runs, other], {"m"}), ([other], set())):
        records = models_table(several).data or ()
        means = [each for each in records if each["task"] == "scifibench_fig2cap"]
        assert {each["model"] for each in means if each["source"] == "measured"} == models
        assert bool(means) == bool(models)


def test_the_published_rows_are_those_of_table_2(runs: list[Run]) -> None:
    """Every printed accuracy of figure to caption with adversarial negatives, the overall ones
    too.
    """
    names = {
        "CS": "scifibench_cs_fig2cap",
        "General": "scifibench_general_fig2cap",
        "Overall": "scifibench_fig2cap",
    }
    printed = {
        (str(row["model"]), names[str(row["subset"])]): float(row["value"] or 0) / 100
        for row in load("scifibench", "table2")
        if (row["task"], row["negatives"]) == ("figure_to_caption", "adversarial")
        and row["subset"] in names
        and row["value"] is not None
        and row["group"] != "text-only"
    }
    records = models_table(runs, "Table 2").data or ()
    found = {
        (each["model"], each["task"]): each["value"]
        for each in records
        if each["source"] != "measured"
    }
    assert found == pytest.approx(printed)


def test_the_columns_are_those_of_the_papers_table(
    real_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The headline, and SPIQA's Table 3 in its order, one row a model, without the rows of other
    tables.
    """
    monkeypatch.setenv("SPIQA_TASKS_DATA", str(real_data))
    runs = [
        replace(scored(task), identity=Identity("m"), partial=True)
        for task in ("spiqa_testA", "spiqa_testB")
    ]
    head, measured, *printed = cells(render("md", models_table(runs, "Table 3")))
    metrics = ("l3score", "meteor", "rouge_l", "cider", "bertscore_f1")
    splits = ("testA", "testB")
    columns = [f"spiqa_{split} {metric}" for split in splits for metric in metrics]
    assert [name.removesuffix(" (19 of 228)") for name in head[2:]] == columns
    assert measured[:2] == ["m", "measured"]
    # without BERTScore there is none; what was not judged is shown as missing
    assert [bool(cell) for cell in measured[2:]] == [True, True, True, True, False] * 2
    assert measured[2] == "-"
    assert head[8] == "spiqa_testB meteor (19 of 228)"

    values = {
        (str(row["model"]), str(row["split"]), str(row["metric"])): row["value"]
        for row in load("spiqa", "table3")
        if row["group"] in ("closed", "open")
    }
    for line in printed:
        expected = [
            values[line[0], split, metric] for split in ("test-A", "test-B") for metric in metrics
        ]
        # Cells have one decimal, some printed values two.
        found = [float(cell) for cell in line[2:]]
        assert found == pytest.approx(expected, abs=0.051)
    assert len(printed) == 12


def test_by_default_tasks_have_their_headline() -> None:
    """Runs have their judge beside them."""
    runs = [replace(judged(), task="spiqa_testA"), run_of(choices([True, False]), "m")]
    table = models_table(runs)
    assert table.grid.heads[3:] == ["spiqa_testA l3score", "mmstar_filtered accuracy"]
    assert {row[2] for row in table.grid.rows} == {"openai:a", ""}


def test_a_model_has_one_row_for_its_tasks_with_and_without_a_judge() -> None:
    """Two judges of the same answers stay two rows; in the data no choice has a judge."""
    choice = run_of(choices([True, False]), "m")
    runs = [replace(judged(), task="spiqa_testA"), choice]
    table = models_table(runs)
    measured = [row for row in table.grid.rows if row[1] == "measured"]
    assert [row[0:3:2] for row in measured] == [["m", "openai:a"]]
    assert all(cell.strip("-") for cell in measured[0][3:])
    records = [
        record for record in json.loads(render("json", table)) if record["source"] == "measured"
    ]
    assert {(record["task"], record["judge"]) for record in records} == {
        ("spiqa_testA", "openai:a"),
        ("mmstar_filtered", ""),
    }

    another = replace(judged(judge="openai:b"), task="spiqa_testA")
    rows = models_table(with_unique_labels([*runs, another])).grid.rows
    assert [row[0:3:2] for row in rows if row[1] == "measured"] == [
        ["m (judge openai:a)", "openai:a"],
        ["m (judge openai:b)", "openai:b"],
        ["m", ""],
    ]


def test_two_judges_of_a_model_on_two_tasks_have_two_rows() -> None:
    """A row names the judge of all its L3Scores."""
    runs = [
        replace(judged(judge=judge), task=task)
        for judge, task in (("openai:a", "spiqa_testA"), ("openai:b", "spiqa_testB"))
    ]
    table = models_table(with_unique_labels(runs))
    judges = [row[2] for row in table.grid.rows if row[1] == "measured"]
    assert judges == ["openai:a", "openai:b"]


def test_a_group_of_a_hosts_run_has_its_questions_where_the_whole_task_was_answered() -> None:
    """A host's file says nothing of the sizes of groups: there are none but those at hand."""
    run = scored("mmstar_demo")
    of_host = replace(run, reported=replace(run.reported, sizes={}))
    expected = [record["questions"] for record in score_table(run).data or ()]
    assert [record["questions"] for record in score_table(of_host).data or ()] == expected
    assert "4 of 4" in expected
