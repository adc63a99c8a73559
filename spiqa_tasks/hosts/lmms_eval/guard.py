"""Turn errors into SystemExit: lmms-eval retries or swallows everything else."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from spiqa_tasks.errors import SpiqaTasksError

logger = logging.getLogger("spiqa_tasks")


@contextmanager
def ending_the_run() -> Iterator[None]:
    """Turn a SpiqaTasksError into SystemExit with its message; other exceptions pass.

    Raises:
        SystemExit: for a SpiqaTasksError.
    """
    try:
        yield
    except SpiqaTasksError as error:
        raise SystemExit(f"spiqa-tasks: {error}") from error


@contextmanager
def one_sentence() -> Iterator[None]:
    """Turn any exception into SystemExit with one sentence.

    Raises:
        SystemExit: for any exception; the traceback of one that is not a SpiqaTasksError is logged.
    """
    try:
        with ending_the_run():
            yield
    except Exception as error:
        logger.exception("What follows is a defect of spiqa-tasks.")
        raise SystemExit(f"spiqa-tasks: unexpected {type(error).__name__}: {error}; please report it.") from error
