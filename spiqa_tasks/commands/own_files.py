"""Refusal of a file that a command would read and write."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from spiqa_tasks.errors import InputError

_TASKS = ("task", "classifiers")
"""Arguments that name tasks or their YAMLs."""


def check_apart(arguments: argparse.Namespace) -> None:
    """Check that no file is named by two arguments: writing one would replace the other.

    Args:
        arguments: parsed arguments; several runs may be one file, as they are only read.

    Raises:
        InputError: a file is named by two arguments, and not as a run in both.
    """
    seen: dict[Path, tuple[str, bool]] = {}
    for name, path, is_run in _files(arguments):
        other, both_runs = seen.setdefault(path.resolve(), (name, is_run))
        if other != name and not (is_run and both_runs):
            raise InputError(
                f"Expected different files as {other} and as {name}, found {path} twice. Name another one."
            )


def _files(arguments: argparse.Namespace) -> Iterator[tuple[str, Path, bool]]:
    """Yield (argument, path, whether it is a run's) of the files named; folders, pipes and devices are left out."""
    for name, value in vars(arguments).items():
        for each in value if isinstance(value, list) else [value]:
            path = Path(each) if name in _TASKS and isinstance(each, str) else getattr(each, "path", each)
            if isinstance(path, Path) and (path.is_file() or not (path.exists() or name in _TASKS)):
                yield name.replace("_", "-"), path, path is not each
