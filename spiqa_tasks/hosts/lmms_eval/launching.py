"""lmms-eval in a process of its own, its output in a file; one at a time in a folder."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from spiqa_tasks.errors import InputError

PATIENCE = 20.0
"""Seconds that a process has to end when this one is interrupted."""


@contextlib.contextmanager
def alone_in(folder: Path, wait: Callable[[], None]) -> Iterator[int]:
    """Hold a folder against other suites; yield the descriptor by which a started process holds it, too.

    So a run that outlives its killed suite is waited for, and nothing is asked twice.

    Args:
        folder: is made where it is not there.
        wait: called once, before the end of another suite, or of a run that it left, is waited for.
    """
    import fcntl  # not on Windows, where no host runs

    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("wb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            wait()
            fcntl.flock(file, fcntl.LOCK_EX)
        yield file.fileno()


def run_host(command: Sequence[str], log: Path, held: int, environment: Mapping[str, str]) -> int:
    """Run a command with its output in a file; return its exit status, which says little (see `analysis.suites.found`).

    Args:
        command: its words.
        log: the file, which is written anew.
        held: the descriptor of `alone_in`.
        environment: of the process.

    Raises:
        InputError: the program cannot be started.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("wb") as file:
        try:
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=file, stderr=file, pass_fds=[held], env=environment
            )
        except OSError as error:
            raise InputError(
                f"Expected to start {command[0]}, found {error.strerror}. Correct --launch, or install it."
            ) from error
        try:
            return process.wait()
        finally:
            _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process that is still there, as this one was interrupted."""
    if process.poll() is None:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(PATIENCE)
        process.kill()
        process.wait()
