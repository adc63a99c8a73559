"""Runs as flat records."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from report_runs import choices, run_of, runs_at

from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.report import exports
from spiqa_tasks.report.forms import as_csv
from spiqa_tasks.runs.run import Run


@pytest.fixture(scope="module")
def runs(two_runs: Path) -> list[Run]:
    """Two runs of two benchmarks."""
    return runs_at(two_runs)


def test_csv_and_json_are_the_same_flat_records(runs: list[Run]) -> None:
    """One per model, task, metric and group, with its signature; the values are those of the answers."""
    records = json.loads(exports.as_json(runs))
    reader = csv.DictReader(io.StringIO(as_csv(exports.records(runs))))
    lines = list(reader)
    assert tuple(reader.fieldnames or ()) == exports.FIELDS
    texts = [{name: "" if value is None else str(value) for name, value in record.items()} for record in records]
    assert lines == texts
    keys = [(record["model"], record["task"], record["metric"], record["group"]) for record in records]
    assert len(set(keys)) == len(keys)
    known = [record for record in records if record["metric"] == "accuracy"]
    by_key = {(record["model"][-1], record["task"], record["group"]): record for record in known}
    of_math = by_key["a", "mmstar_demo", "math"]
    assert (of_math["value"], of_math["n"]) == (1.0, 4)
    assert by_key["b", "mmstar_demo", "all"]["value"] is None


def test_the_headline_is_told_by_group_and_the_others_overall() -> None:
    """Natural units with the ends of Wilson's interval, and null where a number is withheld."""
    run = run_of(choices([True, True, True, False]), "m", "t")
    records = exports.records([run])
    assert [(record["metric"], record["group"]) for record in records] == [
        ("accuracy", "all"),
        ("accuracy", "math"),
        ("accuracy_released", "all"),
    ]
    first, _, withheld = records
    assert (first["value"], first["n"]) == (0.75, 4)
    assert (first["low"], first["high"]) == pytest.approx((0.30064, 0.95441), abs=1e-5)
    assert [withheld[name] for name in ("value", "low", "high", "n")] == [None, None, None, 0]
    assert (first["benchmark"], first["split"], first["signature"]) == ("mmstar", "val", run.signature.text)


def test_texts_stay_as_they_are() -> None:
    """JSON is not escaped to ASCII, and CSV quotes what it must."""
    run = run_of([Record("q", scores={"accuracy": 1.0}, groups={"category": 'é, "x"'})])
    assert 'é, \\"x\\"' in exports.as_json([run])
    assert 'é, "x"' in [line["group"] for line in csv.DictReader(io.StringIO(as_csv(exports.records([run]))))]
