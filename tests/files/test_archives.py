"""Zip archives: extracted once, atomically, or refused in one clear sentence."""

import errno
import os
import zipfile
from pathlib import Path

import pytest

from spiqa_tasks.errors import DataError
from spiqa_tasks.files import archives
from spiqa_tasks.files.archives import archive_folder, extract, is_unsafe, packed_pictures, unpacked
from spiqa_tasks.files.atomic import cache_folder
from spiqa_tasks.files.source import LocalSource

WANTED = ["p1/a.png", "p1/b.png"]


def archive(folder: Path, members: dict[str, bytes], name: str = "pictures.zip") -> Path:
    """Write a zip archive of members; return its path."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as opened:
        for member, content in members.items():
            opened.writestr(member, content)
    return path


@pytest.mark.parametrize("prefix", ["", "SPIQA_testA_Images/", "some/where/"])
def test_members_are_found_below_any_folder_of_the_archive(tmp_path: Path, prefix: str) -> None:
    """The archive may put folders above the wanted names; others are not extracted."""
    path = archive(tmp_path, {prefix + name: name.encode() for name in [*WANTED, "p2/c.png"]})
    folder = extract(path, WANTED)
    assert [(folder / name).read_bytes() for name in WANTED] == [b"p1/a.png", b"p1/b.png"]
    assert not list(folder.rglob("c.png"))


@pytest.mark.parametrize("fault", [errno.ENOSPC, errno.EROFS])
def test_a_cache_that_takes_no_picture_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: int
) -> None:
    """A full disk or a folder that is only read: which folder it is, and how to name another."""

    def refuse(*_: object) -> None:
        raise OSError(fault, os.strerror(fault))

    path = archive(tmp_path, dict.fromkeys(WANTED, b"content"))
    (packed, *_) = packed_pictures(path, WANTED).values()
    monkeypatch.setattr(archives, "write_atomically", refuse)
    for unpack in (lambda: extract(path, WANTED), lambda: unpacked(packed)):
        with pytest.raises(DataError) as error:
            unpack()
        assert str(error.value) == (
            f"Expected room for the pictures of pictures.zip in {cache_folder()}, found "
            f"{os.strerror(fault)}. Make room, or set SPIQA_TASKS_CACHE to another folder."
        )


def test_second_extraction_reads_nothing_and_completes_what_is_missing(tmp_path: Path) -> None:
    """Files that are there stay untouched; a file lost in between comes back."""
    path = archive(tmp_path, dict.fromkeys(WANTED, b"content"))
    folder = extract(path, WANTED)
    kept, lost = (folder / name for name in WANTED)
    before = kept.stat().st_mtime_ns
    lost.unlink()
    assert extract(path, WANTED) == folder
    assert kept.stat().st_mtime_ns == before
    assert lost.read_bytes() == b"content"


def test_a_filled_cache_need_not_be_writable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is locked where nothing is missing."""
    path = archive(tmp_path, dict.fromkeys(WANTED, b"content"))
    folder = extract(path, WANTED)

    def refuse(_: Path) -> None:
        raise PermissionError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(archives, "FileLock", refuse)
    assert extract(path, WANTED) == folder
    (folder / WANTED[0]).unlink()
    with pytest.raises(DataError, match=r"found Read-only file system\. Make room, or set"):
        extract(path, WANTED)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_the_last_of_two_members_of_one_name_counts(tmp_path: Path) -> None:
    """Extracted at once or one by one; of two folders with the same file it is the first."""
    path = tmp_path / "pictures.zip"
    with zipfile.ZipFile(path, "w") as opened:
        for member, content in (("x/a.png", "old"), ("y/a.png", "other"), ("x/a.png", "new")):
            opened.writestr(member, content)
    assert (extract(path, ["a.png"]) / "a.png").read_bytes() == b"new"
    packed = packed_pictures(path, ["a.png"])
    assert packed == {"a.png": f"{path}::x/a.png"}
    assert Path(unpacked(packed["a.png"])).read_bytes() == b"new"


def test_figure_that_the_archive_lacks_is_named(tmp_path: Path) -> None:
    """The first missing figure and the archive are in the message."""
    path = archive(tmp_path, {"p1/a.png": b""})
    with pytest.raises(DataError, match=r"pictures\.zip.*the first is p1/b\.png"):
        extract(path, WANTED)


