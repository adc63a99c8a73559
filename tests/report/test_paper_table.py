"""A model's rows beside a paper's main table."""

from __future__ import annotations

import csv
import io
import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from answer_files import scored
from host_files import choice_samples, write_run

from spiqa_tasks.published import load
from spiqa_tasks.report.paper_table import of_one_model, paper_table, records
from spiqa_tasks.runs.identity import Identity
from spiqa_tasks.runs.loading import own_runs
from spiqa_tasks.runs.paths import RunPath
from spiqa_tasks.runs.run import Run
from spiqa_tasks.runs.selection import Selection

SPLITS = ("cs_fig2cap", "general_fig2cap")


@pytest.fixture
def runs(tmp_path: Path) -> list[Run]:
    """A model that is right on 2 of 4 questions of CS and on 3 of 4 of General."""
    for split, right in zip(SPLITS, (2, 3), strict=True):
        samples = choice_samples([place < right for place in range(4)])
        tasks = {f"scifibench_{split}": samples}
        settings = {f"scifibench_{split}": "prompt=letter"}
        write_run(tmp_path / split, "m", tasks, settings=settings, stamp=split, benchmark="scifibench", split=split)
    return own_runs([RunPath(tmp_path)], Selection(partial=True))[0]


def test_both_subsets_and_their_mean_stand_in_one_row(runs: list[Run]) -> None:
    """The measured row first, with intervals; the mean is over both tasks, which are of one size."""
    found = {(each["source"], each["model"], each["task"]): each["value"] for each in records(runs)}
    own = [found["measured", "m", f"scifibench_{name}"] for name in (*SPLITS, "fig2cap")]
    assert own == [0.5, 0.75, 0.625]
    header, _, first, *_ = (line.strip("| ").split() for line in paper_table(records(runs), "md").splitlines())
    assert [name for name in header if name != "|"] == ["model", "source", "judge", *SPLITS, "fig2cap"]
    assert [word for word in first if word != "|"][:4] == ["m", "measured", "-", "50.0"]
    assert first[-1] == "62.5"


def test_one_subset_is_not_the_overall_mean(runs: list[Run]) -> None:
    """A model that was run on one subset has no overall accuracy beside one that was run on both, nor alone."""
    other = replace(runs[0], label="q")
    for several, models in (([*runs, other], {"m"}), ([other], set())):
        found = [record for record in records(several) if record["source"] == "measured"]
        assert {record["model"] for record in found if record["task"] == "scifibench_fig2cap"} == models


def test_the_published_rows_are_those_of_table_2(runs: list[Run]) -> None:
    """Every printed accuracy of figure to caption with adversarial negatives, the overall ones too."""
    names = {"CS": "scifibench_cs_fig2cap", "General": "scifibench_general_fig2cap", "Overall": "scifibench_fig2cap"}
    printed = {
        (str(row["model"]), names[str(row["subset"])]): float(row["value"] or 0) / 100
        for row in load("scifibench", "table2")
        if (row["task"], row["negatives"]) == ("figure_to_caption", "adversarial")
        and row["subset"] in names
        and row["value"] is not None
        and row["group"] != "text-only"
    }
    found = {(each["model"], each["task"]): each["value"] for each in records(runs) if each["source"] != "measured"}
    assert found == pytest.approx(printed)


def test_forms_for_programs_have_a_row_per_value(runs: list[Run]) -> None:
    """In natural units; what has no interval has none."""
    found = records(runs)
    rows = json.loads(paper_table(found, "json"))
    assert len(rows) == len(list(csv.DictReader(io.StringIO(paper_table(found, "csv"))))) == len(found)
    mean = next(row for row in rows if (row["source"], row["task"]) == ("measured", "scifibench_fig2cap"))
    assert (mean["value"], mean["low"]) == (0.625, None)


def test_the_columns_are_those_of_the_papers_table(real_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SPIQA's Table 3 in its order, one row a model, without the rows of other tables; LaTeX has no intervals."""
    monkeypatch.setenv("SPIQA_TASKS_DATA", str(real_data))
    found = [scored("spiqa_testA"), scored("spiqa_testB")]
    runs = [replace(run, path=Path(f"{name}.jsonl"), partial=True) for name, run in zip("ab", found, strict=True)]
    given = [[replace(run, identity=Identity(run.path.stem))] for run in runs]
    rows = records(of_one_model(given))
    lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in paper_table(rows, "md").splitlines()]
    assert lines[0][3:] == [f"{split} {head}" for split in ("testA", "testB") for head in ("M", "R-L", "C")]
    assert lines[2][:2] == ["a + b", "measured"]
    assert lines[2][6].endswith("(19 of 228)")
    printed = {
        (str(row["model"]), str(row["split"]), str(row["metric"])): row["value"]
        for row in load("spiqa", "table3")
        if row["group"] in ("closed", "open")
    }
    splits = ("test-A", "test-B")
    for line in lines[3:]:
        values = [printed[line[0], split, metric] for split in splits for metric in ("meteor", "rouge_l", "cider")]
        assert [float(cell) for cell in line[3:]] == values
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


def test_the_columns_are_those_of_the_main_table() -> None:
    """Of the source with most records, in its order; other sources and metrics are left out, part of a task is told."""
    nan = math.nan

    def record(model: str, source: str, task: str, metric: str, value: float, low: float = nan, part: str = "") -> Any:
        names = {"model": model, "source": source, "judge": "-", "task": task, "metric": metric}
        return {**names, "value": value, "low": low, "high": 1 - low, "questions": part}

    main, other = "published, Table 3", "published, Table 5"
    found = [
        record("m", "measured", "spiqa_testA", "mine", 0.1),
        record("m", "measured", "spiqa_testA", "l3score", 0.5, 0.25),
        record("m", "measured", "spiqa_testA", "odd_metric", 0.75, part="3 of 4"),
        record("p", main, "spiqa_testA", "odd_metric", 0.2),
        record("p", main, "spiqa_testA", "l3score", 0.3),
        record("q", other, "spiqa_testA", "l3score", 0.9),
    ]
    head, _, *rows = (
        [cell.strip() for cell in line.split("|")[1:-1]] for line in paper_table(found, "md").splitlines()
    )
    assert head == ["model", "source", "judge", "testA odd_metric", "testA L3S"]
    assert rows == [
        ["m", "measured", "-", "75.0 (3 of 4)", "50.0 [25.0, 75.0]"],
        ["p", main, "-", "20.0", "30.0"],
    ]
    assert "[25.0" not in paper_table(found, "latex")
    assert paper_table(found[1:2], "md").splitlines()[0].split("|")[4].strip() == "testA"
