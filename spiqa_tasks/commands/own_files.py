"""No file that a command reads is one that it writes."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from spiqa_tasks.errors import InputError


def check_apart(arguments: argparse.Namespace) -> None:
    """Check that no file is named in two places, where what one of them writes would replace what the other has.

    Args:
        arguments: the parsed ones; several runs may be one file, as all of them are read.

    Raises:
        InputError: a file is named in two places, and not as a run in both.
    """
    seen: dict[Path, tuple[str, bool]] = {}
    for name, path, is_run in _files(arguments):
        other, both_runs = seen.setdefault(path.resolve(), (name, is_run))
        if other != name and not (is_run and both_runs):
            raise InputError(
                f"Expected different files as {other} and as {name}, found {path} twice. Name another one."
            )


def _files(arguments: argparse.Namespace) -> Iterator[tuple[str, Path, bool]]:
    """What the arguments name but folders, pipes and devices: the argument, the path, and whether it is a run's."""
    for name, value in vars(arguments).items():
        for each in value if isinstance(value, list) else [value]:
            path = Path(each) if name == "task" and isinstance(each, str) else getattr(each, "path", each)
            if isinstance(path, Path) and (path.is_file() or not (path.exists() or name == "task")):
                yield name.replace("_", "-"), path, path is not each
