"""The host's view of a task, without its command: table, prompts, scores, and what its summary
is told.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.vlmevalkit.tasks import message, rows_of

pytest.importorskip(
    "vlmeval.dataset.image_base", reason="VLMEvalKit is not installed", exc_type=ImportError
)
TASK = "mmstar_demo_text"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The host keeps pictures below this folder; no judge is asked."""
    monkeypatch.setenv("LMUData", str(tmp_path))
    monkeypatch.setenv("SPIQA_JUDGE", "none")


def _dataset(name: str = TASK) -> Any:
    from spiqa_tasks.hosts.vlmevalkit.dataset import SpiqaTasks

    return SpiqaTasks(name)


def _write(path: Path, answers: dict[str, str]) -> Path:
    lines = "".join(f'"{key}"\t"{text}"\n' for key, text in answers.items())
    path.write_text(f'"index"\t"prediction"\n{lines}')
    return path


def test_the_table_has_a_line_for_each_question() -> None:
    """Its key as a text, the question and the answer; of SPIQA the file names of the figures in
    the order shown.
    """
    dataset, rows = _dataset(), rows_of(TASK)
    expected = [
        {"index": row["id"], "question": row["question"], "answer": row["answer"]} for row in rows
    ]
    assert dataset.data.to_dict("records") == expected
    assert dataset.dataset_name == TASK
    figures = _dataset("spiqa_demo").data["figures"]
    shown = [[figure["file"] for figure in row["figures"]] for row in rows_of("spiqa_demo")]
    assert list(map(json.loads, figures)) == shown
    assert {TASK, "spiqa_demo"} <= set(dataset.supported_datasets())


def test_a_line_has_the_prompt_of_its_question() -> None:
    """By its number or as the line itself."""
    dataset, rows = _dataset(), rows_of(TASK)
    assert dataset.build_prompt(3) == message(rows[3])
    assert dataset.build_prompt(dataset.data.iloc[5]) == message(rows[5])


def test_answers_are_scored_and_written_beside_the_hosts_file(tmp_path: Path) -> None:
    """The values are those of the file, the headline first; the model is named as the host's
    file is.
    """
    rows = rows_of(TASK)
    path = _write(tmp_path / f"a_model_{TASK}.tsv", {row["id"]: row["answer"] for row in rows})
    found = _dataset().evaluate(str(path), model="exact_matching", nproc=4)
    assert next(iter(found)) == "accuracy"
    assert (found["accuracy"], found["accuracy/math"], found["refusal_rate"]) == (1.0, 1.0, 0.0)
    (written,) = tmp_path.glob("*_results.json")
    content = json.loads(written.read_text())
    assert (content["config"]["model"], content["config"]["model_args"]) == (
        "a_model",
        "host=vlmevalkit",
    )
    assert content["spiqa_tasks"][TASK]["counts"]["docs"] == len(rows)
    assert content["results"][TASK]["accuracy,none"] == 1.0


def test_without_a_judge_no_text_metric_stands_for_l3score(tmp_path: Path) -> None:
    """The host's summary has no number for SPIQA; the text metrics are in its file."""
    rows = rows_of("spiqa_demo")
    path = _write(tmp_path / "m_spiqa_demo.tsv", {row["id"]: row["answer"] for row in rows})
    dataset = _dataset("spiqa_demo")
    found = dataset.evaluate(str(path))
    assert found["rouge_l"] == 1.0
    assert dataset.report_primary_metric(found) == {"l3score": None}


@pytest.mark.parametrize("named", [{"model": "gpt-4o"}, {"api_base": "http://h"}, {"key": "k"}])
def test_a_judge_among_the_hosts_arguments_is_refused(
    tmp_path: Path, named: dict[str, str]
) -> None:
    """As run.py hands it on: the answers stay, and nobody takes another judge's scores for its."""
    path = _write(tmp_path / "m_spiqa_demo.tsv", {rows_of("spiqa_demo")[0]["id"]: "A"})
    with pytest.raises(InputError, match="set SPIQA_JUDGE="):
        _dataset("spiqa_demo").evaluate(str(path), nproc=4, **named)


def test_a_withheld_headline_is_marked_and_the_reason_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The host would take the next number for it. The log has one line for all metrics, and none
    for groups.
    """
    path = _write(tmp_path / f"m_{TASK}.tsv", {rows_of(TASK)[0]["id"]: "A"})
    dataset = _dataset()
    found = dataset.evaluate(str(path))
    assert list(found)[:2] == ["accuracy_withheld", "accuracy"]
    assert {name: value for name, value in found.items() if value is not None} == {
        "accuracy_withheld": 1
    }
    (line,) = [line for line in caplog.messages if "ithheld" in line]
    reason = "1 of 24 questions were answered, fewer than 99%"
    assert line.startswith(f"Withheld, as {reason}: accuracy, accuracy_released, ")
    assert line.endswith(". `spiqa-tasks score` on the folder says more.")
    assert "accuracy/" not in line
    assert dataset.report_primary_metric({"accuracy_withheld": 1, "refusal_rate": 0.5}) == {
        "accuracy": None
    }


def test_the_hosts_summary_has_the_number_of_failed_judgements(tmp_path: Path) -> None:
    """Of the file of the run; not known where none was written."""
    dataset, path = _dataset(), tmp_path / f"m_{TASK}.tsv"
    assert dataset.report_judge_err(path, total_samples=9, model="x") == {
        "failed": None,
        "total": 9,
    }
    results = {"spiqa_tasks": {TASK: {"counts": {"judge_failed": 3}}}}
    (tmp_path / "20260101_000000_results.json").write_text(json.dumps(results))
    (tmp_path / f"20260101_000000_samples_{TASK}.jsonl").touch()
    assert dataset.report_judge_err(str(path), total_samples=None) == {"failed": 3, "total": None}
