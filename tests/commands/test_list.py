"""`list`."""

import json
import sys
from pathlib import Path

import pytest
from filter_runs import write_kept

from spiqa_tasks.benchmarks.registry import rows_for_scoring
from spiqa_tasks.cli import main


def test_list_json_has_every_task_with_questions_metrics_and_data(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The machine-readable catalogue says what each task is and whether its data is there."""
    assert main(["list", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    tasks = {task["name"]: task for task in listed["tasks"]}
    assert "spiqa_testB_cot" in listed["groups"]["spiqa_cot"]
    assert tasks["spiqa_testA"]["questions"] == 666
    assert "l3score" in tasks["spiqa_testA"]["metrics"]
    assert tasks["spiqa_demo"]["data"] is True
    assert tasks["mmstar_filtered"]["data"] is False


def test_list_sees_local_data(
    real_data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With SPIQA_TASKS_DATA the catalogue looks into that folder."""
    monkeypatch.setenv("SPIQA_TASKS_DATA", str(real_data))
    main(["list", "--json"])
    tasks = {task["name"]: task["data"] for task in json.loads(capsys.readouterr().out)["tasks"]}
    assert tasks["scifibench_cs_fig2cap"] is True
    assert tasks["spiqa_testA"] is False


def test_without_the_client_of_the_hub_all_tasks_are_listed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where the metric alone is installed, no data is there."""
    monkeypatch.delenv("SPIQA_TASKS_DATA", raising=False)
    for module in ("huggingface_hub", "huggingface_hub.constants"):
        monkeypatch.setitem(sys.modules, module, None)
    assert main(["list", "--json"]) == 0
    tasks = {task["name"]: task["data"] for task in json.loads(capsys.readouterr().out)["tasks"]}
    assert tasks["spiqa_demo"] is True
    assert tasks["spiqa_testA"] is False


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
