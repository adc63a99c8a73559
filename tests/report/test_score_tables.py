"""What `score` prints, and a paper's main table with a model's rows."""

import math
from dataclasses import replace
from pathlib import Path

import pytest
from answer_files import right_answers, scored
from host_files import FAILED, choice_samples, write_run
from report_runs import choices, run_of

from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.published import load
from spiqa_tasks.report.score_tables import (
    as_json,
    as_text,
    of_one_model,
    paper_table,
    records,
    rows,
)
from spiqa_tasks.runs.loading import own_runs
from spiqa_tasks.runs.paths import RunPath
from spiqa_tasks.runs.run import Identity, Run, Written
from spiqa_tasks.runs.selection import Selection


def judged(model: str = "m", judge: str = "openai:a", l3score: float = 0.5) -> Run:
    """L3Scores of two answers, one of them given."""
    verdicts = {
        key: ({"metric": "l3score", "score": score},) for key, score in (("1", l3score), ("2", 0.3))
    }
    records = [
        Record(key, "a b", "a b", scores={"l3score": said[0]["score"]}, verdicts=said)
        for key, said in verdicts.items()
    ]
    signature = "data:spiqa/testA@d|settings:setting=direct"
    return replace(
        run_of(records, model, "t", signature),
        written=Written(judge=judge, omitted={"meteor": "no Java"}),
    )


def test_failures_are_rows_where_there_are_any() -> None:
    """With the share of the answers that failed."""
    answers = list(right_answers("mmstar_demo").items())
    lines = as_text(
        [scored("mmstar_demo", dict([*answers[:-6], *((key, FAILED) for key, _ in answers[-6:])]))]
    )
    (row,) = [line.split() for line in lines.splitlines() if line.startswith("request_failed_rate")]
    assert (row[0], row[1], row[-1]) == ("request_failed_rate", "25.0", "24")
    (omitted,) = (
        line
        for line in lines.splitlines()
        if line.endswith("18 of 24 answers have a score, fewer than 99%")
    )
    assert omitted.startswith("accuracy, ")
    assert " left out: withheld: " in omitted


def test_several_results_have_columns() -> None:
    """One per model and judge; as JSON an object each."""
    results = [
        judged("m"),
        judged("n", l3score=0.9),
        judged("m", "openai:b"),
        judged("n", "openai:b", 0.9),
    ]
    assert "judge openai:a" in as_text(results)
    found = as_json(results)
    assert [(each["predictions"], each["judge"]) for each in found["results"]] == [
        ("m", "openai:a"),
        ("n", "openai:a"),
        ("m", "openai:b"),
        ("n", "openai:b"),
    ]
    assert found["task"] == "t"


def test_a_model_without_a_value_has_a_dash_in_its_column() -> None:
    """Where its questions are a part."""
    part = replace(judged("n"), asked=99)
    text = as_text([judged("m"), part])
    row = next(line for line in text.splitlines() if line.startswith("l3score "))
    assert row.split()[-1] == "-"
    assert math.isnan(part.value(part.metric()).value)


def test_one_run_is_printed_whole() -> None:
    """Values with their intervals, counts that are not 0, what is left out, and the signature."""
    run = run_of(choices([True, True, True, False]), "m", "t")
    table, notes = as_text([run], "md").split("\n\n")
    assert cells(table) == [
        ["t", "x 100", "n"],
        ["accuracy", "75.0 [30.1, 95.4]", "4"],
        ["accuracy/math", "75.0 [30.1, 95.4]", "4"],
        ["accuracy_released", "-", "0"],
        ["refusal_rate", "0.0 [0.0, 49.0]", "4"],
        ["unparsed_rate", "0.0 [0.0, 49.0]", "4"],
        ["accuracy_vlmevalkit", "-", "0"],
        ["accuracy_vlmevalkit_2026_06", "-", "0"],
    ]
    assert notes.splitlines() == [
        "docs 4",
        (
            "accuracy_released, accuracy_vlmevalkit, accuracy_vlmevalkit_2026_06 left out:"
            " withheld: 0 of 4 answers have a score, fewer than 99%"
        ),
        f"signature: {run.signature.text}",
    ]


