"""Hooks of the YAMLs for documents: replace the host's stub dataset by the rows of the task."""

import json
from pathlib import Path
from uuid import uuid4

import datasets

from spiqa_tasks.benchmarks.registry import BENCHMARKS, load_table, register_own
from spiqa_tasks.hosts.lmms_eval.batch_scoring import scorer_of
from spiqa_tasks.hosts.lmms_eval.registration import one_sentence


def load(stub: datasets.Dataset) -> datasets.Dataset:
    """`process_docs`: return the rows of the task.

    The stub's only row names the benchmark, `test_split` is the split and `dataset_name` the settings. The scorer is
    made before the rows are loaded: it asks a judge one real question, so that no run starts with one that fails.

    Raises SystemExit: unusable data, settings or judge; the host retries other exceptions and exits 0.
    """
    benchmark, settings = stub[0]["benchmark"], str(stub.info.config_name)
    settings = settings.removeprefix("default")  # the name that `datasets` gives to an empty configuration
    with one_sentence():
        if "definition" in stub.column_names and benchmark not in BENCHMARKS:  # its YAML was not read
            register_own(json.loads(stub[0]["definition"]), Path())
        scorer_of(benchmark, settings)
        table = load_table(benchmark, str(stub.split), settings)
    return datasets.Dataset(datasets.table.InMemoryTable(table), fingerprint=uuid4().hex)
