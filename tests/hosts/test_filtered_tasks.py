"""The folder of the tasks that `spiqa-tasks filter` wrote."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from spiqa_tasks.errors import InputError
from spiqa_tasks.files.atomic import cache_path
from spiqa_tasks.hosts.filtered_tasks import INCLUDE, KEPT, filtered_tasks, included_folders, user_folder


def _write(name: str, listing: str) -> Path:
    """A filtered task with this content of its list of kept questions."""
    folder = user_folder() / name
    folder.mkdir(parents=True)
    (folder / KEPT).write_text(listing)
    return folder


def _source(path: Path) -> str:
    path.write_text("task: source\n")
    return json.dumps({"source_yaml": str(path), "kept": []})


def test_they_lie_in_the_cache_which_need_not_exist() -> None:
    """Where nothing was written there are none, and looking makes no folder."""
    assert user_folder() == cache_path() / "tasks"
    assert filtered_tasks() == []
    assert not user_folder().exists()


def test_all_whose_source_is_there_are_found_by_name(tmp_path: Path) -> None:
    """In the order of their names; a folder without a list is no task."""
    listing = _source(tmp_path / "source.yaml")
    folders = [_write(name, listing) for name in ("b", "a", "c")]
    (user_folder() / "other").mkdir()
    assert filtered_tasks() == sorted(folders)


def test_a_task_whose_source_is_gone_is_left_out_with_a_line(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The line names both; the others are found, and the task is found again when its source is back."""
    gone, there = tmp_path / "gone.yaml", tmp_path / "there.yaml"
    first, second = _write("a", _source(gone)), _write("b", _source(there))
    gone.unlink()
    assert filtered_tasks() == [second]
    assert f"The task in {first} is left out, its source {gone} is gone." in caplog.messages
    gone.mkdir()
    assert filtered_tasks() == [second]
    gone.rmdir()
    _source(gone)
    assert filtered_tasks() == [first, second]


@pytest.mark.parametrize("listing", ["no json", "[]", "{}", '{"source_yaml": 5}', "[" * 200_000])
def test_a_list_that_cannot_be_read_leaves_its_task_out_with_a_line(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, listing: str
) -> None:
    """Whatever it holds instead, the other tasks are found."""
    broken, good = _write("a", listing), _write("b", _source(tmp_path / "source.yaml"))
    assert filtered_tasks() == [good]
    (line,) = caplog.messages
    assert line.startswith(f"The task in {broken} is left out, its {KEPT} cannot be read: ")


def test_a_listing_is_read_as_utf_8(tmp_path: Path) -> None:
    """Whatever the machine's own encoding is."""
    source = tmp_path / "größe.yaml"
    source.touch()
    folder = _write("a", json.dumps({"source_yaml": str(source)}, ensure_ascii=False))
    assert filtered_tasks() == [folder]


def test_a_variable_names_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Several as in PATH, in their order, `~` for the home; none where it is not set, and one that is gone is named."""
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    monkeypatch.setenv("HOME", str(tmp_path))
    listed = os.pathsep.join([str(tmp_path / "b"), "", "~/a"])
    assert included_folders({"SPIQA_TASKS_INCLUDE": listed}) == [tmp_path / "b", tmp_path / "a"]
    assert included_folders({}) == included_folders({INCLUDE: ""}) == []
    with pytest.raises(InputError) as caught:
        included_folders({INCLUDE: os.pathsep.join([str(tmp_path), "gone"])})
    assert str(caught.value) == (
        "Expected SPIQA_TASKS_INCLUDE to name folders with YAMLs of tasks, found gone. Correct it."
    )
