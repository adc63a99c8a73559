"""The command line: what it prints, and its exit status."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from spiqa_tasks.benchmarks.registry import yaml_folder
from spiqa_tasks.cli import main


def test_list_json_has_every_task_with_questions_metrics_and_data(capsys: pytest.CaptureFixture[str]) -> None:
    """The machine-readable catalogue says what each task is and whether its data is there."""
    assert main(["list", "--json"]) == 0
    tasks = {task["name"]: task for task in json.loads(capsys.readouterr().out)["tasks"]}
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


def test_path_is_the_yaml_folder(capsys: pytest.CaptureFixture[str]) -> None:
    """`path` prints a folder that holds the YAMLs."""
    assert main(["path"]) == 0
    assert Path(capsys.readouterr().out.strip()) == yaml_folder()
    assert list(yaml_folder().glob("spiqa/spiqa_testA.yaml"))


def test_prepare_checks_the_shipped_data(capsys: pytest.CaptureFixture[str]) -> None:
    """The demo tasks are ready at once, and the counts are printed."""
    assert main(["prepare", "spiqa_demo", "mmstar_demo"]) == 0
    printed = capsys.readouterr().out
    assert "spiqa_demo: 39 questions, 31 pictures, ready" in printed
    assert "mmstar_demo: 24 questions, 24 pictures, ready" in printed


def test_prepare_goes_on_after_a_task_without_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One task without data is reported on stderr with status 2; the others are prepared all the same."""
    monkeypatch.setenv("SPIQA_TASKS_DATA", str(tmp_path))
    assert main(["prepare", "spiqa_testB", "mmstar_demo"]) == 2
    printed = capsys.readouterr()
    assert "mmstar_demo: 24 questions" in printed.out
    assert "spiqa_testB: Expected" in printed.err


def test_unknown_task_names_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    """A misspelt task is status 2 and one sentence with what was probably meant."""
    assert main(["prepare", "spiqa_testa"]) == 2
    assert "spiqa_testA" in capsys.readouterr().err


def test_wrong_data_folder_is_status_2(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A data folder that is none is refused by every command that needs it."""
    monkeypatch.setenv("SPIQA_TASKS_DATA", "/does/not/exist")
    assert main(["list"]) == 2
    assert "SPIQA_TASKS_DATA" in capsys.readouterr().err


def test_doctor_reports_what_is_missing(capsys: pytest.CaptureFixture[str]) -> None:
    """Without any data the doctor says so and ends with status 3."""
    assert main(["doctor"]) == 3
    printed = capsys.readouterr().out
    assert "ok       registration" in printed
    assert "missing  data of mmstar" in printed


def test_command_starts_fast() -> None:
    """The installed command runs, and `path` loads neither torch nor the host."""
    code = (
        "import sys; from spiqa_tasks.cli import main; main(['path']); "
        "print(sorted({'torch', 'lmms_eval'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
