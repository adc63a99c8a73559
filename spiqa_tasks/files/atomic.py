"""Files written whole or not at all, and the folder of files that may be made or fetched again."""

import os
import tempfile
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import platformdirs

from spiqa_tasks.errors import DataError, InputError


def check_folder(folder: Path) -> None:
    """Raise InputError unless files can be written in a folder, which need not exist."""
    parents = (folder, *folder.absolute().parents)
    existing = next(path for path in parents if path.exists())
    try:
        with tempfile.TemporaryFile(dir=existing):
            pass
    except OSError as error:
        raise InputError(
            f"Expected a folder at {folder} that can be written, "
            f"found {error.strerror or error}. Name another one."
        ) from error


def write_atomically(path: Path, content: bytes) -> None:
    """Write `content` to `path` as `written_atomically` does."""
    with written_atomically(path) as file:
        file.write(content)


@contextmanager
def written_atomically(path: Path) -> Iterator[BinaryIO]:
    """Open `path` to be replaced at once when the block ends; on a failure it stays as it was.

    Makes the folders above it. Of several processes, also on machines that share the folder, the
    last one wins. A link stays a link to the file, which is replaced; devices and pipes are written
    directly. Raises OSError.
    """
    if path.exists() and not path.is_file():
        with path.open("wb") as file:
            yield file
        return
    path = path.resolve()
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{uuid.uuid4().hex}.part")
    try:
        with temporary.open("wb") as file:
            yield file
        os.replace(temporary, path)
    except OSError as error:
        error.filename, error.filename2 = str(path), None
        raise
    finally:
        temporary.unlink(missing_ok=True)


def cache_path(environ: Mapping[str, str] = os.environ) -> Path:
    """Return the folder that `SPIQA_TASKS_CACHE` names (`~` expanded), else the platform's."""
    root = environ.get("SPIQA_TASKS_CACHE") or platformdirs.user_cache_dir("spiqa-tasks")
    return Path(os.path.expanduser(root))


def cache_folder() -> Path:
    """Return the folder of `cache_path`, made if missing; DataError if it cannot be made."""
    path = cache_path()
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(
            f"Expected a writable cache folder at {path}: {error}. Set SPIQA_TASKS_CACHE."
        ) from error
    return path
