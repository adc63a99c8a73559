"""A model's rows beside a paper's main table."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from host_files import choice_samples, write_run

from spiqa_tasks.published import load
from spiqa_tasks.report.paper_table import records, render
from spiqa_tasks.runs.loading import Wanted, own_runs
from spiqa_tasks.runs.places import Place
from spiqa_tasks.runs.run import Run

SPLITS = ("cs_fig2cap", "general_fig2cap")


@pytest.fixture
def runs(tmp_path: Path) -> list[Run]:
    """A model that is right on 2 of 4 questions of CS and on 3 of 4 of General."""
    for split, right in zip(SPLITS, (2, 3), strict=True):
        samples = choice_samples([place < right for place in range(4)])
        tasks = {f"scifibench_{split}": samples}
        settings = {f"scifibench_{split}": "prompt=letter"}
        write_run(tmp_path / split, "m", tasks, settings=settings, stamp=split, benchmark="scifibench", split=split)
    return own_runs([Place(tmp_path)], Wanted(partial=True))[0]


def test_both_subsets_and_their_mean_stand_in_one_row(runs: list[Run]) -> None:
    """The measured row first, with intervals; the mean is over both tasks, which are of one size."""
    found = {(each["source"], each["model"], each["task"]): each["value"] for each in records(runs)}
    own = [found["measured", "m", f"scifibench_{name}"] for name in (*SPLITS, "fig2cap")]
    assert own == [0.5, 0.75, 0.625]
    header, _, first, *_ = render(records(runs), "text").splitlines()
    assert header.split() == ["model", "source", "judge", *(f"scifibench_{name}" for name in (*SPLITS, "fig2cap"))]
    assert first.split()[:4] == ["m", "measured", "-", "50.0"]
    assert first.split()[-1] == "62.5"


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
    rows = json.loads(render(found, "json"))
    assert len(rows) == len(list(csv.DictReader(io.StringIO(render(found, "csv"))))) == len(found)
    mean = next(row for row in rows if (row["source"], row["task"]) == ("measured", "scifibench_fig2cap"))
    assert (mean["value"], mean["low"]) == (0.625, None)
