"""`score RUN` and tasks of one's own: the configuration is that of the run's own record."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from host_files import sample_of, write_run
from run_command import run_json

from spiqa_tasks.benchmarks.registry import load_rows, yaml_folder

pytestmark = pytest.mark.usefixtures("no_java")
SETTINGS = "max_figures=2,seed=3"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run of a task of one's own, whose YAML is gone."""
    rows = load_rows("spiqa", "demo", f"{SETTINGS},ablation=text")
    rows = [{**row, "settings": row["settings"].replace("ablation=text", "ablation=none")} for row in rows]
    samples = {"spiqa_own": [sample_of(row, row["answer"]) for row in rows]}
    path = write_run(tmp_path / "run", "m", samples, settings={"spiqa_own": SETTINGS}, benchmark="spiqa")
    content = json.loads(path.read_text())
    content["configs"]["spiqa_own"]["test_split"] = "demo"
    path.write_text(json.dumps(content))
    return path.parent


@pytest.mark.parametrize("how", ["run", "named", "included", "shipped"])
def test_the_signature_says_what_was_run(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], how: str
) -> None:
    """Whether the run, its task's name, an included YAML or the shipped task is named, the settings are the run's."""
    arguments: dict[str, list[object]] = {
        "run": [run],
        "named": ["spiqa_own", run],
        "included": ["--include-path", tmp_path / "own", "spiqa_mine", *run.glob("*.jsonl")],
        "shipped": ["spiqa_demo", *run.glob("*.jsonl")],
    }
    (tmp_path / "own").mkdir()
    leaf = yaml_folder() / "spiqa" / "spiqa_demo.yaml"
    text = f"include: {leaf}\ntask: spiqa_mine\ndataset_name: {SETTINGS},protocol=both\n"
    (tmp_path / "own" / "mine.yaml").write_text(text)
    status, result, errors = run_json(capsys, "score", *arguments[how])
    assert status == 0, errors
    assert "setting=direct,max_figures=2,seed=3," in result["signature"]
    assert ("protocol=both" in result["signature"]) == (how == "included")
    assert ("scored as it was made" in errors) == (how == "shipped")
    assert result["metrics"]["rouge_l"] == 1


def test_a_lone_argument_that_is_no_run_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """A task without answers is told what is missing."""
    status, _, errors = run_json(capsys, "score", "spiqa_demo")
    assert status == 2
    assert "Name the answers to the task." in errors


def test_a_task_that_filter_wrote_is_scored_on_what_it_keeps(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Answers to all questions of the source: only the kept ones count, the others are named."""
    pytest.importorskip("lmms_eval", reason="lmms-eval is not installed")
    rows = load_rows("mmstar", "demo", "ablation=text")
    samples = [sample_of(row, row["answer"] if place < 6 else "no letter") for place, row in enumerate(rows)]
    write_run(tmp_path / "blind", "m", {"mmstar_demo_text": samples}, settings={"mmstar_demo_text": "ablation=text"})
    assert run_json(capsys, "filter", tmp_path / "blind", "--max-hits", 0, "--write")[0] == 0
    answers = tmp_path / "answers.jsonl"
    answers.write_text("\n".join(json.dumps({"id": row["id"], "prediction": row["answer"]}) for row in rows))
    _, found, errors = run_json(capsys, "score", "mmstar_demo_filtered", answers)
    assert found["metrics"]["accuracy"] == 1
    assert found["counts"]["docs"] == len(rows) - 6
    assert "6" in errors
