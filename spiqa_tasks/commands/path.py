"""`path`: where the task YAMLs are."""

from __future__ import annotations

import argparse
import json

from spiqa_tasks.benchmarks.registry import yaml_folder
from spiqa_tasks.hosts.filtered_tasks import included_folders


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument(
        "--json", action="store_true", help="machine-readable, with the folders that are always searched"
    )


def run(arguments: argparse.Namespace) -> int:
    """Print the folder of the package's own YAMLs."""
    if arguments.json:
        folders = [yaml_folder(), *included_folders()]
        print(json.dumps({"path": str(yaml_folder()), "folders": [str(folder) for folder in folders]}, indent=2))
    else:
        print(yaml_folder())
    return 0
