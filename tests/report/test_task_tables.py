"""Scores of a task beside its paper's rows: what is shown, in which order, and what is said
about it.
"""

import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import pytest
from report_runs import choices, run_of, runs_at

from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.benchmarks.registry import rows_for_scoring
from spiqa_tasks.cli import main
from spiqa_tasks.published import __file__ as published
from spiqa_tasks.report.printer import as_csv, as_json
from spiqa_tasks.report.records import flat_records, judge_of
from spiqa_tasks.report.task_tables import group_table, group_values, headline_table
from spiqa_tasks.runs.run import Written

FIELDS = [
    *(
        "model",
        "source",
        "judge",
        "benchmark",
        "split",
        "task",
        "metric",
        "group",
        "value",
        "low",
        "high",
        "n",
    ),
    *("questions", "signature"),
]
DEMO = "data:mmstar/demo@d|prompt:p|settings:prompt=letter"
SPIQA = "data:spiqa/testA@d|prompt:p|settings:setting=direct"


def printed(model: str, category: str) -> str:
    """A number of MMStar's Table 5, read from the file itself."""
    with (Path(published).parent / "mmstar_table5.csv").open(newline="") as file:
        (value,) = {
            row["value"]
            for row in csv.DictReader(file)
            if (row["model"], row["category"], row["metric"]) == (model, category, "accuracy")
        }
    return f"{float(value):.1f}"


def judged(scores: list[float], *served: str) -> list[Record]:
    """Records of SPIQA's questions with L3Scores, by the models that were served (default:
    gpt-4o).
    """
    return [
        Record(
            f"q{place}",
            scores={"l3score": score},
            groups={"figure_type": "plot"},
            verdicts=({"metric": "l3score", "score": score, "model": model},),
        )
        for place, (score, model) in enumerate(
            zip(scores, served or ["gpt-4o"] * len(scores), strict=True)
        )
    ]


def test_the_judge_is_told_with_the_model_that_was_served() -> None:
    """Only where the server named another one; nothing where there was none."""
    asked = f"{SPIQA}|judge:openai:gpt-4o"
    assert judge_of(run_of(choices([True]))) == ""
    assert judge_of(run_of(judged([0.5]), signature=asked)) == "openai:gpt-4o"
    served = run_of(judged([0.5, 0.5], "b-2", "a-1"), signature=asked)
    assert judge_of(served) == "openai:gpt-4o (served as a-1, b-2)"


def test_measured_published_and_reported_rows_stand_together_and_have_their_source() -> None:
    """MMStar's whole split has Table 5's averages and others' reports below; without a judge no
    column is for one.
    """
    table = headline_table([run_of(choices([True, False]), "mine")])
    assert list(table.grid.heads) == ["model", "source", "n", "accuracy", "accuracy_released"]
    assert (table.title, table.grid.labels) == ("Scores x 100, with 95% intervals", 2)
    (*first, _, _), *below = table.grid.rows
    assert first == ["mine", "measured", "2"]
    rows = {row[0]: row for row in below}
    assert rows["GeminiPro-Vision"][1:3] == ["published, Table 5", ""]
    assert rows["GeminiPro-Vision"][3:] == [printed("GeminiPro-Vision", "all")] * 2
    reported = {
        model: line[1:4] for model, line in rows.items() if line[1].startswith("reported, ")
    }
    assert reported["Qwen3-VL-2B-Instruct, mmstar_oc"] == [
        "reported, lmms-eval pull request 922, mean of axes",
        "",
        "57.0",
    ]
    assert (len(rows), len(reported)) == (len(below), 8)
    assert len(below) == 16 + 8
    assert "https://github.com/EvolvingLMMs-Lab/lmms-eval/pull/922" in table.notes[-1]
    assert "reported" not in as_csv(flat_records([run_of(choices([True, False]), "mine")]))


def test_notes_say_what_limits_the_numbers() -> None:
    """Withheld metrics, other prompts, no published row, and judges that differ."""
    runs = [
        run_of(choices([True]), name, "t", DEMO.replace("prompt:p", f"prompt:{name}"))
        for name in "ab"
    ]
    notes = headline_table(runs).notes
    assert notes[0].startswith("Compared numbers differ in prompt")
    assert notes[0].endswith("(a and b).")
    assert "a: accuracy_released is withheld, 0 of 1 answers have a score, fewer than 99%." in notes
    assert notes[-1] == "The paper prints no row for this split and setting."
    of_spiqa = headline_table(
        [run_of(judged([0.2, 0.4]), signature=f"{SPIQA}|judge:openai:gpt-4o")]
    )
    assert of_spiqa.notes[-1] == "Scores of different judges are not comparable."
    assert (list(of_spiqa.grid.heads)[:4], of_spiqa.grid.labels) == (
        ["model", "source", "judge", "n"],
        3,
    )
    assert list(of_spiqa.grid.rows[0])[2:4] == ["openai:gpt-4o", "2"]
    assert of_spiqa.grid.rows[0][4] == "30.0 [0.2, 99.0]"
    assert "GPT-4o" in {row[2] for row in of_spiqa.grid.rows}


