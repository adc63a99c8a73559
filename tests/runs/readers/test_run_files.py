"""What `score --output` wrote, read again."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.errors import InputError
from spiqa_tasks.offline.output import write
from spiqa_tasks.offline.score_files import written_scores
from spiqa_tasks.offline.scored import Number, Scored


def scored(label: str, judge: str | None, texts: list[str], task: str = "spiqa_demo") -> Scored:
    """A result whose answers are these texts; their mean length is a metric, and one is withheld."""
    records = [Record(f"p/{place}", text, scores={"length": float(len(text))}) for place, text in enumerate(texts)]
    samples = [
        {"id": record.id, "prediction": f"whole {record.prediction}", "scores": {}, "record": record.as_dict()}
        for record in records
    ]
    metrics = {"length": Number(sum(map(len, texts)) / len(texts), len(texts)), "cider": Number(None, 0)}
    return Scored(task, label, judge, metrics, {"cider": "no Java"}, {}, "", samples)


@pytest.mark.parametrize(
    "results",
    [
        [scored("m", None, ["a", "bb"])],
        [scored(label, judge, [label, judge]) for label in ("m", "other") for judge in ("x", "yy")],
    ],
)
def test_every_answer_comes_back(tmp_path: Path, results: list[Scored]) -> None:
    """File by file and judge by judge, with the whole answers and the metrics that were not withheld."""
    write(results, tmp_path / "deep" / "folder")
    found = written_scores(tmp_path)
    assert [(each.task, each.label, each.judge) for each in found] == [
        (result.task, result.label, result.judge) for result in results
    ]
    for each, result in zip(found, results, strict=True):
        assert each.path == tmp_path / "deep" / "folder" / "spiqa_demo_samples.jsonl"
        assert each.records == [Record.from_dict(sample["record"]) for sample in result.samples]
        assert each.responses == {sample["id"]: sample["prediction"] for sample in result.samples}
        assert each.metrics == {"length": result.metrics["length"].value}


def test_a_file_or_a_folder_can_be_named(tmp_path: Path) -> None:
    """Every task below a folder is there; other files are nobody's scores."""
    for task in ("spiqa_demo", "spiqa_testA"):
        write([scored("m", None, ["a"], task)], tmp_path)
    assert [each.task for each in written_scores(tmp_path)] == ["spiqa_demo", "spiqa_testA"]
    assert [each.task for each in written_scores(tmp_path / "spiqa_testA_scores.json")] == ["spiqa_testA"]
    assert written_scores(tmp_path / "spiqa_testA_samples.jsonl") == []
    (tmp_path / "empty").mkdir()
    assert written_scores(tmp_path / "empty") == []


def without_record(line: dict[str, Any]) -> str:
    """What an older version wrote."""
    return json.dumps({key: value for key, value in line.items() if key != "record"})


@pytest.mark.parametrize("fault", ["missing", "cut", "older", "no samples", "scores", "no object"])
def test_what_score_did_not_write_is_refused(tmp_path: Path, fault: str) -> None:
    """One sentence that says what to do."""
    scores, samples = tmp_path / "spiqa_demo_scores.json", tmp_path / "spiqa_demo_samples.jsonl"
    write([scored("m", None, ["a", "b"])], tmp_path)
    text = samples.read_text()
    if fault == "missing":
        samples.unlink()
    elif fault == "scores":
        scores.write_text("[]")
    else:
        changed = {"cut": text[:-9], "older": without_record(json.loads(text.splitlines()[0])), "no object": "3\n"}
        samples.write_text(changed.get(fault, ""))
    with pytest.raises(InputError) as error:
        written_scores(tmp_path)
    assert re.fullmatch(
        rf"Expected {re.escape(str(scores))} and {samples.name} to be what `spiqa-tasks score --output` wrote; found "
        r"[^\n]+\. Score the answers again with --output\.",
        str(error.value),
    )
