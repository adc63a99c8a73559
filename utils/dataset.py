"""From the host's stub dataset to ours: its split and config name say which rows to load."""

from __future__ import annotations

from uuid import uuid4

import datasets

from spiqa_tasks.data.loading import load_table
from spiqa_tasks.errors import SpiqaTasksError


def rows_of(benchmark: str, stub: datasets.Dataset) -> datasets.Dataset:
    """The rows of the task whose YAML loaded `stub` (`test_split`: the split, `dataset_name`: the settings).

    Raises:
        SystemExit: anything wrong with data or settings; the host retries ordinary exceptions and then exits 0.
    """
    config = str(stub.info.config_name)
    try:
        table = load_table(benchmark, str(stub.split), config)
    except SpiqaTasksError as error:
        raise SystemExit(f"spiqa-tasks: {error}") from error
    return datasets.Dataset(datasets.table.InMemoryTable(table), fingerprint=uuid4().hex)