def test_groups_are_told_by_kind_with_the_papers_rows() -> None:
    """Each kind has a table, run by run; what is not drawn is folded, and `nonplot` is hidden."""
    records = [*choices([True, True], "math"), *choices([False, True], "coarse_perception")]
    records = [
        Record(f"q{place}", "A", scores=record.scores, groups={**record.groups, "subcategory": "x"})
        for place, record in enumerate(records)
    ]
    run = run_of(records, "mine")
    values = group_values([run])
    assert {kind: [record["group"] for record in each] for kind, each in values.items()} == {
        "category": ["coarse_perception", "math"],
        "subcategory": ["x"],
    }
    table = group_table([run], "category", values["category"])
    assert (table.title, table.folded, table.grid.labels, table.notes) == (
        "accuracy by category",
        False,
        2,
        [],
    )
    assert table.grid.heads[2:] == ["coarse_perception (n = 2)", "math (n = 2)"]
    assert [cell.split()[0] for cell in table.grid.rows[0]] == ["mine", "measured", "50.0", "100.0"]
    (line,) = (line for line in table.grid.rows if line[0] == "GeminiPro-Vision")
    assert list(line)[1:] == [
        "published, Table 5",
        printed("GeminiPro-Vision", "CP"),
        printed("GeminiPro-Vision", "MA"),
    ]
    folded = group_table([run], "subcategory", values["subcategory"])
    assert (folded.title, folded.folded, len(folded.records)) == (
        "accuracy by detailed axis",
        True,
        1,
    )
    hidden = run_of(
        [Record("q", scores={"l3score": 1.0}, groups={"nonplot": "nonplot"})], signature=SPIQA
    )
    assert group_values([hidden]) == {}


def test_each_of_many_groups_is_a_column() -> None:
    """SciFIBench's categories, with the paper's models below; the page splits a wide table."""
    names = [f"cs.{letter}" for letter in "ABCDEF"] + ["cs.NI"]
    records = [
        Record(f"q{place}", "A", scores={"accuracy": 1.0}, groups={"category": name})
        for place, name in enumerate(names)
    ]
    run = run_of(records, "m", "t", "data:scifibench/cs_fig2cap@d|settings:")
    table = group_table([run], "category", group_values([run])["category"])
    assert table.grid.heads[2:] == [f"{name} (n = 1)" for name in names]
    (line,) = [row for row in table.grid.rows if row[0] == "GPT-4V"]
    assert line[-1] == "72.0"


def test_real_questions_stand_beside_the_papers_rows(
    real_data: Path, tmp_path: Path, judges: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Answers to all of SPIQA's test-A are shown with Table 3 and Table 6, measured and
    published in rows apart.
    """
    monkeypatch.setenv("SPIQA_TASKS_DATA", str(real_data))
    rows = rows_for_scoring("spiqa", "testA", "")
    lines = [json.dumps({"id": row["id"], "prediction": row["answer"]}) + "\n" for row in rows]
    (tmp_path / "model.jsonl").write_text("".join(lines))
    output = ["--output", str(tmp_path / "scored")]
    assert (
        main(["score", "spiqa_testA", str(tmp_path / "model.jsonl"), "--judge", judges[0], *output])
        == 0
    )
    path = tmp_path / "report.md"
    page = tmp_path / "report.html"
    assert (
        main(["report", str(tmp_path / "scored"), "--markdown", str(path), "--html", str(page)])
        == 0
    )
    text = path.read_text(encoding="utf-8")
    published = [
        line
        for line in text.splitlines()
        if "published, Table 3" in line and "GPT-4 Vision" in line
    ]
    assert len(published) == 1
    assert "GPT-4o" in published[0]
    assert "measured" not in published[0]
    assert "published, Table 6" in text
    assert page.stat().st_size > 500_000


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


def test_a_part_of_a_task_says_how_much_it_is() -> None:
    """In the place of n, and behind the headline."""
    part = replace(run_of(choices([True, False]), "m", "t"), asked=5, partial=True)
    assert headline_table([part]).grid.rows[0][2] == "2 of 5"


def test_a_groups_value_stands_beside_its_own_n_of_n() -> None:
    """In csv, page and Markdown; why one is withheld stands below the table."""
    records = [*choices([True] * 9, "math"), *choices([True] * 189, "logical_reasoning")]
    records = [replace(record, id=f"q{place}") for place, record in enumerate(records)]
    run = replace(
        run_of(records, "m", "t"),
        asked=200,
        written=Written(sizes={"math": 10, "logical_reasoning": 190}),
    )
    found = {
        record["group"]: record for record in flat_records([run]) if record["metric"] == "accuracy"
    }
    assert {
        group: (record["value"], record["n"], record["questions"])
        for group, record in found.items()
    } == {
        **{"all": (1.0, 198, "198 of 200"), "math": (None, 9, "9 of 10")},
        "logical_reasoning": (1.0, 189, "189 of 190"),
    }
    table = group_table([run], "category", group_values([run])["category"])
    assert table.grid.rows[0][2:] == ["100.0 [98.0, 100.0] (189 of 190)", "- (9 of 10)"]
    assert table.grid.aligned[2:] == ["right", "right"]
    assert table.notes == ["A dash: fewer than 99% of the group's questions have a score."]
