"""`export`: SPIQA as conversations for fine-tuning (LLaVA's format)."""

import argparse
import json
from pathlib import Path

from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.benchmarks.spiqa.prompts import conversations
from spiqa_tasks.errors import InputError
from spiqa_tasks.files.atomic import written_atomically
from spiqa_tasks.hosts.catalogue import find_tasks


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("task", metavar="TASK", help="spiqa_train, spiqa_val")
    parser.add_argument(
        "--settings",
        default="setting=perfigure,figures=referred",
        metavar="KEY=VALUE,...",
        help=(
            "prompts and pictures, as in dataset_name (default: one referred figure, as the paper"
            " trains)"
        ),
    )
    parser.add_argument(
        "--captions", action="store_true", help="add every figure of the paper with its caption"
    )
    parser.add_argument("--output", type=Path, required=True, metavar="FILE", help="the jsonl file")


def run(arguments: argparse.Namespace) -> int:
    """Write the file, complete or not at all, and print its path."""
    tasks = find_tasks([arguments.task])
    if len(tasks) != 1 or tasks[0].benchmark_name != "spiqa":
        raise InputError(f"Expected a task of SPIQA such as spiqa_train; found {arguments.task}.")

    rows = load_rows("spiqa", tasks[0].split, arguments.settings)
    count = 0
    with written_atomically(arguments.output) as file:
        for conversation in conversations(rows, arguments.captions):
            file.write(f"{json.dumps(conversation, ensure_ascii=False)}\n".encode())
            count += 1

    print(f"wrote {count} conversations to {arguments.output}")
    return 0
