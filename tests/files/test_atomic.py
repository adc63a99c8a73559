"""Files that are there whole or not at all."""

from __future__ import annotations

import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from spiqa_tasks.errors import InputError
from spiqa_tasks.files.atomic import check_file, check_folder, write_atomically


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
    """Where the path cannot be replaced, here because it is a folder, the error is raised and no part stays."""
    (tmp_path / "taken").mkdir()
    with pytest.raises(OSError, match="taken"):
        write_atomically(tmp_path / "taken", b"content")
    assert [*tmp_path.iterdir()] == [tmp_path / "taken"]
    assert [*(tmp_path / "taken").iterdir()] == []


def test_an_error_names_the_file_that_was_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not the one that is written first and renamed, which nobody knows."""

    def refuse(self: Path, *_: object) -> None:
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(PermissionError) as raised:
        write_atomically(tmp_path / "file", b"content")
    assert raised.value.filename == str(tmp_path / "file")


@pytest.mark.skipif(os.name != "posix", reason="pipes by name are POSIX")
def test_a_pipe_is_written_to_and_a_link_stays_one(tmp_path: Path) -> None:
    """As `--samples /dev/stdout` is: what the name stands for gets the content, and the name keeps its meaning."""
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


def test_the_longest_file_name_can_be_written(tmp_path: Path) -> None:
    """The temporary name does not grow with the file's own."""
    path = tmp_path / ("x" * 255)
    write_atomically(path, b"content")
    assert path.read_bytes() == b"content"


@pytest.mark.skipif(os.name != "posix", reason="file modes are POSIX")
def test_the_file_has_the_mode_of_any_new_file(tmp_path: Path) -> None:
    """Others may read a shared cache: the mode is what the umask gives, not that of a private temporary file."""
    (tmp_path / "plain").write_bytes(b"")
    write_atomically(tmp_path / "atomic", b"")
    assert stat.S_IMODE((tmp_path / "atomic").stat().st_mode) == stat.S_IMODE((tmp_path / "plain").stat().st_mode)


def test_a_file_that_was_written_is_logged_with_its_size(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """For those who look for what a run left behind."""
    with caplog.at_level("INFO", "spiqa_tasks"):
        write_atomically(tmp_path / "a", b"12345")
    assert caplog.messages == [f"wrote {tmp_path / 'a'} (5 bytes)"]


def test_a_folder_that_can_be_written_or_made_is_fine(tmp_path: Path) -> None:
    """Nothing is made by the check, and a file in an existing folder is fine, too."""
    check_folder(tmp_path)
    check_folder(tmp_path / "new" / "below")
    check_file(tmp_path / "a.json")
    assert [*tmp_path.iterdir()] == []


def test_a_folder_below_a_file_is_refused(tmp_path: Path) -> None:
    """One sentence names the folder and what the system said about the nearest place that is there."""
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError) as error:
        check_folder(tmp_path / "file" / "below")
    assert str(error.value) == (
        f"Expected a folder at {tmp_path / 'file' / 'below'} that can be written, found Not a directory. "
        "Name another one."
    )


@pytest.mark.skipif(os.name != "posix", reason="/proc is Linux's")
def test_a_file_in_a_folder_that_cannot_be_written_is_refused() -> None:
    """Its folder is checked as `check_folder` does."""
    with pytest.raises(InputError, match=r"^Expected a folder at /proc/self that can be written, found .+\. Name"):
        check_file(Path("/proc/self/a.json"))


def test_a_file_needs_a_name_and_a_folder(tmp_path: Path) -> None:
    """A folder is no file, and the folder above it has to be there."""
    with pytest.raises(InputError) as error:
        check_file(tmp_path)
    assert str(error.value) == f"Expected a file to write at {tmp_path}, found a folder. Name a file in it."
    with pytest.raises(InputError) as error:
        check_file(tmp_path / "x" / "a")
    assert str(error.value) == (f"Expected a folder at {tmp_path / 'x'}, found none. Make it, or name another file.")
