"""What `score` prints and writes."""

from __future__ import annotations

import json
from pathlib import Path

from spiqa_tasks.offline.output import as_json, as_text, write
from spiqa_tasks.offline.scored import Number, Scored

METRICS = {
    "l3score": Number(0.5, 2, (0.25, 0.75)),
    "request_failed_rate": Number(0.0, 2),
    "judge_failed_rate": Number(0.5, 2),
    "meteor": Number(None, 0),
}


def result(label: str = "m", judge: str | None = "openai:a", l3score: float = 0.5) -> Scored:
    """Scores of two answers."""
    samples = [{"id": key, "scores": {"l3score": score}} for key, score in (("1", l3score), ("2", 0.3))]
    metrics = {**METRICS, "l3score": Number(l3score, 2, (0.25, 0.75))}
    return Scored("t", label, judge, metrics, {"meteor": "no Java"}, {"docs": 2, "unknown": 0}, "data:x", samples)


def test_the_table_is_times_100_with_reasons_and_signature() -> None:
    """A rate of failures is a row only where something failed."""
    lines = as_text([result()]).splitlines()
    assert lines[0].split() == ["t", "x", "100", "95%", "interval", "n"]
    assert lines[2].split() == ["l3score", "50.0", "[25.0,", "75.0]", "2"]
    names = [line.split()[0] for line in lines[2:5]]
    assert names == ["l3score", "judge_failed_rate", "meteor"]
    assert lines[-3:] == ["docs 2", "meteor left out: no Java", "signature: data:x"]


def test_several_results_have_columns_agreement_and_ranks() -> None:
    """Judges are compared where there are several, models ranked where there are several."""
    results = [result("m"), result("n", l3score=0.9), result("m", "openai:b"), result("n", "openai:b", 0.9)]
    text = as_text(results)
    assert "judge openai:a" in text
    assert "Agreement of the judges" in text
    assert [line.split() for line in text.splitlines()[-2:]] == [["m", "2", "2"], ["n", "1", "1"]]
    assert "Rank by" not in as_text([result(), result(judge="openai:b")])
    found = as_json(results)
    assert [each["predictions"] for each in found["results"]] == ["m", "n", "m", "n"]
    assert found["ranks"] == {"openai:a": {"m": 2, "n": 1}, "openai:b": {"m": 2, "n": 1}}


def test_files_are_whole_and_say_whose_samples_they_hold(tmp_path: Path) -> None:
    """One result: the samples as they are; several: each with its predictions and judge. No parts are left."""
    samples, scores = write([result()], tmp_path / "one")
    assert [json.loads(line)["id"] for line in samples.read_text().splitlines()] == ["1", "2"]
    assert json.loads(scores.read_text()) == as_json([result()])
    several, _ = write([result("m"), result("n")], tmp_path / "two")
    told = [(line["predictions"], line["judge"]) for line in map(json.loads, several.read_text().splitlines())]
    assert told == [("m", "openai:a")] * 2 + [("n", "openai:a")] * 2
    assert len(list((tmp_path / "two").iterdir())) == 2
