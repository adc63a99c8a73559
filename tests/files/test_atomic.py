"""Files that are there whole or not at all."""

import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import platformdirs
import pytest

from spiqa_tasks.errors import DataError, InputError
from spiqa_tasks.files.atomic import (
    cache_folder,
    cache_path,
    check_folder,
    write_atomically,
)


def test_content_is_written_into_new_folders_and_replaces_what_was_there(tmp_path: Path) -> None:
    """Folders above the file are made, an older content is replaced, and nothing else is left."""
    path = tmp_path / "a" / "b" / "file"
    write_atomically(path, b"older and longer")
    write_atomically(path, b"new\r\n\xff")
    assert path.read_bytes() == b"new\r\n\xff"
    assert [*path.parent.iterdir()] == [path]


def test_readers_and_writers_at_a_time_see_whole_contents_only(tmp_path: Path) -> None:
    """While threads overwrite one file, every read gives the whole content of one of them."""
    path = tmp_path / "file"
    contents = [bytes([number]) * 200_000 for number in range(8)]
    write_atomically(path, contents[0])
    with ThreadPoolExecutor(8) as pool:
        writes = [pool.submit(write_atomically, path, content) for content in contents * 10]
        seen = {path.read_bytes() for _ in range(100)}
        for write in writes:
            write.result()
    assert seen <= set(contents)
    assert [*tmp_path.iterdir()] == [path]


def test_a_failure_leaves_the_folder_as_it_was(tmp_path: Path) -> None:
    """Where the path cannot be replaced, here because it is a folder, the error is raised and no
    part stays.
    """
    (tmp_path / "taken").mkdir()
    with pytest.raises(OSError) as error:  # noqa: PT011 - its message is the platform's
        write_atomically(tmp_path / "taken", b"content")
    assert (error.value.filename, error.value.filename2) == (str(tmp_path / "taken"), None)
    assert [*tmp_path.iterdir()] == [tmp_path / "taken"]
    assert [*(tmp_path / "taken").iterdir()] == []


@pytest.mark.skipif(os.name != "posix", reason="pipes by name are POSIX")
def test_a_pipe_is_written_to_and_a_link_stays_one(tmp_path: Path) -> None:
    """As `--samples /dev/stdout` is: what the name stands for gets the content, and the name
    keeps its meaning.
    """
    pipe, file, link = tmp_path / "pipe", tmp_path / "file", tmp_path / "link"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as pool:
        read = pool.submit(pipe.read_bytes)
        write_atomically(pipe, b"content")
        assert read.result() == b"content"
    assert pipe.is_fifo()
    link.symlink_to(file)
    write_atomically(link, b"new")
    assert link.is_symlink()
    assert file.read_bytes() == b"new"


@pytest.mark.skipif(os.name != "posix", reason="file modes are POSIX")
def test_the_file_has_the_mode_of_any_new_file(tmp_path: Path) -> None:
    """Others may read a shared cache: the mode is what the umask gives, not that of a private
    temporary file.
    """
    (tmp_path / "plain").write_bytes(b"")
    write_atomically(tmp_path / "atomic", b"")
    assert stat.S_IMODE((tmp_path / "atomic").stat().st_mode) == stat.S_IMODE(
        (tmp_path / "plain").stat().st_mode
    )


def test_places_to_write_are_checked(tmp_path: Path) -> None:
    """A file in the place of a folder is said before anything is done."""
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(InputError, match="can be written"):
            check_folder(place)
    check_folder(tmp_path / "new" / "folder")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_the_variable_names_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`~` is the home folder; without the variable, or with an empty one, it is the platform's
    cache folder.
    """
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_path({"SPIQA_TASKS_CACHE": "~/x"}) == tmp_path / "x"
    assert (
        cache_path({})
        == cache_path({"SPIQA_TASKS_CACHE": ""})
        == platformdirs.user_cache_path("spiqa-tasks")
    )


def test_the_folder_is_made_when_it_is_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The path alone makes nothing; what cannot be made says which variable to set."""
    monkeypatch.setenv("SPIQA_TASKS_CACHE", str(tmp_path / "a" / "b"))
    assert not cache_path().exists()
    assert cache_folder().is_dir()
    assert cache_folder() == tmp_path / "a" / "b"
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("SPIQA_TASKS_CACHE", str(tmp_path / "file" / "below"))
    with pytest.raises(DataError, match="SPIQA_TASKS_CACHE"):
        cache_folder()
