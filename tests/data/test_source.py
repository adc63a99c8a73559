"""Where files come from."""

from __future__ import annotations

from pathlib import Path

import pytest

from spiqa_tasks.files.cache import cache_folder
from spiqa_tasks.files.source import MMSTAR, SPIQA, HubSource, LocalSource, default_source, fingerprint
from spiqa_tasks.errors import DataError


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


def test_cache_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    """A file in the place of the cache folder is reported, with the variable to set."""
    (tmp_path / "file").touch()
    with pytest.raises(DataError, match="SPIQA_TASKS_CACHE"):
        cache_folder({"SPIQA_TASKS_CACHE": str(tmp_path / "file" / "cache")})
