"""Every error a user can meet.

A message is one sentence or two that say what was expected, what was found and what to do.
"""

from __future__ import annotations

from spiqa_tasks.printable import printable


class SpiqaTasksError(Exception):
    """Base of all errors raised on purpose; the command prints the message and exits with `exit_code`."""

    exit_code = 2

    def __init__(self, message: str) -> None:
        super().__init__(printable(message))


class DataError(SpiqaTasksError):
    """Release files are missing, unreadable or not laid out as expected."""


class InputError(SpiqaTasksError):
    """An argument or a file given by the user cannot be used."""


class MissingPartError(SpiqaTasksError):
    """A part of the package that is not always installed is needed and not there."""


class JudgeError(SpiqaTasksError):
    """The judge is not configured, cannot be reached, or cannot give what the metric needs."""
