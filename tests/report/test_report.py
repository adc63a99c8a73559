"""What a report says, from the command line: files, sections, exports, runs of `score --output`."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from host_files import write_demo_run
from openai_server import Behaviour, OpenAIServer, agreeing

from spiqa_tasks.benchmarks.registry import rows_for_scoring
from spiqa_tasks.cli import main
from spiqa_tasks.metrics import coco_java, text_scores

JUDGES = {"strict": (-0.1, -2.4), "mild": (-0.6, -0.8)}


def verdict(strict: tuple[float, float]) -> Callable[[str], list[tuple[str, float]]]:
    """A judge that says yes to equal answers, more or less surely by the length of the question."""

    def judge(prompt: str) -> list[tuple[str, float]]:
        (first, _), (second, _), *_ = agreeing(prompt)
        high, low = strict[0] - len(prompt) % 7 / 50, strict[1]
        return [(first, high), (second, low), ("a", -9.0), ("b", -9.1), ("c", -9.2)]

    return judge


@pytest.fixture
def judges(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Two judges at local servers, and no Java."""
    monkeypatch.setenv("SPIQA_JUDGE_API_KEY", "EMPTY")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(coco_java, "has_java", lambda: False)
        servers = [OpenAIServer(Behaviour(verdict=verdict(JUDGES[name]))).start() for name in JUDGES]
        yield [f"openai:{name}@{server.url}" for name, server in zip(JUDGES, servers, strict=True)]
        for server in servers:
            server.stop()
    text_scores.forget()


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """Two runs of two benchmarks: one right on all questions, one refusing the first and failing the second."""
    texts = {0: "I'm sorry, I cannot see the image.", 1: "[LMMS_EVAL_REQUEST_FAILED after 3 retries] gone"}
    for name, task in (("mmstar", "mmstar_demo"), ("scifibench", "scifibench_demo")):
        write_demo_run(tmp_path / "runs" / name / "a", "a", lambda _, row: row["answer"], task, name)
        answer = lambda place, row: texts.get(place, row["answer"])  # noqa: E731
        write_demo_run(tmp_path / "runs" / name / "b", "b", answer, task, name)
    return tmp_path / "runs"


