"""Zip archives of pictures: only the members asked for are extracted, once, into the cache."""

import hashlib
import zipfile
import zlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from filelock import FileLock
from tqdm import tqdm

from spiqa_tasks.errors import DataError
from spiqa_tasks.files.atomic import cache_folder, write_atomically
from spiqa_tasks.files.source import Repository, Source
from spiqa_tasks.printable import counted

PACKED = "::"
"""Separates an archive and its member in the path of a picture that is not extracted yet."""


def picture_folder(
    source: Source,
    repository: Repository,
    archive: str,
    wanted: Collection[str],
    *,
    some: bool = False,
) -> Path:
    """Return the folder with the files of `wanted` (relative posix paths): one beside the archive, else as `extract`.

    Raises DataError: no archive and no folder, a broken archive, or a missing file.
    """
    beside = source.folder(repository, archive.removesuffix(".zip"))
    if beside is None:
        return extract(source.files(repository, archive)[0], wanted, some=some)
    nested = beside / beside.name
    folder = nested if nested.is_dir() else beside
    _check_missing(beside, wanted, [name for name in wanted if not (folder / name).is_file()], some)
    return folder


def extract(archive: Path, wanted: Collection[str], *, some: bool = False) -> Path:
    """Extract the members that end in one of `wanted` into the cache; return the folder that has them.

    An interrupted call leaves only whole files and is completed by the next one. With `some`, one of them is enough.
    """
    with _named_if_broken(archive), zipfile.ZipFile(archive) as opened:
        members = _members(opened, wanted, some)
        target = _target(opened)
        target.mkdir(parents=True, exist_ok=True)
        with FileLock(target / ".lock"):
            missing = {
                name: info for name, info in members.items() if not (target / name).is_file()
            }
            for name, info in tqdm(
                missing.items(), desc=f"Extracting {archive.name}", disable=not missing
            ):
                write_atomically(target / name, opened.read(info))
    return target


def packed_pictures(archive: Path, wanted: Collection[str]) -> dict[str, str]:
    """Return wanted name -> `archive::member`, for archives too large to extract before a run; raises as `extract`."""
    with _named_if_broken(archive), zipfile.ZipFile(archive) as opened:
        members = _members(opened, wanted)
    return {name: f"{archive}{PACKED}{info.filename}" for name, info in members.items()}


def unpacked(path: str) -> str:
    """Return the file on disk: `path` itself, or the extracted picture of `archive::member`; DataError: broken."""
    archive, separator, member = path.partition(PACKED)
    if not separator:
        return path
    opened, folder = _opened(archive)
    target = (
        folder / f"{hashlib.sha256(member.encode()).hexdigest()[:24]}{Path(member).suffix}"
    )  # never outside of it
    if not target.exists():
        with _named_if_broken(Path(archive)):
            write_atomically(target, opened.read(member))
    return str(target)


def is_unsafe(name: str) -> bool:
    """Return whether a file name would leave its folder: it is absolute, has a part `..`, or names a drive."""
    parts = name.replace("\\", "/").split("/")
    return ".." in parts or ":" in parts[0] or (parts[0] == "" and len(parts) > 1)


@cache
def _opened(archive: str) -> tuple[zipfile.ZipFile, Path]:
    opened = zipfile.ZipFile(archive)
    return opened, _target(opened)


def _target(opened: zipfile.ZipFile) -> Path:
    listing = "\n".join(
        f"{info.filename} {info.CRC} {info.file_size}" for info in opened.infolist()
    )
    name = f"{Path(opened.filename or '').stem}-{hashlib.sha256(listing.encode()).hexdigest()[:12]}"
    return cache_folder() / "images" / name


@contextmanager
def _named_if_broken(archive: Path) -> Iterator[None]:
    try:
        yield
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError) as error:
        raise DataError(
            f"Expected {archive} to be a whole zip archive that can be unpacked, found one that cannot ({error}). "
            "Delete it and fetch it again."
        ) from error


def _members(
    opened: zipfile.ZipFile, wanted: Collection[str], some: bool = False
) -> dict[str, zipfile.ZipInfo]:
    """Wanted name -> member; the archive may have folders above it."""
    depths = {name.count("/") + 1 for name in wanted}
    by_tail: dict[str, zipfile.ZipInfo] = {}
    for info in opened.infolist():
        for depth in depths:
            by_tail.setdefault("/".join(info.filename.rsplit("/", depth)[-depth:]), info)
    _check_missing(opened.filename, wanted, [name for name in wanted if name not in by_tail], some)
    return {name: by_tail[name] for name in wanted if name in by_tail}


def _check_missing(
    place: object, wanted: Collection[str], missing: Collection[str], some: bool
) -> None:
    if missing and not (some and len(missing) < len(wanted)):
        raise DataError(
            f"Expected {place} to hold what the annotations name, found {counted(len(missing), 'file')} missing, "
            f"the first is {next(iter(missing))}. Fetch the archive again, at the revision of the annotations."
        )
