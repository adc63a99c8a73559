"""`path`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from spiqa_tasks.benchmarks.registry import yaml_folder
from spiqa_tasks.cli import main
from spiqa_tasks.hosts.filtered_tasks import INCLUDE


def test_path_is_the_yaml_folder(capsys: pytest.CaptureFixture[str]) -> None:
    """`path` prints a folder that holds the YAMLs."""
    assert main(["path"]) == 0
    assert Path(capsys.readouterr().out.strip()) == yaml_folder()
    assert list(yaml_folder().glob("spiqa/spiqa_testA.yaml"))


def test_path_as_json_has_the_folder_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The object names the package's folder and those that the user has named."""
    monkeypatch.setenv(INCLUDE, str(tmp_path))
    assert main(["path", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["path"] == str(yaml_folder())
    assert printed["folders"] == [str(yaml_folder()), str(tmp_path)]
