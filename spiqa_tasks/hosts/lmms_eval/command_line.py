"""lmms-eval as a subprocess: its command, the arguments that change answers, and one process per folder."""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.lmms_eval.registration import ABLATED
from spiqa_tasks.printable import progress

_SET = (
    "model",
    "model_args",
    "tasks",
    "output_path",
    "log_samples",
    "use_cache",
    "limit",
    "offset",
    "include_path",
)
"""Options set by `command`, refused among further arguments."""
_RUNNING = (
    "batch_size",
    "max_batch_size",
    "device",
    "verbosity",
    "process_docs_parallel",
    "wandb_args",
)
"""Options that do not change answers: speed, device, logging."""
LOOK, _END, _BAR = 2.0, 4096, re.compile(rb"% *\|[^|\r\n]*\| *(\d+)/(\d+) \[")
"""Seconds between two looks at the end of a host's log, its bytes, and a bar of tqdm in it."""
PATIENCE = 20.0
"""Seconds that an interrupted host has to end: it writes its cache then."""


@dataclass(frozen=True)
class Model:
    """A model of the host, as `--model` and `--model_args` name it."""

    name: str
    arguments: str = ""

    def ablated(self, kind: str) -> Model:
        """Return the model wrapped by `ablated`; `kind` is one of `models.picture_ablation.KINDS`."""
        return Model(
            ABLATED,
            ",".join(filter(None, [f"base={self.name}", f"ablation={kind}", self.arguments])),
        )


@dataclass(frozen=True)
class Options:
    """Arguments shared by all runs of an experiment; `extra` are further ones of the host."""

    launch: Sequence[str] = ()
    """Words before `-m lmms_eval`, such as `accelerate launch`; () for this Python."""
    limit: int | None = None
    include: Path | None = None
    extra: Sequence[str] = ()


def command(model: Model, task: str, folder: Path, options: Options) -> list[str]:
    """Return the command; results go to `folder`, the response cache to `cache` in it."""
    words = [*(options.launch or (sys.executable,)), "-m", "lmms_eval", "--model", model.name]
    words += ["--model_args", model.arguments] if model.arguments else []
    words += [
        "--tasks",
        task,
        "--output_path",
        str(folder),
        "--log_samples",
        "--use_cache",
        str(cache_of(folder)),
    ]
    words += ["--limit", str(options.limit)] if options.limit else []
    words += ["--include_path", str(options.include)] if options.include else []
    return [*words, *options.extra]


def cache_of(folder: Path) -> Path:
    """Return the response cache of a run whose results go to `folder`."""
    return folder / "cache"


def check_extra(extra: Sequence[str]) -> None:
    """Raise InputError if further arguments contain an option that `command` sets."""
    taken = [word for word in extra if word.partition("=")[0].lstrip("-").replace("-", "_") in _SET]
    if taken:
        raise InputError(
            f"Expected no {', '.join(taken)} behind --, which this command sets. Leave it out."
        )


def answering(extra: Sequence[str]) -> list[str]:
    """Return the further arguments that may change a model's answers."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    for name in _RUNNING:
        parser.add_argument(f"--{name}")
    return parser.parse_known_args(list(extra))[1]


@contextlib.contextmanager
def alone_in(folder: Path, wait: Callable[[], None]) -> Iterator[int]:
    """Create and lock a folder, calling `wait` once if another experiment holds it; yield the lock's descriptor.

    Started processes inherit it: a run that outlives its killed command is waited for, and nothing is asked twice.
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


def watched(process: subprocess.Popen[bytes], log: Path, doing: str) -> int:
    """Wait for a process, saying how far the last bar in its log is; return its exit status."""
    with progress(doing) as show:
        while True:
            with contextlib.suppress(subprocess.TimeoutExpired):
                return process.wait(LOOK)
            with log.open("rb") as file:
                file.seek(-min(file.seek(0, os.SEEK_END), _END), os.SEEK_END)
                for done, of in _BAR.findall(file.read())[-1:]:
                    show(int(done), int(of))


def run_host(
    command: Sequence[str],
    log: Path,
    held: int,
    environment: Mapping[str, str],
    doing: str = "lmms-eval",
) -> int:
    """Run a command with its output in `log`, overwritten; return its exit status, which says little."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("wb") as file:
        pipes: dict[str, Any] = {
            "stdin": subprocess.DEVNULL,
            "stdout": file,
            "stderr": file,
            "pass_fds": [held],
        }
        try:
            process = subprocess.Popen(command, env=environment, **pipes)
        except OSError as error:
            raise InputError(
                f"Expected to start {command[0]}, found {error.strerror}. Correct --launch."
            ) from error
        try:
            return watched(process, log, doing)
        finally:
            process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(PATIENCE)
            process.kill()
            process.wait()
