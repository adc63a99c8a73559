"""Watch lmms-eval in a subprocess."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
from pathlib import Path

from spiqa_tasks.printable import progress

# Between two looks at the log: often enough for a bar that people watch.
POLL_SECONDS = 2.0

# Of the log's end: several states of a bar, which tqdm writes one behind the other.
_TAIL_BYTES = 4096

_TQDM_BAR = re.compile(rb"% *\|[^|\r\n]*\| *(\d+)/(\d+) \[")


def watched(process: subprocess.Popen[bytes], log: Path, doing: str) -> int:
    """Wait for a process, saying how far the last bar in its log is; return its exit status.

    Before the first bar, while the host is imported, the seconds are shown.
    """
    position = (b"0", b"0")
    with progress(doing) as show:
        while True:
            with contextlib.suppress(subprocess.TimeoutExpired):
                return process.wait(POLL_SECONDS)

            bars = _TQDM_BAR.findall(_tail(log))
            position = bars[-1] if bars else position
            show(*map(int, position))


def _tail(log: Path) -> bytes:
    with log.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(-min(size, _TAIL_BYTES), os.SEEK_END)
        return file.read()