def test_archive_with_damaged_content_is_refused(tmp_path: Path) -> None:
    """A member whose bytes do not match their checksum is never written."""
    path = archive(tmp_path, dict.fromkeys(WANTED, b"x" * 1000))
    content = bytearray(path.read_bytes())
    content[200] ^= 0xFF
    path.write_bytes(bytes(content))
    with pytest.raises(DataError, match=r"Bad CRC-32.*Delete it and fetch it again"):
        extract(path, WANTED)


@pytest.mark.parametrize("nested", [False, True])
def test_folder_beside_the_archive_is_taken(tmp_path: Path, nested: bool) -> None:
    """An extracted folder is used as it is, with or without the archive's own folder in it."""
    folder = tmp_path / "spiqa/test-A/Images" / ("Images" if nested else ".")
    for name in WANTED:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    found = archive_folder(LocalSource(tmp_path), "test-A/Images.zip", WANTED)
    assert all((found / name).is_file() for name in WANTED)


def test_packed_pictures_are_extracted_when_they_are_asked_for(tmp_path: Path) -> None:
    """A packed path names archive and member; unpacking extracts that one, and leaves ordinary
    paths as they are.
    """
    path = archive(tmp_path, {f"top/{name}": name.encode() for name in WANTED})
    packed = packed_pictures(path, WANTED)
    assert packed == {name: f"{path}::top/{name}" for name in WANTED}
    assert not list((cache_folder() / "images").rglob("*.png"))
    assert Path(unpacked(packed[WANTED[0]])).read_bytes() == b"p1/a.png"
    assert len(list((cache_folder() / "images").rglob("*.png"))) == 1
    assert unpacked("/some/where.png") == "/some/where.png"


def test_a_broken_archive_is_refused_with_the_reason_wherever_it_is_opened(tmp_path: Path) -> None:
    """As packed pictures are named, and as one of them is unpacked."""
    path = archive(tmp_path, dict.fromkeys(WANTED, b"x" * 1000), "broken.zip")
    packed = packed_pictures(path, WANTED)
    content = bytearray(path.read_bytes())
    content[200] ^= 0xFF
    path.write_bytes(bytes(content))
    with pytest.raises(
        DataError,
        match=r"broken\.zip to be a whole zip archive.*\(Bad CRC-32 for file 'p1/a\.png'\)",
    ):
        unpacked(packed[WANTED[0]])
    path.write_bytes(bytes(content[:700]))
    with pytest.raises(
        DataError, match=r"broken\.zip to be a whole zip archive.*\(File is not a zip file\)"
    ):
        packed_pictures(path, WANTED)


@pytest.mark.parametrize(
    "name", ["/a", "..", "a/..", "../a", "..\\a", "\\\\server\\a", "C:\\a", "c:a", "a:b/c"]
)
def test_a_name_that_leaves_its_folder_is_unsafe(name: str) -> None:
    """Absolute, upwards, or on another drive, as Unix or as Windows writes it."""
    assert is_unsafe(name)


@pytest.mark.parametrize("name", ["", "a", "a/b.png", "a..b.png", "...", "a\\b.png", "a/b:c.png"])
def test_any_other_name_is_safe(name: str) -> None:
    """Two points within a part, and a colon below a folder, lead nowhere else."""
    assert not is_unsafe(name)


@pytest.mark.parametrize("packed", [False, True])
def test_some_pictures_are_enough_where_that_is_said(tmp_path: Path, packed: bool) -> None:
    """In a folder and in an archive; otherwise the first of those that are missing is named, and
    at least one is.
    """
    place = tmp_path / "spiqa/test-A"
    if packed:
        archive(place, {WANTED[0]: b"a"}, "Images.zip")
    else:
        (place / "Images/p1").mkdir(parents=True)
        (place / "Images" / WANTED[0]).write_bytes(b"a")
    asked = LocalSource(tmp_path), "test-A/Images.zip"
    assert (archive_folder(*asked, WANTED, some=True) / WANTED[0]).read_bytes() == b"a"
    with pytest.raises(DataError, match=r"found 1 file missing, the first is p1/b\.png"):
        archive_folder(*asked, WANTED)
    with pytest.raises(DataError, match=r"found 1 file missing, the first is p1/b\.png"):
        archive_folder(*asked, WANTED[1:], some=True)
