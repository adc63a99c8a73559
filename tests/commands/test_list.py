"""`list`."""

import json
from pathlib import Path

import pytest
from filter_runs import write_kept

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
    rows = rows_for_scoring("mmstar", "demo", "")
    listed = write_kept(tmp_path / "kept.json", "mmstar_demo", rows, range(5))
    assert main(["filter", "--ids", str(listed), "--write", "--name", "few"]) == 0
    capsys.readouterr()
    assert main(["list", "--json"]) == 0
    tasks = {task["name"]: task for task in json.loads(capsys.readouterr().out)["tasks"]}
    assert tasks["few"]["questions"] == 5


def test_the_folder_of_the_yamls(capsys: pytest.CaptureFixture[str]) -> None:
    """`--folder` prints it alone."""
    assert main(["list", "--folder"]) == 0
    folder = Path(capsys.readouterr().out.strip())
    assert (folder / "spiqa" / "spiqa_testA.yaml").is_file()
