"""`cache`: what the host keeps between runs."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from spiqa_tasks.hosts.lmms_eval.response_cache import drop_failures
from spiqa_tasks.printable import counted


def add(subparsers: Any) -> None:
    """Add the subcommand."""
    cache = subparsers.add_parser("cache", help="put the host's cache of model answers right")
    actions = cache.add_subparsers(required=True, metavar="ACTION")
    drop = actions.add_parser("drop-failures", help="delete failed requests, which would be served as answers again")
    drop.add_argument("folder", type=Path, metavar="DIR", help="the folder named in --use_cache of lmms-eval")
    drop.set_defaults(run=run_drop)


def run_drop(arguments: argparse.Namespace) -> int:
    """Delete the failures and say how many there were.

    Raises:
        InputError: no such cache.
    """
    count = drop_failures(arguments.folder)
    deleted = counted(count, "failed request")
    print(f"{deleted} deleted from {arguments.folder}; run lmms-eval again, and only these are asked.")
    return 0
