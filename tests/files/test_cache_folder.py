"""The folder of what may be made again."""

from __future__ import annotations

from pathlib import Path

import platformdirs
import pytest

from spiqa_tasks.errors import DataError
from spiqa_tasks.files.cache_folder import cache_folder, cache_path


def test_the_variable_names_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`~` is the home folder; without the variable, or with an empty one, it is the platform's cache folder."""
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_path({"SPIQA_TASKS_CACHE": "~/x"}) == tmp_path / "x"
    assert cache_path({}) == cache_path({"SPIQA_TASKS_CACHE": ""}) == platformdirs.user_cache_path("spiqa-tasks")


def test_the_folder_is_made_when_it_is_needed(tmp_path: Path) -> None:
    """The path alone makes nothing; what cannot be made says which variable to set."""
    environ = {"SPIQA_TASKS_CACHE": str(tmp_path / "a" / "b")}
    assert not cache_path(environ).exists()
    assert cache_folder(environ).is_dir()
    assert cache_folder(environ) == tmp_path / "a" / "b"
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match="SPIQA_TASKS_CACHE"):
        cache_folder({"SPIQA_TASKS_CACHE": str(tmp_path / "file" / "below")})
