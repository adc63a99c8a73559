"""Hooks of the YAMLs for documents: the rows of a task in place of the host's stub, and what a
model is shown of one.

Unusable data and unreadable pictures end the run with one sentence: the host would retry
exceptions, and exit with 0.
"""

from collections.abc import Mapping
from typing import Any
from uuid import uuid4

import datasets

from spiqa_tasks.benchmarks.benchmark import Row
from spiqa_tasks.benchmarks.prompting import chat_messages, plain_text, visuals
from spiqa_tasks.benchmarks.registry import benchmark_of, load_table
from spiqa_tasks.hosts.lmms_eval.batch_scoring import scorer_of
from spiqa_tasks.hosts.lmms_eval.registration import exit_with_message, run_options


def load(stub: datasets.Dataset) -> datasets.Dataset:
    """`process_docs`: return the rows of the task.

    The stub's only row names the benchmark, `test_split` is the split and `dataset_name` the
    settings. The scorer is made before the rows are loaded: it asks a judge one real question, so
    that no run starts with one that fails. With --predict_only nothing is scored.

    Raises SystemExit: unusable data, settings or judge.
    """
    benchmark, settings = stub[0]["benchmark"], str(stub.info.config_name)
    # the name that `datasets` gives to an empty configuration
    settings = settings.removeprefix("default")
    with exit_with_message():
        if not run_options.get("predict_only"):
            scorer_of(benchmark, settings)
        table = load_table(benchmark, str(stub.split), settings)
    return datasets.Dataset(datasets.table.InMemoryTable(table), fingerprint=uuid4().hex)


@exit_with_message()
def doc_to_messages(
    doc: Row, lmms_eval_specific_kwargs: Mapping[str, Any] | None = None
) -> list[dict[str, Any]]:
    """Return chat messages, in the paper's order.

    The YAML's `images` for the model class is the form of pictures.
    """
    return chat_messages(
        benchmark_of(doc).prompt(doc), (lmms_eval_specific_kwargs or {}).get("images")
    )


@exit_with_message()
def doc_to_visual(doc: Row) -> list[Any]:
    """Return the pictures for simple models, in the order shown."""
    return visuals(benchmark_of(doc).prompt(doc))


@exit_with_message()
def doc_to_text(
    doc: Row,
    lmms_eval_specific_kwargs: Mapping[str, Any] | None = None,  # noqa: ARG001 - of the host
) -> str:
    """Return the text for simple models, each of several pictures marked."""
    return plain_text(benchmark_of(doc).prompt(doc))
