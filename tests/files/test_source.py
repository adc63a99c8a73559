"""Where files come from."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hub_server import COMMIT, Hub, running_hub

from spiqa_tasks.errors import DataError
from spiqa_tasks.files.source import MMSTAR, SCIFIBENCH, SPIQA, HubSource, LocalSource, default_source, fingerprint


def test_unset_variable_means_the_hub() -> None:
    """Without SPIQA_TASKS_DATA files come from the hub."""
    assert isinstance(default_source({}), HubSource)


def test_variable_that_names_no_folder_is_an_error_with_the_remedy(tmp_path: Path) -> None:
    """A wrong SPIQA_TASKS_DATA is refused, and the message says what to do."""
    with pytest.raises(DataError, match="Correct the variable, or unset it"):
        default_source({"SPIQA_TASKS_DATA": str(tmp_path / "absent")})


def test_missing_file_names_the_command_that_fetches_it(tmp_path: Path) -> None:
    """The message for a missing file holds repository, revision and target folder."""
    with pytest.raises(DataError) as error:
        LocalSource(tmp_path).files(SPIQA, "test-A/SPIQA_testA.json")
    assert "hf download google/spiqa" in str(error.value)
    assert SPIQA.revision in str(error.value)
    assert str(tmp_path / "spiqa") in str(error.value)


def test_hub_that_cannot_be_reached_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any failure of the hub's client becomes a DataError that names SPIQA_TASKS_DATA."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(DataError, match="set SPIQA_TASKS_DATA"):
        HubSource().files(MMSTAR, "mmstar.parquet")


def test_fingerprint_depends_on_the_content_alone(tmp_path: Path) -> None:
    """Equal bytes under another name have the same fingerprint, other bytes another."""
    for name, content in (("a", b"x"), ("b", b"x"), ("c", b"y")):
        (tmp_path / name).write_bytes(content)
    one, same, other = (fingerprint([tmp_path / name]) for name in "abc")
    assert one == same != other


@pytest.fixture
def hub() -> Iterator[str]:
    """A hub of our own; `Hub.fetched` says what was fetched from it."""
    with running_hub() as url:
        yield url


def prepare(hub: str, home: Path, *tasks: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "HF_ENDPOINT": hub, "HF_HOME": str(home), "HF_HUB_DISABLE_XET": "1"}
    command = [sys.executable, "-m", "spiqa_tasks.cli", "prepare", *tasks]
    return subprocess.run(command, env=environment, capture_output=True, text=True)


def test_only_the_files_that_a_task_needs_are_fetched_at_the_pinned_revision(hub: str, tmp_path: Path) -> None:
    """Annotations and one archive for SPIQA, one parquet set at the branch's commit; a second run fetches nothing."""
    done = prepare(hub, tmp_path, "spiqa_testA", "scifibench_cs_fig2cap")
    assert done.returncode == 0, done.stderr
    assert "spiqa_testA: 39 questions, 31 pictures, ready" in done.stdout
    assert sorted(Hub.fetched) == sorted(
        [
            (SPIQA.repo_id, SPIQA.revision, "test-A/SPIQA_testA.json"),
            (SPIQA.repo_id, SPIQA.revision, "test-A/SPIQA_testA_Images.zip"),
            (SCIFIBENCH.repo_id, COMMIT, "data/CS_Figure2Caption-00000-of-00001.parquet"),
        ]
    )
    Hub.fetched.clear()
    assert prepare(hub, tmp_path, "spiqa_testA").returncode == 0
    assert Hub.fetched == []


def test_file_that_the_hub_lacks_is_one_sentence_with_status_2(hub: str, tmp_path: Path) -> None:
    """A missing file names the dataset and the way around, without a traceback."""
    done = prepare(hub, tmp_path, "spiqa_testB")
    assert done.returncode == 2
    assert "google/spiqa" in done.stderr
    assert "SPIQA_TASKS_DATA" in done.stderr
    assert "Traceback" not in done.stderr
