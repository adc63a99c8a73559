"""`spiqa-tasks score --calibration` on the shipped data, with a judge at a local server."""

import json
from pathlib import Path
from typing import Any

import pytest
from openai_server import Behaviour, OpenAIServer
from run_command import run_json

from spiqa_tasks.benchmarks.registry import rows_for_scoring
from spiqa_tasks.cli import main


@pytest.fixture
def rows() -> list[dict[str, Any]]:
    """The demo's 39 questions with answers, of which every third is wrong and the judge is wrong about every tenth."""
    return [
        {"id": row["id"], "question": row["question"], "reference": row["answer"]}
        | {
            "prediction": "no idea" if place % 3 == 0 or place % 10 == 5 else row["answer"],
            "label": place % 3 > 0,
        }
        for place, row in enumerate(rows_for_scoring("spiqa", "demo", ""))
    ]


@pytest.fixture
def command(tmp_path: Path, rows: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch) -> Any:
    """Score the answers by the local judge, with labels of those named."""
    answers, labels = tmp_path / "answers.jsonl", tmp_path / "labels.jsonl"
    answers.write_text(
        "\n".join(json.dumps({"id": row["id"], "prediction": row["prediction"]}) for row in rows)
    )
    with OpenAIServer(Behaviour()) as server:
        monkeypatch.setenv("SPIQA_TASKS_CACHE", str(tmp_path / "cache"))

        def made(labelled: list[dict[str, Any]]) -> list[Any]:
            labels.write_text("\n".join(map(json.dumps, labelled)))
            judge = ("--judge", f"openai:one@{server.url}", "--metrics", "l3score")
            return ["score", "spiqa_demo", str(answers), *judge, "--calibration", str(labels)]

        yield made


def test_the_corrected_mean_stands_beside_the_raw_one(
    command: Any, rows: list[dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    """Both numbers of answers in JSON and table; labels of other answers are left out."""
    others = [{**row, "prediction": "something else", "label": not row["label"]} for row in rows]
    status, found, _ = run_json(capsys, *command([*rows[:32], *others]))
    made = found["calibrated"]
    assert (status, made["metric"], made["n"], made["labelled"]) == (0, "l3score", 39, 32)
    assert 0.4 < made["low"] < made["value"] < made["high"] < 0.9
    assert 0 < made["weight"] < 1
    assert found["metrics"]["l3score"] == pytest.approx(
        run_json(capsys, *command(rows))[1]["metrics"]["l3score"]
    )
    assert main(command(rows[:32])) == 0
    table = capsys.readouterr().out.splitlines()
    (raw,), (people,) = (
        [line for line in table if line.startswith(name)]
        for name in ("l3score  ", "l3score as people")
    )
    assert f"{100 * found['metrics']['l3score']:.1f}" in raw
    assert f"{100 * made['value']:.1f}" in people
    assert "39, 32 labelled" in people


def test_labels_that_are_too_few_or_of_other_answers_are_refused(
    command: Any, rows: list[dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    """In a sentence with both numbers, before the judge is asked."""
    for labels, found in (
        (rows[:12], "found 12 among the 12"),
        ([{**rows[0], "prediction": "x"}] * 50, "found 0 among"),
    ):
        assert main(command(labels)) == 2
        assert found in capsys.readouterr().err
