"""`export`: SPIQA's train and val splits as conversations for fine-tuning."""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path
from typing import Any

from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.catalogue import find_tasks


def add(subparsers: Any) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser("export", help="write SPIQA's questions as conversations for fine-tuning (jsonl)")
    parser.add_argument("task", metavar="TASK", help="spiqa_train, spiqa_val or another task of SPIQA")
    parser.add_argument("--format", choices=("llava", "messages"), default="llava", help="default: llava")
    parser.add_argument(
        "--settings",
        default="setting=perfigure,protocol=released",
        metavar="KEY=VALUE,...",
        help="prompts and pictures, as in dataset_name (default: one referred figure, as the paper trains)",
    )
    parser.add_argument("--captions", action="store_true", help="figures and their captions too")
    parser.add_argument("--output", type=Path, required=True, metavar="FILE", help="the jsonl file to write")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Write the file, whole or not at all, and say how many conversations it has.

    Raises:
        InputError: no task of SPIQA, or unknown settings.
        DataError: the data is not there.
    """
    from spiqa_tasks.benchmarks.registry import load_table
    from spiqa_tasks.benchmarks.spiqa.conversations import conversations

    tasks = find_tasks([arguments.task])
    if len(tasks) != 1 or tasks[0].benchmark != "spiqa":
        raise InputError(f"Expected a task of SPIQA such as spiqa_train; found {arguments.task}.")
    table = load_table("spiqa", tasks[0].split, arguments.settings)
    rows = (row for batch in table.to_batches(1000) for row in batch.to_pylist())
    part = arguments.output.with_name(f"{arguments.output.name}.part{os.getpid()}")
    part.parent.mkdir(parents=True, exist_ok=True)
    count = 0
    try:
        with part.open("w", encoding="utf-8", newline="\n") as file:
            for conversation in conversations(rows, arguments.format, arguments.captions):
                file.write(json.dumps(conversation, ensure_ascii=False) + "\n")
                count += 1
        part.replace(arguments.output)
    finally:
        part.unlink(missing_ok=True)
    print(f"wrote {count} conversations to {arguments.output}")
    return 0
