"""`--batch` of the subcommands that ask judges."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from spiqa_tasks.errors import InputError
from spiqa_tasks.judge.pricing import BATCH_SHARE
from spiqa_tasks.printable import say

if TYPE_CHECKING:
    from spiqa_tasks.judge.config import JudgeConfig
    from spiqa_tasks.judge.engine import Engine
    from spiqa_tasks.judge.types import JudgeRequest


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "--batch", action="store_true", help="judge through the provider's batch interface: half the price, in a day"
    )
    parser.add_argument(
        "--no-wait", action="store_true", help="with --batch, hand over and collect what is done, then stop (status 3)"
    )


def check(arguments: argparse.Namespace, judges: Iterable[JudgeConfig]) -> None:
    """Raise InputError for `--no-wait` alone, JudgeError for `--batch` with a judge that takes none."""
    if arguments.no_wait and not arguments.batch:
        raise InputError("Expected --batch with --no-wait, found --no-wait alone. Add --batch.")
    if arguments.batch:
        from spiqa_tasks.judge.batches import require_batches

        for judge in judges:
            require_batches(judge)


def price_share(arguments: argparse.Namespace) -> float:
    """Return the share of the list price that judging would cost."""
    return BATCH_SHARE if arguments.batch else 1.0


def all_there(arguments: argparse.Namespace, asked: Mapping[str, tuple[Engine, Sequence[JudgeRequest]]]) -> bool:
    """Return whether scoring may go on: without `--batch`, or with every verdict collected.

    Raises:
        JudgeError: a batch interface that refuses.
    """
    if not arguments.batch:
        return True
    from spiqa_tasks.judge.batches import judge_in_batches

    found = [
        judge_in_batches(engine, requests, wait=not arguments.no_wait, say=say) for engine, requests in asked.values()
    ]
    return all(found)
