"""Zip archives of SPIQA: only the members asked for are extracted, once, into the cache."""

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
from spiqa_tasks.files.atomic import cache_folder, cache_path, write_atomically
from spiqa_tasks.files.source import SPIQA, Source
from spiqa_tasks.printable import counted

# Separates an archive and its member in the path of a picture that is not extracted yet.
PACKED = "::"


def archive_folder(
    source: Source, archive: str, wanted: Collection[str], *, some: bool = False
) -> Path:
    """Return the folder with the files of `wanted` (relative posix paths) in an archive of SPIQA.

    That is one beside the archive, else that of `extract`, as is `some`. Raises DataError: no
    archive and no folder, a broken archive, or a missing file.
    """
    beside = source.extracted(SPIQA, archive)
    if beside is None:
        return extract(source.files(SPIQA, archive)[0], wanted, some=some)

    # `unzip -d NAME NAME.zip` puts the archive's own top folder NAME into another one.
    nested = beside / beside.name
    folder = nested if nested.is_dir() else beside
    missing = [name for name in wanted if not (folder / name).is_file()]
    _check_missing(beside, wanted, missing, some)
    return folder


def extract(archive: Path, wanted: Collection[str], *, some: bool = False) -> Path:
    """Extract the members that end in one of `wanted` into the cache; return the folder.

    An interrupted call leaves only whole files and is completed by the next one. With `some`, one
    of them is enough.
    """
    with _named_if_broken(archive), zipfile.ZipFile(archive) as opened:
        members = _members(opened, wanted, some)
        target = _target(opened)
        missing = [name for name in members if not (target / name).is_file()]
        if missing:  # a filled cache may be read-only
            target.mkdir(parents=True, exist_ok=True)
            with FileLock(target / ".lock"):
                for name in tqdm(missing, desc=f"Extracting {archive.name}"):
                    if not (target / name).is_file():  # another process may have written it
                        write_atomically(target / name, opened.read(members[name]))
    return target


def packed_pictures(archive: Path, wanted: Collection[str]) -> dict[str, str]:
    """Return wanted name -> `archive::member`, for archives too large to extract before a run.

    Raises as `extract`.
    """
    with _named_if_broken(archive), zipfile.ZipFile(archive) as opened:
        members = _members(opened, wanted)
    return {name: f"{archive}{PACKED}{info.filename}" for name, info in members.items()}


def unpacked(path: str) -> str:
    """Return the file on disk: `path` itself, or the extracted picture of `archive::member`.

    Raises DataError: a broken archive.
    """
    archive, separator, member = path.partition(PACKED)
    if not separator:
        return path

    opened, folder = _opened(archive)
    # Not the member's own name, which may lead outside of the folder.
    name = hashlib.sha256(member.encode()).hexdigest()[:24]
    target = folder / f"{name}{Path(member).suffix}"
    if not target.exists():
        with _named_if_broken(Path(archive)):
            write_atomically(target, opened.read(member))
    return str(target)


def is_unsafe(name: str) -> bool:
    """Return whether a file name would leave its folder: absolute, a part `..`, or a drive."""
    parts = name.replace("\\", "/").split("/")
    return ".." in parts or ":" in parts[0] or (parts[0] == "" and len(parts) > 1)


@cache
def _opened(archive: str) -> tuple[zipfile.ZipFile, Path]:
    """Return an open archive, and the folder to which it is extracted."""
    opened = zipfile.ZipFile(archive)
    return opened, _target(opened)


def _target(opened: zipfile.ZipFile) -> Path:
    """Return the folder of an archive's extracted members, by its name and listing."""
    lines = [f"{info.filename} {info.CRC} {info.file_size}" for info in opened.infolist()]
    digest = hashlib.sha256("\n".join(lines).encode()).hexdigest()[:12]
    return cache_folder() / "images" / f"{Path(opened.filename or '').stem}-{digest}"


@contextmanager
def _named_if_broken(archive: Path) -> Iterator[None]:
    """Raise DataError with the archive's name if it is broken, or its pictures find no room."""
    try:
        yield
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError) as error:
        raise DataError(
            f"Expected {archive} to be a whole zip archive that can be unpacked, found one that "
            f"cannot ({error}). Delete it and fetch it again."
        ) from error
    except OSError as error:
        raise DataError(
            f"Expected room for the pictures of {archive.name} in {cache_path()}, found "
            f"{error.strerror or error}. Make room, or set SPIQA_TASKS_CACHE to another folder."
        ) from error


def _members(
    opened: zipfile.ZipFile, wanted: Collection[str], some: bool = False
) -> dict[str, zipfile.ZipInfo]:
    """Return wanted name -> member; the archive may have folders above it."""
    # Of two members of one name the last counts, as for every program that unpacks archives.
    members = {info.filename: info for info in opened.infolist()}
    depths = {name.count("/") + 1 for name in wanted}

    by_tail: dict[str, zipfile.ZipInfo] = {}
    for name, info in members.items():
        for depth in depths:
            tail = "/".join(name.rsplit("/", depth)[-depth:])
            by_tail.setdefault(tail, info)

    missing = [name for name in wanted if name not in by_tail]
    _check_missing(opened.filename, wanted, missing, some)
    return {name: by_tail[name] for name in wanted if name in by_tail}


def _check_missing(
    archive: object, wanted: Collection[str], missing: Collection[str], some: bool
) -> None:
    """Raise DataError if files are missing from an archive; with `some`, only if all are."""
    if missing and not (some and len(missing) < len(wanted)):
        raise DataError(
            f"Expected {archive} to hold what the annotations name, found "
            f"{counted(len(missing), 'file')} missing, the first is {next(iter(missing))}. Fetch "
            "the archive again, at the revision of the annotations."
        )
