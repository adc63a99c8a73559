"""Zip archives of pictures: extracted once into the cache, only the members asked for, each written atomically."""

from __future__ import annotations

import hashlib
import lzma
import zipfile
import zlib
from collections.abc import Collection
from functools import cache
from pathlib import Path, PurePosixPath

from filelock import FileLock
from tqdm import tqdm

from spiqa_tasks.errors import DataError
from spiqa_tasks.files.atomic import cache_folder, write_atomically
from spiqa_tasks.files.source import Repository, Source
from spiqa_tasks.printable import counted

BROKEN = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, RuntimeError, NotImplementedError)
"""What opening and unpacking raise for a damaged, an encrypted and an unusually packed archive."""
LARGEST_MEMBER = 256 << 20
"""Bytes of the largest picture that is unpacked; no released one comes near."""
PACKED = "::"
"""Between an archive and its member in the path of a picture that is not extracted yet."""


def picture_folder(
    source: Source, repository: Repository, archive: str, wanted: Collection[str], *, some: bool = False
) -> Path:
    """Return the folder below which every file of `wanted` (relative posix paths) lies.

    An extracted folder beside the archive is taken as it is; else the archive's wanted members are extracted.

    Args:
        source, repository, archive: where to look.
        wanted: the files.
        some: whether one of them is enough.

    Raises:
        DataError: no archive and no folder, a broken archive, an unsafe member, or a wanted file that is not there.
    """
    beside = source.folder(repository, archive.removesuffix(".zip"))
    if beside is not None:
        return _folder_with(beside, wanted, some)
    return extract(source.files(repository, archive)[0], wanted, some=some)


def extract(archive: Path, wanted: Collection[str], *, some: bool = False) -> Path:
    """Extract the members of `archive` that end in one of `wanted` into the cache; return the folder that has them.

    An interrupted call leaves only whole files and is completed by the next one. With `some`, one of them is enough.
    """
    try:
        with zipfile.ZipFile(archive) as opened:
            members = _members(opened, archive, wanted, some)
            target = cache_folder() / "images" / f"{archive.stem}-{_digest(opened)}"
            target.mkdir(parents=True, exist_ok=True)
            with FileLock(target / ".lock"):
                missing = {name: info for name, info in members.items() if not _is_extracted(target / name, info)}
                for name, info in tqdm(missing.items(), desc=f"Extracting {archive.name}", disable=not missing):
                    write_atomically(target / name, _unpack(opened, info))
    except BROKEN as error:
        raise _broken(archive, error) from error
    return target


def packed_pictures(archive: Path, wanted: Collection[str]) -> dict[str, str]:
    """Return wanted name -> `archive::member`, for archives too large to extract before a run; see `unpacked`.

    Raises:
        DataError: a broken archive, an unsafe member, or a wanted file that is not there.
    """
    try:
        with zipfile.ZipFile(archive) as opened:
            members = _members(opened, archive, wanted)
    except BROKEN as error:
        raise _broken(archive, error) from error
    return {name: f"{archive}{PACKED}{info.filename}" for name, info in members.items()}


def unpacked(path: str) -> str:
    """Return the file on disk: `path` itself, or the picture that `archive::member` names, extracted once.

    Raises:
        DataError: a broken archive.
    """
    archive, separator, member = path.partition(PACKED)
    if not separator:
        return path
    opened, folder = _opened(archive)
    target = folder / member
    if not target.exists():
        try:
            write_atomically(target, _unpack(opened, opened.getinfo(member)))
        except BROKEN as error:
            raise _broken(Path(archive), error) from error
    return str(target)


@cache
def _opened(archive: str) -> tuple[zipfile.ZipFile, Path]:
    """An archive held open for the life of the process, and the folder of its extracted members."""
    opened = zipfile.ZipFile(archive)
    return opened, cache_folder() / "images" / f"{Path(archive).stem}-{_digest(opened)}"


def _unpack(opened: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    """A member's content; DataError where it is too large to be a picture."""
    if info.file_size > LARGEST_MEMBER:
        raise DataError(
            f"Expected pictures of at most {LARGEST_MEMBER >> 20} MB in {opened.filename}, found {info.filename} of "
            f"{info.file_size >> 20} MB. Do not use this archive; fetch the released one."
        )
    return opened.read(info)


def _broken(archive: Path, error: Exception) -> DataError:
    return DataError(
        f"Expected {archive} to be a whole zip archive that can be unpacked, found one that cannot ({error}). "
        "Delete it and fetch it again."
    )


def _members(
    opened: zipfile.ZipFile, archive: Path, wanted: Collection[str], some: bool = False
) -> dict[str, zipfile.ZipInfo]:
    """Selection name -> member, whatever folders the archive puts above it."""
    depths = {name.count("/") + 1 for name in wanted}
    by_tail: dict[str, zipfile.ZipInfo] = {}
    for info in opened.infolist():
        if is_unsafe(info.filename):
            raise DataError(
                f"Expected the members of {archive} to stay inside their folder, found {info.filename!r}. "
                "Do not use this archive; fetch the released one."
            )
        for depth in depths:
            by_tail.setdefault("/".join(info.filename.rsplit("/", depth)[-depth:]), info)
    missing = [name for name in wanted if name not in by_tail]
    if missing and not (some and len(missing) < len(wanted)):
        raise missing_files(archive, missing)
    return {name: by_tail[name] for name in wanted if name in by_tail}


def is_unsafe(name: str) -> bool:
    """Return whether a relative file name would leave its folder: it is absolute, has a part `..`, or names a drive."""
    if not (name.startswith("/") or ".." in name or "\\" in name or ":" in name):
        return False
    path = PurePosixPath(name.replace("\\", "/"))
    return path.is_absolute() or ".." in path.parts or ":" in (path.parts[0] if path.parts else "")


def missing_files(place: Path, names: list[str]) -> DataError:
    """Return the error for files that the annotations name and `place` lacks."""
    return DataError(
        f"Expected {place} to hold what the annotations name, found {counted(len(names), 'file')} missing, "
        f"the first is {names[0]}. Fetch the archive again, at the revision of the annotations."
    )


def _folder_with(folder: Path, wanted: Collection[str], some: bool) -> Path:
    missing: list[str] = []
    for candidate in (folder / folder.name, folder):
        missing = [name for name in wanted if not (candidate / name).is_file()]
        if not missing or (some and len(missing) < len(wanted)):
            return candidate
    raise missing_files(folder, missing)


def _digest(opened: zipfile.ZipFile) -> str:
    listing = "\n".join(f"{info.filename} {info.CRC} {info.file_size}" for info in opened.infolist())
    return hashlib.sha256(listing.encode()).hexdigest()[:12]


def _is_extracted(path: Path, info: zipfile.ZipInfo) -> bool:
    return path.is_file() and path.stat().st_size == info.file_size
