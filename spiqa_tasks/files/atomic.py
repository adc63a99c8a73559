"""Files that are there whole or not at all."""

from __future__ import annotations

import os
import uuid
from pathlib import Path


def write_atomically(path: Path, content: bytes) -> None:
    """Write `content` to `path` so that nobody ever sees a part of it; make the folders above it.

    Several processes, also on machines that share the folder, may write one path at a time: the last one wins, with
    its whole content. On any failure the file is as it was before. Raises OSError where the folder cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{uuid.uuid4().hex}.part")
    try:
        temporary.write_bytes(content)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
