"""What is raised inside the host's process: one sentence, and nothing that it would retry or swallow."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from spiqa_tasks.errors import SpiqaTasksError

logger = logging.getLogger("spiqa_tasks")


@contextmanager
def ending_the_run() -> Iterator[None]:
    """Turn an error of ours into SystemExit with its sentence; the host retries exceptions and exits 0.

    Raises:
        SystemExit: for a SpiqaTasksError; other exceptions stay what they are.
    """
    try:
        yield
    except SpiqaTasksError as error:
        raise SystemExit(f"spiqa-tasks: {error}") from error


@contextmanager
def one_sentence() -> Iterator[None]:
    """Turn whatever is raised within into SystemExit with one sentence.

    Raises:
        SystemExit: for any exception; the log has the traceback of one that is no SpiqaTasksError.
    """
    try:
        with ending_the_run():
            yield
    except Exception as error:
        logger.exception("What follows is a defect of spiqa-tasks.")
        raise SystemExit(f"spiqa-tasks: unexpected {type(error).__name__}: {error}; please report it.") from error