def test_the_command_writes_the_page_and_prints_its_path(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without options it is report.html in this folder."""
    monkeypatch.chdir(tmp_path)
    assert main(["report", str(runs)]) == 0
    assert capsys.readouterr().out.splitlines() == [str(tmp_path / "report.html")]
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert text.count("<svg") >= 4
    for outside in ('src="http', 'href="http', "url(http", "@import"):
        assert outside not in text.partition('id="data"')[0]


def test_the_markdown_has_every_table(runs: Path, tmp_path: Path) -> None:
    """Headlines with intervals, groups, differences, coverage and signatures."""
    path = tmp_path / "report.md"
    assert main(["report", str(runs), "--markdown", str(path)]) == 0
    text = path.read_text(encoding="utf-8")
    for title in ("## Overview", "### accuracy by category", "### Paired differences", "## Coverage", "## Signatures"):
        assert title in text
    assert "100.0 \\[86.2, 100.0\\]" in text
    assert "The paper prints no row for this split and setting." in text
    assert not (tmp_path / "report.html").exists()


def test_csv_and_json_are_the_same_flat_records(runs: Path, tmp_path: Path) -> None:
    """One per model, task, metric and group, with its signature; the values are those of the answers."""
    assert main(["report", str(runs), "--csv", str(tmp_path / "r.csv"), "--json", str(tmp_path / "r.json")]) == 0
    records: list[dict[str, Any]] = json.loads((tmp_path / "r.json").read_text())
    with (tmp_path / "r.csv").open(newline="") as file:
        lines = list(csv.DictReader(file))
    assert [line["signature"] for line in lines] == [record["signature"] for record in records]
    keys = [(record["model"], record["task"], record["metric"], record["group"]) for record in records]
    assert len(set(keys)) == len(keys)
    known = [record for record in records if record["metric"] == "accuracy"]
    by_key = {(record["model"][-1], record["task"], record["group"]): record for record in known}
    of_math = by_key["a", "mmstar_demo", "math"]
    assert (of_math["value"], of_math["n"]) == (1.0, 4)
    assert by_key["b", "mmstar_demo", "all"]["value"] is None


def test_coverage_tells_what_became_of_every_answer(runs: Path, tmp_path: Path) -> None:
    """The refusal and the failed request are counted, and the reason of the failure is there."""
    path = tmp_path / "report.md"
    assert main(["report", str(runs), "--task", "mmstar_demo", "--markdown", str(path)]) == 0
    table = path.read_text(encoding="utf-8").partition("## Coverage")[2]
    line = next(line for line in table.splitlines() if "version=b" in line)
    cells = [cell.strip() for cell in line.split("|")[3:-1]]
    assert cells == ["24", "22", "0", "0", "1", "0", "-", "0", "1", "0", "0", "0"]
    assert "REQUEST" in table


def test_the_card_has_a_line_per_run_and_task(runs: Path, tmp_path: Path) -> None:
    """With the interval and the signature."""
    assert main(["report", str(runs), "--card", str(tmp_path / "card.md")]) == 0
    lines = (tmp_path / "card.md").read_text().splitlines()
    assert len(lines) == 2 + 4
    assert all("spiqa-tasks:" in line for line in lines[2:])


def test_what_score_wrote_is_reported_with_the_judges_agreement(
    judges: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two judges of the same answers are two runs, named by judge, with their correlation as `score` tells it."""
    rows = rows_for_scoring("spiqa", "demo", "")
    answers = [{"id": row["id"], "prediction": row["answer"][: 5 + place]} for place, row in enumerate(rows)]
    (tmp_path / "model.jsonl").write_text("".join(json.dumps(answer) + "\n" for answer in answers))
    named = [part for judge in judges for part in ("--judge", judge)]
    output = ["--output", str(tmp_path / "scored"), "--json"]
    assert main(["score", "spiqa_demo", str(tmp_path / "model.jsonl"), *named, *output]) == 0
    told = json.loads(capsys.readouterr().out)
    path = tmp_path / "report.md"
    json_path = tmp_path / "report.json"
    assert main(["report", str(tmp_path / "scored"), "--markdown", str(path), "--json", str(json_path)]) == 0
    records = json.loads(json_path.read_text())
    found = {r["judge"]: r["value"] for r in records if (r["metric"], r["group"]) == ("l3score", "all")}
    expected = {result["judge"].partition("@")[0]: result["metrics"]["l3score"] for result in told["results"]}
    assert found == pytest.approx(expected)
    (agreement,) = told["agreement"]
    section = path.read_text(encoding="utf-8").partition("Agreement of judges")[2]
    assert f"{agreement['spearman']:.3f}" in section
    assert not math.isnan(agreement["spearman"])


def test_a_folder_without_runs_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It says what was expected, found, and what to do."""
    assert main(["report", str(tmp_path)]) == 2
    told = capsys.readouterr().err
    assert told.startswith("spiqa-tasks: Expected a result file of lmms-eval or a folder with some")
    assert told.count("\n") == 1


def test_real_questions_stand_beside_the_papers_rows(
    real_data: Path, tmp_path: Path, judges: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Answers to all of SPIQA's test-A are shown with Table 3 and Table 6, measured and published in rows apart."""
    monkeypatch.setenv("SPIQA_TASKS_DATA", str(real_data))
    rows = rows_for_scoring("spiqa", "testA", "")
    lines = [json.dumps({"id": row["id"], "prediction": row["answer"]}) + "\n" for row in rows]
    (tmp_path / "model.jsonl").write_text("".join(lines))
    output = ["--output", str(tmp_path / "scored")]
    assert main(["score", "spiqa_testA", str(tmp_path / "model.jsonl"), "--judge", judges[0], *output]) == 0
    path = tmp_path / "report.md"
    page = tmp_path / "report.html"
    assert main(["report", str(tmp_path / "scored"), "--markdown", str(path), "--html", str(page)]) == 0
    text = path.read_text(encoding="utf-8")
    published = [line for line in text.splitlines() if "published, Table 3" in line and "GPT-4 Vision" in line]
    assert len(published) == 1
    assert "GPT-4o" in published[0]
    assert "measured" not in published[0]
    assert "published, Table 6" in text
    assert page.stat().st_size > 500_000
