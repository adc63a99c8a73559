"""What a YAML calls for its documents: from the host's stub dataset to the rows of the task."""

from __future__ import annotations

import json
from uuid import uuid4

import datasets

from spiqa_tasks.benchmarks.registry import load_table, register_recorded
from spiqa_tasks.hosts.lmms_eval.batch_scoring import scorer_of
from spiqa_tasks.hosts.lmms_eval.guard import one_sentence

UNNAMED = "default"
"""What `datasets` calls the settings of a task without any."""


def load(stub: datasets.Dataset) -> datasets.Dataset:
    """`process_docs`: the rows of the task.

    The stub's only row names the benchmark, `test_split` is the split and `dataset_name` the settings. Where scoring
    needs a judge, it is asked a test question first, so that a run never starts without.

    Raises SystemExit: data, settings or a judge that cannot be used; the host retries ordinary exceptions and exits 0.
    """
    benchmark, settings = stub[0]["benchmark"], str(stub.info.config_name).removeprefix(UNNAMED)
    with one_sentence():
        if "definition" in stub.column_names:
            register_recorded(json.loads(stub[0]["definition"]))
        scorer_of(benchmark, settings)
        table = load_table(benchmark, str(stub.split), settings)
    return datasets.Dataset(datasets.table.InMemoryTable(table), fingerprint=uuid4().hex)