def cells(table: str) -> list[list[str]]:
    """The cells of a Markdown table, its rule left out."""
    head, _, *rows = (
        [cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines()
    )
    return [head, *rows]


def test_several_runs_are_printed_whole() -> None:
    """One column each with its judge below the model, then the notes run by run."""
    table, *notes = as_text([judged("m"), judged("n", "openai:b", 0.9)], "md").split("\n\n")
    assert cells(table)[:2] == [
        ["t", "m judge openai:a", "n judge openai:b"],
        ["l3score", "40.0 [0.4, 99.2]", "60.0 [0.6, 99.7]"],
    ]
    assert [part.partition("\n")[0] for part in notes] == [
        "m: docs 2, judged 2",
        "n: docs 2, judged 2",
    ]


def test_rows_are_in_natural_units() -> None:
    """A row per metric, with None where there is no value or no interval."""
    run = run_of(choices([True, True, True, False]), "m", "t")
    first, _, second, *_ = rows([run])
    text = run.signature.text
    assert (round(first.pop("low"), 5), round(first.pop("high"), 5)) == (0.30064, 0.95441)
    about = {**first, "metric": "accuracy", "group": "all"}
    assert first == {
        **about,
        "value": 0.75,
        "n": 4,
        "questions": "4 of 4",
        "signature": text,
        "task": "t",
        "model": "m",
    }
    assert second.pop("value") is second.pop("low") is second.pop("high") is None
    assert (second["metric"], second["n"], second["questions"]) == (
        "accuracy_released",
        0,
        "4 of 4",
    )
    assert [row["model"] for row in rows([run, replace(run, label="z")])][-1] == "z"


SPLITS = ("cs_fig2cap", "general_fig2cap")


@pytest.fixture
def runs(tmp_path: Path) -> list[Run]:
    """A model that is right on 2 of 4 questions of CS and on 3 of 4 of General."""
    for split, right in zip(SPLITS, (2, 3), strict=True):
        samples = choice_samples([place < right for place in range(4)])
        tasks = {f"scifibench_{split}": samples}
        settings = {f"scifibench_{split}": "prompt=letter"}
        write_run(
            tmp_path / split,
            "m",
            tasks,
            settings=settings,
            stamp=split,
            benchmark="scifibench",
            split=split,
        )
    return own_runs([RunPath(tmp_path)], Selection(partial=True))[0]


def test_both_subsets_and_their_mean_stand_in_one_row(runs: list[Run]) -> None:
    """The measured row first, with intervals; the mean is over both tasks, which are of one
    size.
    """
    found = {(each["source"], each["model"], each["task"]): each["value"] for each in records(runs)}
    own = [found["measured", "m", f"scifibench_{name}"] for name in (*SPLITS, "fig2cap")]
    assert own == [0.5, 0.75, 0.625]
    header, _, first, *_ = (
        line.strip("| ").split() for line in paper_table(runs, "md").splitlines()
    )
    assert [name for name in header if name != "|"] == [
        "model",
        "source",
        *(f"scifibench_{name}" for name in (*SPLITS, "fig2cap")),
    ]
    assert [word for word in first if word != "|"][:3] == ["m", "measured", "50.0"]
    assert first[-1] == "62.5"


def test_one_subset_is_not_the_overall_mean(runs: list[Run]) -> None:
    """A model that was run on one subset has no overall accuracy beside one that was run on both,
    nor alone.

    Alone it has no published one beside it, either.
    """
    other = replace(runs[0], label="q")
    for several, models in (([*runs, other], {"m"}), ([other], set())):
        found = [record for record in records(several) if record["source"] == "measured"]
        assert {
            record["model"] for record in found if record["task"] == "scifibench_fig2cap"
        } == models
    assert all(record["task"] == other.task for record in records([other]))


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
    found = {
        (each["model"], each["task"]): each["value"]
        for each in records(runs)
        if each["source"] != "measured"
    }
    assert found == pytest.approx(printed)


def test_the_columns_are_those_of_the_papers_table(
    real_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SPIQA's Table 3 in its order, one row a model, without the rows of other tables; LaTeX has
    no intervals.
    """
    monkeypatch.setenv("SPIQA_TASKS_DATA", str(real_data))
    found = [scored("spiqa_testA"), scored("spiqa_testB")]
    runs = [
        replace(run, path=Path(f"{name}.jsonl"), partial=True)
        for name, run in zip("ab", found, strict=True)
    ]
    given = [[replace(run, identity=Identity(run.path.stem))] for run in runs]
    rows = of_one_model(given)
    lines = [
        [cell.strip() for cell in line.split("|")[1:-1]]
        for line in paper_table(rows, "md").splitlines()
    ]
    names = ("meteor", "rouge_l", "cider")
    assert lines[0][2:] == [
        f"spiqa_{split} {head}" for split in ("testA", "testB") for head in names
    ]
    assert lines[2][:2] == ["a + b", "measured"]
    assert lines[2][5].endswith("(19 of 228)")
    printed = {
        (str(row["model"]), str(row["split"]), str(row["metric"])): row["value"]
        for row in load("spiqa", "table3")
        if row["group"] in ("closed", "open")
    }
    splits = ("test-A", "test-B")
    for line in lines[3:]:
        values = [
            printed[line[0], split, metric]
            for split in splits
            for metric in ("meteor", "rouge_l", "cider")
        ]
        assert [float(cell) for cell in line[2:]] == values
    assert len(lines) == 3 + 12
    assert "[" not in paper_table(rows, "latex")


def test_files_of_two_models_are_two_rows() -> None:
    """Where their names tell the model, or a task was answered twice."""
    one, other = scored("spiqa_demo"), scored("mmstar_demo")
    named = [
        replace(each, identity=Identity(name), path=Path(f"{name}_x.jsonl"))
        for name, each in (("p", one), ("q", other))
    ]
    assert [run.name for run in of_one_model([[run] for run in named])] == ["p", "q"]
    twice = [replace(run, path=Path(f"{run.identity.model}.jsonl")) for run in named]
    assert [run.name for run in of_one_model([twice[:1], twice])] == ["p", "p", "q"]
    assert [run.name for run in of_one_model([[run] for run in twice])] == ["p + q"] * 2
