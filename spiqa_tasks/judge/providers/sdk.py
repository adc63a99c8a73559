"""The official SDKs, which batches go through: found or missed, and their errors as one sentence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from spiqa_tasks.errors import JudgeError
from spiqa_tasks.extras import how_to_install
from spiqa_tasks.judge.config import JudgeConfig

TRIES = 8
"""How often an SDK repeats a request that failed on the way."""
_CLOCKS_APART = 60.0


@contextmanager
def importing(package: str) -> Iterator[None]:
    """Import an SDK within this.

    Raises:
        JudgeError: it is not installed.
    """
    try:
        yield
    except ImportError:
        raise JudgeError(
            f"Judging in batches needs the package {package}, which is not installed. Run: {how_to_install('batch')}"
        ) from None


def is_before(made: float, since: float) -> bool:
    """Return whether a server's Unix time is before one of ours, its clock being a minute off at most."""
    return made < since - _CLOCKS_APART


def client_options(config: JudgeConfig) -> dict[str, Any]:
    """Return what every SDK's client is made with beside its address."""
    return {"api_key": config.api_key or "none", "timeout": config.timeout, "max_retries": TRIES}


@contextmanager
def told(config: JudgeConfig, error_class: type[Exception]) -> Iterator[None]:
    """Turn an SDK's errors into one sentence without the key.

    Raises:
        JudgeError: for any of them.
    """
    try:
        yield
    except error_class as error:
        raise JudgeError(
            f"Expected the batch interface of the judge {config.name} to answer, found "
            f"{config.redact(str(error))[:300] or type(error).__name__}. Check the judge's key and address and run the "
            "command again: what was handed over is neither lost nor paid again."
        ) from None
