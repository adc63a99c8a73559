"""What is raised inside the host's process: one sentence, and nothing that it would retry or swallow."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from spiqa_tasks.errors import SpiqaTasksError

logger = logging.getLogger("spiqa_tasks")


@contextmanager
def one_sentence() -> Iterator[None]:
    """Turn whatever is raised within into SystemExit with one sentence; the host retries exceptions and exits 0.

    Raises:
        SystemExit: for any exception; the log has the traceback of one that is no SpiqaTasksError.
    """
    try:
        yield
    except SpiqaTasksError as error:
        raise SystemExit(f"spiqa-tasks: {error}") from error
    except Exception as error:
        logger.exception("What follows is a defect of spiqa-tasks.")
        raise SystemExit(f"spiqa-tasks: unexpected {type(error).__name__}: {error}; please report it.") from error
