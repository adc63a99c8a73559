"""Errors raised on purpose; messages say what was expected, what was found and the remedy."""

from spiqa_tasks.printable import printable


class SpiqaTasksError(Exception):
    """Base class; commands print the message and exit with `exit_code`."""

    exit_code = 2

    def __init__(self, message: str) -> None:
        super().__init__(printable(message))


class DataError(SpiqaTasksError):
    """Release files are missing, unreadable or not laid out as expected."""


class InputError(SpiqaTasksError):
    """An argument or a file given by the user cannot be used."""


class MissingPartError(SpiqaTasksError):
    """An extra that is needed is not installed."""


class JudgeError(SpiqaTasksError):
    """The judge is not configured, cannot be reached, or cannot give what the metric needs."""


def found_instead(error: Exception) -> str:
    """Return an error as the text behind `found` in a message: the key that is missing, the reason
    that the system gives for a file (`No such file or directory`), else the error's type and text.
    """
    if isinstance(error, KeyError):
        return f"no {error}"
    return getattr(error, "strerror", None) or f"{type(error).__name__} {error}"
