"""`list`."""

import json
from pathlib import Path

import pytest
from host_files import sample_of, write_run

from spiqa_tasks.benchmarks.registry import rows_for_scoring
from spiqa_tasks.cli import main


def test_list_json_has_every_task_with_questions_and_metrics(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The machine-readable catalogue says what each task is."""
    assert main(["list", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    tasks = {task["name"]: task for task in listed["tasks"]}
    assert "spiqa_testB_cot" in listed["groups"]["spiqa_cot"]
    assert tasks["spiqa_testA"]["questions"] == 666
    assert "l3score" in tasks["spiqa_testA"]["metrics"]


def test_a_filtered_task_is_listed_with_its_questions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As the host runs it by its name."""
    pytest.importorskip("lmms_eval", reason="lmms-eval is not installed")
    settings = {"mmstar_demo": "prompt=letter,ablation=text"}
    rows = rows_for_scoring("mmstar", "demo", settings["mmstar_demo"])
    samples = [
        sample_of(row, "none" if place < 5 else row["answer"]) for place, row in enumerate(rows)
    ]
    write_run(tmp_path, "llm", {"mmstar_demo": samples}, settings=settings, split="demo")
    assert main(["filter", str(tmp_path), "--write", "--name", "few"]) == 0
    capsys.readouterr()
    assert main(["list", "--json"]) == 0
    tasks = {task["name"]: task for task in json.loads(capsys.readouterr().out)["tasks"]}
    assert tasks["few"]["questions"] == 5


def test_the_folder_of_the_yamls(capsys: pytest.CaptureFixture[str]) -> None:
    """`--folder` prints it alone."""
    assert main(["list", "--folder"]) == 0
    folder = Path(capsys.readouterr().out.strip())
    assert (folder / "spiqa" / "spiqa_testA.yaml").is_file()
